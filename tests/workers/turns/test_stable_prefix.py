"""All turns of a participant in a run begin with the same bytes, so a provider need not read the subject again."""

from __future__ import annotations

from itertools import pairwise

import pytest

from orchestrator.engine.advance import Engine
from orchestrator.workflows.registry import WORKFLOWS
from orchestrator.workflows.review.options import ReviewOptions
from shared.models.panel import Participant
from shared.models.steps import StepResult, TurnRequest
from shared.store.database import Database
from shared.store.requests import REQUEST
from shared.text.rendering import RenderedPrompt
from tests.support.driving import Asked, conceding, drive
from tests.support.review_panel import submission
from tests.support.review_replies import critique_fields, finding, reply, stances
from workers.turns.canary import canary_of
from workers.turns.documents import StoredDocuments
from workers.turns.egress import without_secrets
from workers.turns.prompting import render

pytestmark = pytest.mark.component

ELSEWHERE = Participant(name="any", provider="anthropic")


def contesting(asked: Asked) -> StepResult:
    """Finds something in every round and contests it, so that all rounds are held."""
    if asked.reply_model.startswith("critique"):
        found = [finding(title=f"Problem {asked.key}", quote=None)]
        said = stances("disagree", "F1") if asked.round > 1 else []
        return reply(asked.reply_model, **critique_fields(found, said))
    if asked.reply_model.startswith("rebuttal"):
        return reply(asked.reply_model, stances=stances("disagree", "F1"))
    return conceding(asked)


def prompts_of(database: Database, run: str) -> dict[str, list[RenderedPrompt]]:
    """What each participant of the discussion is sent, as it leaves the machine, in order."""
    documents = StoredDocuments(database)
    question = (
        f"SELECT {REQUEST.format(step='s')} AS request FROM steps s WHERE run_id = %s AND kind = 'turn' "
        "AND role IN ('critique', 'rebuttal') ORDER BY position"
    )
    rows = database.run(lambda connection: connection.execute(question, (run,)).fetchall())
    sent: dict[str, list[RenderedPrompt]] = {}
    for row in rows:
        request = TurnRequest.model_validate(row.request)
        planted = canary_of(request, documents.get).sentence
        assert planted
        whole = render(request, documents.get, structured=True, planted=planted)
        masked, _ = without_secrets(whole, ELSEWHERE)
        sent.setdefault(f"{request.participant.name}/{request.role}", []).append(masked)
    return sent


@pytest.fixture
def sent(database: Database) -> dict[str, list[RenderedPrompt]]:
    engine = Engine(database)
    wanted = submission(options=ReviewOptions(rounds=3), version=WORKFLOWS["review"].version)
    run = engine.submit(wanted.spec, "a change", wanted.documents)
    drive(engine, run, contesting)
    return prompts_of(database, run)


def test_the_subject_stands_in_the_part_that_is_the_same_in_all_turns(
    sent: dict[str, list[RenderedPrompt]],
) -> None:
    assert any(len(prompts) > 1 for prompts in sent.values())
    for prompts in sent.values():
        for one, other in pairwise(prompts):
            assert one.system == other.system
            assert one.stable == other.stable > 0
            assert one.user[: one.stable] == other.user[: other.stable]
            assert one.user != other.user
            begin, end = one.user.index("<<<BEGIN"), one.user.index("<<<END")
            assert begin < end < one.stable


def test_no_participant_is_sent_anothers_trap(sent: dict[str, list[RenderedPrompt]]) -> None:
    critics = [prompts[0] for who, prompts in sent.items() if who.endswith("/critique")]
    assert len(critics) > 1
    assert len({prompt.user for prompt in critics}) == len(critics)

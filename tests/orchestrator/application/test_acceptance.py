"""A new run captures what people accepted of its participants, where there is enough of it."""

from pathlib import Path

import pytest

from orchestrator.application.acceptance import accepted_history, with_record
from orchestrator.application.backend import Backend
from orchestrator.evaluation.acceptance import FEWEST_DECISIONS, MOST
from shared.instance import Instance
from shared.models.decision import DecisionAnswer, DecisionQuestion
from shared.settings import ServiceSettings
from shared.store.database import Database
from shared.store.decisions import answer_decision
from shared.store.runs import NewDecision
from tests.support.reports import make_finding
from tests.support.runs import new_run, submission

pytestmark = pytest.mark.component

SHOWN = "a" * 64
SPEC = submission().spec
GOOD, POOR = SPEC.panel.critics[0].name, SPEC.panel.critics[-1].name


@pytest.fixture
def backend(database: Database, tmp_path: Path) -> Backend:
    settings = ServiceSettings(Instance.at(tmp_path), None)
    return Backend(settings, database)


def decided(database: Database) -> None:
    """A person applies the fix for two findings of the one and leaves two of the other."""
    raised = {"F1": GOOD, "F2": GOOD, "F3": POOR, "F4": POOR}
    findings = [
        make_finding(name, raised_by=(who,)).model_dump(mode="json") for name, who in raised.items()
    ]
    question = DecisionQuestion(
        kind="review",
        prompt="?",
        options=("apply_fix", "skip"),
        shown={"findings": findings},
        selectable=tuple(raised),
    )
    decision = NewDecision("decision", "review", question.model_dump_json(), SHOWN, None, None)
    run = new_run(database, decisions=[decision])
    answer = DecisionAnswer(choice="apply_fix", actor="ada", channel="web", only=("F1", "F2"))
    database.run(lambda c: answer_decision(c, run, "decision", answer, SHOWN), atomic=True)


def test_a_new_run_captures_weights_as_soon_as_there_is_enough(
    backend: Backend, database: Database
) -> None:
    for _ in range(FEWEST_DECISIONS - 1):
        decided(database)
    assert with_record(backend, SPEC) == SPEC
    decided(database)
    trusted = with_record(backend, SPEC).trusted
    assert trusted[GOOD] == MOST
    assert trusted[POOR] == 0.5
    record = {row.name: row for row in accepted_history(backend).participants}
    assert (record[GOOD].total.accepted, record[GOOD].total.offered) == (20, 20)
    assert (record[POOR].total.accepted, record[POOR].total.offered) == (0, 20)
    assert record[POOR].decisions == FEWEST_DECISIONS
    assert SPEC.trusted == {}

"""A change that is larger than a reader holds is read in portions; later turns see where the findings stand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from orchestrator.core.discussion.portions import INSTRUCTIONS_TOKENS, PORTION_TOKENS
from orchestrator.core.replay.commands import Outcome, Turn
from orchestrator.workflows.registry import start_workflow
from orchestrator.workflows.review.options import ReviewOptions
from shared.models.decision import DecisionAnswer
from shared.models.outcomes import FailureKind, Verdict
from shared.models.panel import Panel, Participant
from shared.models.steps import StepResult
from shared.models.subject import Subject
from shared.text.tokens import estimated_tokens
from tests.support.review_panel import Submission, large_change, participant, submission
from tests.support.review_replies import (
    Step,
    critique,
    failure,
    finding,
    finished,
    reply,
    stances,
)
from tests.support.simulator import Simulation

SKIP = DecisionAnswer(choice="skip", actor="somebody", channel="cli")
PLACE = {"path": "pkg/part020.py", "line": 3}
RAISED = finding(quote="value_20_2 = compute(2)", place=PLACE)


def run_of(*critics: Participant, files: int = 60, author: Participant | None = None) -> Submission:
    panel = Panel(
        critics=critics, author=author or participant("author"), chair=participant("chair")
    )
    change = large_change(files=files)
    return submission(options=ReviewOptions(rounds=3), panel=panel, change=change)


def contested(step: Step) -> StepResult:
    """A critic finds one thing at a place, the author denies it with a quotation."""
    if step.role == "critique":
        first = step.round == 1 and step.key.endswith("/1")
        said = [] if step.round == 1 else stances("agree", "F1")
        return critique(step, [RAISED] if first else [], said)
    if step.role == "rebuttal":
        denial = stances("disagree", "F1", reason="it is bounded", quote="value_20_2 = compute(2)")
        return reply(step.reply_model, stances=denial)
    return finished(step)


def quiet(step: Step) -> StepResult:
    return critique(step) if step.role == "critique" else finished(step)


def hold(run: Submission, script: Any = contested) -> tuple[Outcome, Mapping[str, Turn]]:
    simulation = Simulation(start_workflow(run.spec, run.materials), script, lambda _: SKIP)
    outcome = simulation.run()
    return outcome, {k: s for k, s in simulation.commands.items() if isinstance(s, Turn)}


def shown(run: Submission, turn: Turn) -> list[str]:
    """The texts of the subject that a turn is shown, without the title."""
    return [
        run.documents[part.document].decode()
        for part in turn.prompt().user
        if part.document is not None
    ]


def tokens(run: Submission, turn: Turn) -> int:
    return sum(map(estimated_tokens, shown(run, turn)))


def small(name: str, context: int = 24_000) -> Participant:
    return participant(name, context_tokens=context)


def test_no_turn_is_shown_more_than_its_participant_holds() -> None:
    critics = small("ada"), participant("bert", context_tokens=40_000)
    run = run_of(*critics, author=small("author", 22_000))
    _, turns = hold(run)
    speakers = {one.name: one for one in (*critics, run.spec.panel.author)}
    for turn in turns.values():
        speaker = speakers.get(turn.participant.name)
        if speaker is not None and speaker.context_tokens is not None:
            free = speaker.context_tokens - speaker.max_output_tokens - INSTRUCTIONS_TOKENS
            assert tokens(run, turn) <= free, turn.key


def test_portions_together_are_the_whole_change_in_its_order() -> None:
    run = run_of(small("ada"))
    _, turns = hold(run)
    parts = [f"critique/1/ada/{number}" for number in range(1, 4)]
    assert set(parts) == {key for key in turns if key.startswith("critique/1/")}
    whole = "".join(text for key in parts for text in shown(run, turns[key]))
    diff = run.documents[Subject.model_validate_json(run.documents[run.spec.subject]).diff]
    assert [line for line in whole.splitlines() if line.startswith("+value")] == [
        line for line in diff.decode().splitlines() if line.startswith("+value")
    ]


def test_who_holds_all_of_it_reads_it_at_once_up_to_what_anybody_reads_well() -> None:
    run = run_of(participant("ada", context_tokens=1_000_000))
    _, turns = hold(run, quiet)
    assert "critique/1/ada" in turns
    assert tokens(run, turns["critique/1/ada"]) <= PORTION_TOKENS
    _, turns = hold(run_of(participant("ada", context_tokens=1_000_000), files=150), quiet)
    assert "critique/1/ada/2" in turns


def test_later_turns_see_the_places_of_contested_findings_only() -> None:
    run = run_of(small("ada"))
    _, turns = hold(run)
    for key in ("rebuttal/2/author", "critique/3/ada"):
        text = "".join(shown(run, turns[key]))
        assert "+value_20_2 = compute(2)" in text
        assert "part000.py" not in text
        assert tokens(run, turns[key]) < 5_000


def test_a_finding_of_a_portion_keeps_its_place_and_counts_once() -> None:
    outcome, _ = hold(run_of(small("ada")))
    (found,) = outcome.findings
    assert found.raised_by == ("ada",)
    assert found.place is not None
    assert (found.place.path, found.place.line) == ("pkg/part020.py", 3)


def test_what_was_read_in_portions_stays_read_when_later_turns_see_places_only() -> None:
    outcome, turns = hold(run_of(small("ada")))
    assert "critique/3/ada" in turns
    assert [one["path"] for one in outcome.detail["coverage"]["files"] if not one["read_by"]] == []


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_portion_that_nobody_answered_keeps_the_approval_away(number: int) -> None:
    def fails(step: Step) -> StepResult:
        if step.key == f"critique/1/ada/{number}":
            return failure(FailureKind.TIMEOUT)
        return quiet(step)

    run = run_of(small("ada"), participant("bert"))
    outcome, _ = hold(run, fails)
    assert outcome.verdict is Verdict.INCONCLUSIVE
    assert hold(run, quiet)[0].verdict is Verdict.APPROVED


def test_one_line_that_nobody_can_hold_leaves_its_file_unread() -> None:
    minified = large_change(files=3, lines=4, last="x = '" + "a" * 80_000 + "'\n")
    panel = Panel(critics=(small("ada"),), author=participant("author"), chair=participant("chair"))
    outcome, _ = hold(submission(panel=panel, change=minified), quiet)
    assert outcome.verdict is Verdict.INCONCLUSIVE
    assert [file["path"] for file in outcome.detail["coverage"]["files"] if not file["read_by"]]


def test_a_change_of_which_no_piece_fits_was_read_by_nobody() -> None:
    minified = large_change(files=1, lines=0, last="x = '" + "a" * 80_000 + "'\n")
    panel = Panel(critics=(small("ada"),), author=participant("author"), chair=participant("chair"))
    outcome, _ = hold(submission(panel=panel, change=minified), quiet)
    assert outcome.verdict is Verdict.INCONCLUSIVE


def test_a_small_change_of_a_large_file_does_not_send_all_of_it_for_a_fix() -> None:
    name, documents = large_change(files=1, lines=4)
    subject = Subject.model_validate_json(documents[name])
    (file,) = subject.files
    place = {"path": file.path, "line": 3}
    for after, shows in ((b"value = 1\n" * 60_000, False), (b"value = 1\n" * 60, True)):
        documents["f" * 64] = after
        files = (file.model_copy(update={"after": "f" * 64}),)
        documents[name] = subject.model_copy(update={"files": files}).model_dump_json().encode()

        def agreed(step: Step) -> StepResult:
            if step.role == "rebuttal":
                return reply(step.reply_model, stances=stances("agree", "F1"))
            if step.role != "critique":
                return finished(step)
            raised = [finding(quote="value_0_2 = compute(2)", place=place)]
            return critique(step, raised if step.round == 1 else [], stances("agree", "F1"))

        panel = Panel(
            critics=(participant("ada"), participant("bert")),
            author=participant("author"),
            chair=participant("chair"),
        )
        run = submission(panel=panel, change=(name, documents))
        _, turns = hold(run, agreed)
        assert (after.decode() in shown(run, turns["fix/author"])) is shows

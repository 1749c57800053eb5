"""`depth: adaptive`: one reviewer where that is enough, the whole panel where it is not, and nobody is asked twice."""

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.core.replay.commands import Outcome, ToolRun
from orchestrator.core.replay.recomputation import recompute
from orchestrator.workflows.registry import start_workflow
from orchestrator.workflows.review.logic import expected, full_depth
from orchestrator.workflows.review.options import ReviewOptions
from shared.models.findings import Severity
from shared.models.outcomes import Ending, FailureKind, Verdict
from shared.models.panel import Panel, Participant
from shared.models.steps import StepResult
from shared.models.subject import FileChange, LineRange, Subject
from tests.orchestrator.workflows.test_review_endings import SKIP
from tests.support.review_panel import AFTER, DIFF, Submission, participant, sha, submission
from tests.support.review_replies import (
    Script,
    Step,
    critique,
    failure,
    finding,
    finished,
    reply,
)
from tests.support.simulator import Simulation

NAMES = ("ada", "bert", "cleo")


def submitted(path: str = "app.py", critics: tuple[str, ...] = NAMES, **options: Any) -> Submission:
    after = sha(AFTER)
    files = (
        FileChange(path=path, status="added", after=after, changed=(LineRange(first=1, last=2),)),
    )
    subject = Subject(title="x: y", diff=sha(DIFF.encode()), files=files, counts_unread=True)
    body = subject.model_dump_json().encode()
    panel = Panel(
        critics=tuple(map(participant, critics)),
        author=participant("author"),
        chair=participant("chair"),
    )
    chosen = {"depth": "adaptive", "first_reviewer": "bert", "fail_on": Severity.MAJOR, **options}
    base = submission(panel=panel, options=ReviewOptions(**chosen))
    documents = {**base.documents, sha(body): body, after: AFTER}
    return Submission(base.spec.model_copy(update={"subject": sha(body)}), documents)


def silent(step: Step) -> StepResult:
    if step.role == "critique":
        return critique(step)
    return reply(step.reply_model) if step.role == "rebuttal" else finished(step)


def held(made: Submission, script: Script = silent) -> tuple[Outcome, Simulation]:
    run = Simulation(start_workflow(made.spec, made.materials), script, lambda _ask: SKIP)
    return run.run(), run


def asked(run: Simulation) -> list[str]:
    return sorted(key for key, step in run.commands.items() if not isinstance(step, ToolRun))


def reasons(outcome: Outcome) -> list[str]:
    return [reason.code for reason in outcome.result.deepening or ()]


def test_a_small_change_that_the_first_reviewer_approves_is_read_by_nobody_else() -> None:
    outcome, run = held(submitted())
    assert asked(run) == ["critique/1/bert"]
    assert (outcome.verdict, outcome.ending) == (Verdict.APPROVED, Ending.CONVERGED)
    assert reasons(outcome) == []
    assert outcome.result.critics_asked == {"bert"}


def test_what_the_first_reviewer_objects_to_is_for_the_panel_and_it_is_not_asked_again() -> None:
    def script(step: Step) -> StepResult:
        name = "" if isinstance(step, ToolRun) else step.participant.name
        if step.role == "critique" and step.round == 1 and name == "bert":
            return critique(step, [finding()])
        return silent(step)

    outcome, run = held(submitted(), script)
    first = [key for key in asked(run) if key.startswith("critique/1/")]
    assert first == ["critique/1/ada", "critique/1/bert", "critique/1/cleo"]
    assert "synthesis/chair" in asked(run)
    assert reasons(outcome) == ["deeper_objection"]
    assert outcome.findings[0].raised_by == ("bert",)


def test_a_first_reviewer_that_does_not_answer_is_no_approval() -> None:
    def script(step: Step) -> StepResult:
        bert = not isinstance(step, ToolRun) and step.participant.name == "bert"
        return failure(FailureKind.REFUSAL) if bert else silent(step)

    outcome, run = held(submitted(), script)
    assert reasons(outcome)[0] == "deeper_silent"
    assert {"critique/1/ada", "critique/1/cleo"} <= set(asked(run))


@pytest.mark.parametrize("path", ["auth/login.py", "db/migrations/0001.py"])
def test_a_risky_change_is_read_by_all_at_once(path: str) -> None:
    outcome, run = held(submitted(path))
    assert {f"critique/1/{name}" for name in NAMES} <= set(asked(run))
    assert [code.startswith("deeper_path_") for code in reasons(outcome)] == [True]
    (depth,) = outcome.result.depths  # type: ignore[attr-defined]
    assert (depth.first, depth.asked) == ((), NAMES)


def test_a_quorum_that_one_reviewer_cannot_meet_asks_the_panel() -> None:
    outcome, _ = held(submitted(quorum=2))
    assert reasons(outcome) == ["deeper_quorum"]


@pytest.mark.parametrize(
    "options", [{"depth": "full"}, {"first_reviewer": None}, {"first_reviewer": "nobody"}]
)
def test_without_somebody_to_read_first_all_do(options: dict[str, Any]) -> None:
    outcome, run = held(submitted(**options))
    assert {f"critique/1/{name}" for name in NAMES} <= set(asked(run))
    assert outcome.result.deepening is None


def test_an_unknown_depth_is_refused() -> None:
    with pytest.raises(ValueError, match="is not a valid Depth"):
        ReviewOptions(depth="shallow")


@pytest.mark.parametrize("path", ["app.py", "auth/login.py"])
def test_a_replay_comes_to_the_same_depth(path: str) -> None:
    made = submitted(path)
    outcome, run = held(made)
    walked = recompute(start_workflow(made.spec, made.materials), run.journal)
    assert walked.outcome == outcome


def test_the_estimate_begins_with_one_call_and_ends_with_the_whole_panel() -> None:
    spec = submitted().spec
    calls = list(expected(spec, 500))
    assert [(call.participant.name, call.role) for call in calls if call.certain] == [
        ("bert", "critique")
    ]
    full = full_depth(spec)
    assert full is not None
    whole = list(expected(full, 500))
    assert len(whole) == len(calls)
    assert sum(call.certain for call in whole) == 4
    assert full_depth(full) is None


def test_analysers_look_beside_the_first_reviewer() -> None:
    made = submitted()
    ruff = Participant(name="ruff", provider="analyser", tool="ruff")
    spec = made.spec.with_panel(critics=(ruff, *made.spec.panel.critics))

    def script(step: Step) -> StepResult:
        if isinstance(step, ToolRun) and step.role == "critique":
            return reply(step.reply_model, verdict="APPROVED", coverage={"read": ["app.py"]})
        return silent(step)

    outcome, run = held(Submission(spec, made.documents), script)
    assert set(run.commands) == {"critique/1/ruff", "critique/1/bert"}
    assert outcome.verdict is Verdict.APPROVED

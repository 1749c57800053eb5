"""Analysers that fail, files that nobody read: what a review makes of them, from the first round to the gate."""

from __future__ import annotations

import json
from typing import Any

import pytest

from orchestrator.core.findings.verdict import GateOutcome, gate_of
from orchestrator.core.replay.commands import Outcome, ToolRun
from orchestrator.core.replay.recomputation import recompute
from orchestrator.workflows.registry import start_workflow, workflow_of
from orchestrator.workflows.review.options import ReviewOptions
from shared.models.coverage import Coverage, UnreadFile, UnreadReason
from shared.models.findings import Severity
from shared.models.outcomes import Ending, FailureKind, Verdict
from shared.models.panel import Panel, Participant
from shared.models.review_replies import RedTeamAnalysis, ReviewAnalysis
from shared.models.run import RulesVersion
from shared.models.steps import StepResult
from shared.models.subject import FileChange, LineRange, Subject
from tests.orchestrator.workflows.test_review_endings import SKIP
from tests.support.notices import words
from tests.support.review_panel import (
    AFTER,
    DIFF,
    Submission,
    large_change,
    participant,
    sha,
    submission,
)
from tests.support.review_replies import Script, Step, critique, failure, finished, reply
from tests.support.simulator import Simulation

ANALYSES = {"critique.review": ReviewAnalysis, "critique.red-team": RedTeamAnalysis}
STRATEGIES = pytest.mark.parametrize("strategy", ["review", "red-team"])
RULES = Participant(name="rules", provider="rules", family="rules")


def analyser(name: str) -> Participant:
    return Participant(name=name, provider="analyser", tool=name)


def submitted(
    *critics: Participant, counts: bool = True, left_out: bool = False, **options: Any
) -> Submission:
    """A review of two added Python files, and perhaps of one that the capture left out."""
    after = sha(AFTER)
    lines = (LineRange(first=1, last=2),)
    files = [
        FileChange(path=path, status="added", after=after, changed=lines)
        for path in ("app.py", "b.py")
    ]
    if left_out:
        why = UnreadReason.TOO_LARGE
        files.append(FileChange(path="c.py", status="added", skipped="it is too large", unread=why))
    subject = Subject(
        title="x: y", diff=sha(DIFF.encode()), files=tuple(files), counts_unread=counts
    )
    body = subject.model_dump_json().encode()
    panel = Panel(critics=critics, author=RULES, chair=RULES)
    settings = ReviewOptions(**{"rounds": 5, "fail_on": Severity.MAJOR, **options})
    base = submission(panel=panel, options=settings)
    documents = {**base.documents, sha(body): body, after: AFTER}
    return Submission(base.spec.model_copy(update={"subject": sha(body)}), documents)


def analysis(step: Step, *read: str, **unread: UnreadReason) -> StepResult:
    """What an analyser without findings answers; `b_py=...` is b.py."""
    left = tuple(UnreadFile(path=n.replace("_", "."), reason=why) for n, why in unread.items())
    coverage = Coverage(read=read, unread=left)
    made = ANALYSES[step.reply_model](verdict="APPROVED", coverage=coverage)
    return StepResult(reply=json.loads(made.model_dump_json(exclude_defaults=True)))


def held(made: Submission, script: Script) -> tuple[Outcome, Simulation]:
    run = Simulation(start_workflow(made.spec, made.materials), script, lambda _ask: SKIP)
    return run.run(), run


def silent(step: Step) -> StepResult:
    """Everybody looks, and nobody has anything to say."""
    if isinstance(step, ToolRun) and step.role == "critique":
        return analysis(step, "app.py", "b.py")
    if step.role == "critique":
        return critique(step)
    return reply(step.reply_model) if step.role == "rebuttal" else finished(step)


def stopping(name: str, *rounds: int) -> Script:
    """The analyser `name` is stopped in these rounds whenever its tool is run."""

    def script(step: Step) -> StepResult:
        fails = isinstance(step, ToolRun) and step.participant == name and step.round in rounds
        return failure(FailureKind.TIMEOUT) if fails else silent(step)

    return script


def outcome_of_gate(made: Submission, outcome: Outcome) -> GateOutcome:
    result = gate_of(
        workflow_of(made.spec).gate_of(made.spec), outcome.findings, outcome.ending, outcome.result
    )
    return result.outcome


@STRATEGIES
def test_what_rules_alone_looked_at_has_passed_checks_and_is_not_approved(strategy: str) -> None:
    made = submitted(analyser("ruff"), analyser("bandit"), strategy=strategy)
    outcome, _ = held(made, silent)
    assert (outcome.verdict, outcome.ending) == (Verdict.CHECKS_PASSED, Ending.CONVERGED)
    assert outcome_of_gate(made, outcome) is GateOutcome.PASSED
    coverage = outcome.detail["coverage"]
    assert isinstance(coverage, dict)
    assert coverage["files"][0]["read_by"] == ["ruff", "bandit"]  # type: ignore[index,call-overload]


@STRATEGIES
def test_a_stopped_analyser_never_becomes_present_by_arguing_by_rule(strategy: str) -> None:
    made = submitted(analyser("ruff"), analyser("bandit"), analyser("diffcheck"), strategy=strategy)
    outcome, run = held(made, stopping("bandit", 1, 3, 5))
    assert outcome.verdict is Verdict.INCONCLUSIVE
    assert outcome.ending is not Ending.CONVERGED
    assert outcome_of_gate(made, outcome) is GateOutcome.INCONCLUSIVE
    # It looks again each time that the critics speak, and the others argue.
    kinds = {key: isinstance(step, ToolRun) for key, step in run.commands.items()}
    assert [kinds[f"critique/{n}/bandit"] for n in (1, 3, 5)] == [True, True, True]
    assert [kinds[f"critique/{n}/ruff"] for n in (1, 3)] == [True, False]


def test_an_analyser_that_succeeds_in_a_later_round_is_present() -> None:
    made = submitted(analyser("ruff"), analyser("bandit"), participant("ada"))
    outcome, run = held(made, stopping("bandit", 1))
    assert (outcome.verdict, outcome.ending) == (Verdict.APPROVED, Ending.CONVERGED)
    assert isinstance(run.commands["critique/3/bandit"], ToolRun)


@pytest.mark.parametrize("rounds", [1, 2])
def test_without_a_round_to_look_again_it_stays_missing(rounds: int) -> None:
    made = submitted(analyser("ruff"), analyser("bandit"), analyser("diffcheck"), rounds=rounds)
    outcome, _ = held(made, stopping("ruff", 1))
    assert outcome.verdict is Verdict.INCONCLUSIVE


@STRATEGIES
def test_an_analyser_that_cannot_parse_a_file_keeps_the_approval_away(strategy: str) -> None:
    def script(step: Step) -> StepResult:
        if isinstance(step, ToolRun) and step.participant == "bandit":
            return analysis(step, "app.py", b_py=UnreadReason.NOT_PARSED)
        return silent(step)

    made = submitted(
        analyser("bandit"), analyser("diffcheck"), participant("ada"), strategy=strategy
    )
    outcome, _ = held(made, script)
    assert (outcome.verdict, outcome.ending) == (Verdict.INCONCLUSIVE, Ending.CONVERGED)
    result = gate_of(
        workflow_of(made.spec).gate_of(made.spec), outcome.findings, outcome.ending, outcome.result
    )
    assert words(result.reason) == "analysis is missing: bandit on b.py"


def test_what_the_capture_left_out_keeps_models_from_approving() -> None:
    made = submitted(participant("ada"), participant("bert"), left_out=True)
    outcome, _ = held(made, silent)
    assert (outcome.verdict, outcome.ending) == (Verdict.INCONCLUSIVE, Ending.CONVERGED)
    result = gate_of(
        workflow_of(made.spec).gate_of(made.spec), outcome.findings, outcome.ending, outcome.result
    )
    assert words(result.reason) == "nobody read c.py"


def test_a_model_that_claims_to_have_read_it_changes_nothing() -> None:
    def script(step: Step) -> StepResult:
        result = silent(step)
        if step.role == "critique" and result.reply is not None:
            claimed = {**result.reply, "coverage": {"read": ["app.py", "b.py", "c.py"]}}
            return result.model_copy(update={"reply": claimed})
        return result

    outcome, _ = held(submitted(participant("ada"), participant("bert"), left_out=True), script)
    assert outcome.verdict is Verdict.INCONCLUSIVE


def test_a_quorum_set_by_hand_lets_an_analyser_be_missing_but_no_file_unread() -> None:
    cast = (analyser("ruff"), analyser("bandit"), analyser("diffcheck"))
    outcome, _ = held(submitted(*cast, quorum=2), stopping("bandit", 1, 3, 5))
    assert outcome.verdict is Verdict.CHECKS_PASSED
    outcome, _ = held(submitted(*cast, quorum=2, left_out=True), stopping("bandit", 1, 3, 5))
    assert outcome.verdict is Verdict.INCONCLUSIVE


def test_a_run_from_before_goes_on_and_replays_as_it_was_recorded() -> None:
    made = submitted(
        analyser("ruff"), analyser("bandit"), analyser("diffcheck"), counts=False, left_out=True
    )
    outcome, run = held(made, stopping("bandit", 1))
    assert not isinstance(run.commands["critique/3/bandit"], ToolRun)
    assert (outcome.verdict, outcome.detail["coverage"]) == (Verdict.APPROVED, None)


def test_a_replay_under_the_same_rules_comes_to_the_same_coverage() -> None:
    made = submitted(analyser("ruff"), analyser("bandit"), analyser("diffcheck"), left_out=True)
    outcome, run = held(made, stopping("bandit", 1))
    walked = recompute(start_workflow(made.spec, made.materials), run.journal)
    assert walked.outcome == outcome


# ---- who looked ---------------------------------------------------------------------------------

PERSON = Participant(name="me", provider="person")
MODEL = Participant(name="ada", provider="openai", model="m", family="x")
SMALL = Participant(
    name="tiny", provider="openai", model="s", family="x", context_tokens=20_000, max_output_tokens=8_000
)  # fmt: skip


@pytest.mark.parametrize("reader", [PERSON, MODEL, participant("stub")], ids=lambda one: one.name)
def test_one_reader_who_is_no_rule_makes_an_approval_of_it(reader: Participant) -> None:
    outcome, _ = held(submitted(analyser("ruff"), reader), silent)
    assert outcome.verdict is Verdict.APPROVED
    coverage = outcome.result.coverage  # type: ignore[attr-defined]
    assert coverage.reviewed
    assert {row.participant: row.kind.value for row in coverage.readers} == {
        "ruff": "rules",
        reader.name: {"me": "person", "ada": "model", "stub": "scripted"}[reader.name],
    }


@pytest.mark.parametrize("reader", [PERSON, MODEL], ids=lambda one: one.name)
def test_a_reader_that_never_answered_has_looked_at_nothing(reader: Participant) -> None:
    def named(step: Step) -> StepResult:
        name = step.participant if isinstance(step, ToolRun) else step.participant.name
        return failure(FailureKind.REFUSAL) if name == reader.name else silent(step)

    made = submitted(analyser("ruff"), analyser("bandit"), reader, quorum=2, require_reviewer=True)
    outcome, _ = held(made, named)
    assert outcome.verdict is not Verdict.APPROVED
    assert outcome_of_gate(made, outcome) is GateOutcome.INCONCLUSIVE
    (row,) = (r for r in outcome.result.coverage.readers if r.participant == reader.name)  # type: ignore[attr-defined]
    assert (row.files, row.failed) == ((), UnreadReason.FAILED)


@pytest.mark.parametrize(
    ("required", "expected"), [(False, GateOutcome.PASSED), (True, GateOutcome.INCONCLUSIVE)]
)
@pytest.mark.parametrize("fail_on", [Severity.MAJOR, None])
def test_a_gate_may_ask_for_a_reviewer(
    required: bool, expected: GateOutcome, fail_on: Severity | None
) -> None:
    made = submitted(
        analyser("ruff"), analyser("bandit"), require_reviewer=required, fail_on=fail_on
    )
    outcome, _ = held(made, silent)
    without_gate = expected if required else GateOutcome.NOT_SET
    assert outcome_of_gate(made, outcome) is (expected if fail_on else without_gate)


def test_a_gate_that_asks_for_a_reviewer_passes_where_one_has_read() -> None:
    made = submitted(analyser("ruff"), MODEL, require_reviewer=True)
    outcome, _ = held(made, silent)
    assert outcome_of_gate(made, outcome) is GateOutcome.PASSED


def test_a_run_of_the_original_rules_keeps_its_verdict_and_its_coverage() -> None:
    made = submitted(analyser("ruff"), analyser("bandit"))
    spec = made.spec.model_copy(update={"rules_version": RulesVersion.ORIGINAL})
    outcome, _ = held(Submission(spec, made.documents), silent)
    assert outcome.verdict is Verdict.APPROVED
    coverage = outcome.detail["coverage"]
    assert isinstance(coverage, dict)
    assert set(coverage) == {"files", "absent"}


def test_of_a_large_change_each_reader_has_the_lines_that_it_was_shown() -> None:
    """A file of which no piece fits is read by rules alone, and named."""
    name, documents = large_change(files=3, lines=400)
    panel = Panel(critics=(analyser("ruff"), SMALL), author=RULES, chair=RULES)
    made = submission(panel=panel, change=(name, documents), options=ReviewOptions(rounds=3))

    def script(step: Step) -> StepResult:
        if isinstance(step, ToolRun) and step.role == "critique":
            return analysis(step, *(f"pkg/part{n:03}.py" for n in range(3)))
        return critique(step) if step.role == "critique" else finished(step)

    outcome, _ = held(made, script)
    assert outcome.verdict is Verdict.APPROVED
    (row,) = (r for r in outcome.result.coverage.readers if r.participant == "tiny")  # type: ignore[attr-defined]
    assert {file.path for file in row.files} == {f"pkg/part{n:03}.py" for n in range(3)}
    assert all(file.lines and not file.whole for file in row.files)

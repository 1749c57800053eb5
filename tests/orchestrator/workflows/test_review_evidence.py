"""What code checks of findings after the discussion: it is kept, shown, and decides nothing."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from orchestrator.core.findings.verdict import GateOutcome, GateRule, gate_of
from orchestrator.core.replay.commands import Outcome, ToolRun, Turn
from orchestrator.core.results import TestsOutcome
from orchestrator.workflows.registry import start_workflow
from orchestrator.workflows.review.options import ReviewOptions
from orchestrator.workflows.review.result import ReviewResult
from shared.models.decision import DecisionAnswer
from shared.models.findings import Ground, Severity
from shared.models.run import RulesVersion
from shared.models.steps import StepResult
from tests.support.review_panel import PATCH, Submission, sha, submission
from tests.support.review_replies import Step, critique, failure, finding, finished, reply
from tests.support.simulator import Simulation

SKIP = DecisionAnswer(choice="skip", actor="somebody", channel="cli")
CALLED = b"def read(x):\n    return eval(x)\n\n\ndef load(y):\n    return read(y)\n"
ONE_ROUND = ReviewOptions(rounds=1)


def with_caller(run: Submission) -> Submission:
    """The same review, of a file in which `load` calls `read`."""
    after = next(
        name
        for name, text in run.documents.items()
        if text.startswith(b"def f(x):\n    return eval")
    )
    subject = run.documents[run.spec.subject].replace(after.encode(), sha(CALLED).encode())
    documents = {**run.documents, sha(CALLED): CALLED, sha(subject): subject}
    return replace(
        run, spec=run.spec.model_copy(update={"subject": sha(subject)}), documents=documents
    )


def one_voice(step: Step, **fields: object) -> StepResult:
    if step.role == "critique":
        first = step.key.endswith("critic1") and step.round == 1
        return critique(step, [finding(**fields)] if first else [])  # type: ignore[arg-type]
    if step.reply_model == "tests.ran":
        return reply("tests.ran", before={"code": 0})
    return finished(step)


def ended(run: Submission, answers: object) -> tuple[Outcome, Simulation]:
    simulation = Simulation(start_workflow(run.spec, run.materials), answers, lambda _: SKIP)  # type: ignore[arg-type]
    return simulation.run(), simulation


def evidence(outcome: Outcome) -> dict[str, tuple[Ground, ...]]:
    assert isinstance(outcome.result, ReviewResult)
    return outcome.result.evidence


def test_a_patch_of_what_nobody_decided_is_tried_and_never_offered() -> None:
    outcome, simulation = ended(
        submission(options=ONE_ROUND), lambda step: one_voice(step, patch=PATCH)
    )
    assert evidence(outcome) == {"F1": (Ground.PATCH,)}
    assert "patches/check" in simulation.steps
    assert isinstance(outcome.result, ReviewResult)
    assert not outcome.result.fixes or not outcome.result.fixes.patch


@pytest.mark.parametrize("fails", [True, False])
def test_a_patch_that_does_not_apply_or_was_not_tried_is_no_evidence(fails: bool) -> None:
    def refused(step: Step) -> StepResult:
        if isinstance(step, ToolRun) and step.key == "patches/check":
            proposals = step.stored_inputs()["fixes"]
            fixes = [{**fix, "problem": "it does not apply"} for fix in proposals]  # type: ignore[union-attr, dict-item]
            return failure() if fails else reply("fixes.checked", fixes=fixes, patch="")
        return one_voice(step, patch=PATCH)

    outcome, _ = ended(submission(options=ONE_ROUND), refused)
    assert evidence(outcome) == {}


def test_a_caller_that_is_in_the_change_is_evidence() -> None:
    run = with_caller(submission(options=ONE_ROUND))
    named, _ = ended(run, lambda step: one_voice(step, title="`load()` hands anything to `read()`"))
    assert evidence(named) == {"F1": (Ground.CALLERS,)}
    invented, _ = ended(
        run, lambda step: one_voice(step, title="`save()` hands anything to `read()`")
    )
    assert evidence(invented) == {}


def test_evidence_changes_neither_status_nor_verdict() -> None:
    run = with_caller(submission(options=ONE_ROUND))
    with_it, _ = ended(
        run, lambda step: one_voice(step, title="`load()` hands anything to `read()`")
    )
    without, _ = ended(
        run, lambda step: one_voice(step, title="`save()` hands anything to `read()`")
    )
    assert with_it.verdict == without.verdict
    assert with_it.findings[0].status == without.findings[0].status


def test_a_run_of_earlier_rules_asks_for_nothing_more_and_keeps_nothing() -> None:
    run = submission(options=ONE_ROUND)
    old = replace(run, spec=run.spec.model_copy(update={"rules_version": RulesVersion.ORIGINAL}))
    outcome, simulation = ended(old, lambda step: one_voice(step, patch=PATCH))
    assert "patches/check" not in simulation.steps
    assert evidence(outcome) == {}


def with_tests(step: Step, before: int | None, after: int | None) -> StepResult:
    """Somebody's patch, and what the project's tests come to without and with it."""
    if step.reply_model == "tests.ran":
        runs = [{"findings": ["F1"], "code": after}]
        return reply("tests.ran", before={"code": before}, runs=runs)
    return one_voice(step, patch=PATCH)


TESTED = ReviewOptions(rounds=1, tests="make test")


@pytest.mark.parametrize(
    ("before", "after", "grounds", "warned"),
    [
        (1, 0, (Ground.PATCH, Ground.TESTS), "review_tests_fail"),
        (0, 0, (Ground.PATCH,), None),
        (0, 1, None, "review_tests_broken"),
        (1, 1, (Ground.PATCH,), "review_tests_fail"),
        (None, 0, (Ground.PATCH,), "review_tests_unended"),
        (1, None, (Ground.PATCH,), "review_tests_fail"),
    ],
)
def test_a_patch_that_changes_what_the_tests_come_to_counts_most_and_one_that_breaks_them_not_at_all(
    before: int | None, after: int | None, grounds: tuple[Ground, ...] | None, warned: str | None
) -> None:
    outcome, simulation = ended(
        submission(options=TESTED), partial(with_tests, before=before, after=after)
    )
    assert "tests/run" in simulation.steps
    assert evidence(outcome).get("F1") == grounds
    told = {warning.code for warning in outcome.warnings if warning.code.startswith("review_tests")}
    told -= {"review_tests_say"}
    assert told == ({warned} if warned else set())


def test_nothing_of_the_project_is_run_without_the_switch() -> None:
    _, unswitched = ended(submission(options=ONE_ROUND), lambda step: one_voice(step, patch=PATCH))
    assert "tests/run" not in unswitched.steps


@pytest.mark.parametrize(
    ("code", "outcome", "gated", "code_told"),
    [
        (0, TestsOutcome.PASSED, GateOutcome.PASSED, "gate_converged"),
        (1, TestsOutcome.FAILED, GateOutcome.TRIPPED, "gate_tests_failed"),
        (None, TestsOutcome.UNKNOWN, GateOutcome.INCONCLUSIVE, "gate_tests_unknown"),
    ],
)
def test_the_projects_tests_are_run_without_a_patch_and_hold_the_gate_where_they_fail(
    code: int | None, outcome: TestsOutcome, gated: GateOutcome, code_told: str
) -> None:
    def fine(step: Step) -> StepResult:
        if step.reply_model == "tests.ran":
            return reply("tests.ran", before={"code": code, "told": "1 passed\n\n\n2 failed\n"})
        return critique(step, []) if step.role == "critique" else finished(step)

    done, simulation = ended(submission(options=TESTED), fine)
    assert "tests/run" in simulation.steps
    result = done.result
    assert isinstance(result, ReviewResult)
    assert result.tests is outcome
    gate = gate_of(GateRule(Severity.CRITICAL), (), done.ending, result)
    assert (gate.outcome, gate.reason.code) == (gated, code_told)
    assert gate_of(GateRule(None), (), done.ending, result).outcome is GateOutcome.NOT_SET
    says = [w.params["end"] for w in done.warnings if w.code == "review_tests_say"]
    assert says == (["1 passed / 2 failed"] if code == 1 else [])


PROBE = {"path": "tests/test_read.py", "text": "def test_read():\n    assert False\n"}


def with_supplied(step: Step, **codes: int | None) -> StepResult:
    """Somebody's test of a finding, and what it comes to; all other tests pass."""
    if step.reply_model == "tests.ran":
        return reply("tests.ran", before={"code": 0}, reproductions=[{"finding": "F1", **codes}])
    return one_voice(step, test=PROBE)


@pytest.mark.parametrize(
    ("codes", "grounds"),
    [
        ({"reviewed": 1, "before": 0}, (Ground.REPRODUCED, Ground.TESTS)),
        ({"reviewed": 1, "patched": 0}, (Ground.REPRODUCED, Ground.TESTS)),
        ({"reviewed": 1, "before": 1, "patched": 1}, (Ground.REPRODUCED,)),
        ({"reviewed": 1}, (Ground.REPRODUCED,)),
        ({"reviewed": 0, "before": 0}, None),
        ({"reviewed": None, "before": 0}, None),
    ],
)
def test_a_supplied_test_counts_as_far_as_it_fails_for_the_finding_s_reason(
    codes: dict[str, int | None], grounds: tuple[Ground, ...] | None
) -> None:
    outcome, simulation = ended(submission(options=TESTED), partial(with_supplied, **codes))
    ran = simulation.commands["tests/run"]
    assert isinstance(ran, ToolRun)
    assert ran.stored_inputs()["tests"] == [{"finding": "F1", "test": PROBE}]
    assert evidence(outcome).get("F1") == grounds
    assert outcome.findings[0].test_by == "critic1"


@pytest.mark.parametrize("test", ["def test(): ...", {"path": "x"}, {"path": "", "text": "y"}, 7])
def test_a_malformed_test_costs_the_finding_nothing(test: object) -> None:
    outcome, simulation = ended(submission(options=TESTED), lambda step: one_voice(step, test=test))
    assert [finding.test for finding in outcome.findings] == [None]
    ran = simulation.commands["tests/run"]
    assert isinstance(ran, ToolRun)
    assert ran.stored_inputs()["tests"] == []


def test_critics_are_asked_for_tests_only_where_the_project_s_tests_are_run() -> None:
    for options, asked in ((TESTED, True), (ONE_ROUND, False)):
        _, simulation = ended(submission(options=options), one_voice)
        turns = [step for step in simulation.commands.values() if isinstance(step, Turn)]
        critiques = [step for step in turns if step.role == "critique"]
        assert critiques
        for step in critiques:
            texts = [part.text or "" for part in step.prompt().user]
            assert any("- test: path" in text for text in texts) is asked


def test_tests_that_could_not_be_run_are_named_and_change_nothing() -> None:
    def failing(step: Step) -> StepResult:
        return failure() if step.reply_model == "tests.ran" else one_voice(step, patch=PATCH)

    outcome, _ = ended(submission(options=TESTED), failing)
    assert evidence(outcome) == {"F1": (Ground.PATCH,)}
    assert "review_tests_not_run" in {warning.code for warning in outcome.warnings}

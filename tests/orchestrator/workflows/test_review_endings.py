"""The review workflow with scripted panels: every ending that the design names, and what follows from it."""

import hashlib
from typing import Any

import pytest

from orchestrator.core.replay.commands import Decide, Outcome, ToolRun, Turn
from orchestrator.workflows.registry import start_workflow
from orchestrator.workflows.review.options import ReviewOptions
from shared.errors import ReplayMismatch
from shared.models.decision import DecisionAnswer
from shared.models.outcomes import Ending, FailureKind, Verdict
from shared.models.panel import Panel
from shared.models.run import DecisionPolicy
from shared.models.steps import StepResult
from tests.support.notices import all_words
from tests.support.review_panel import PATCH, Submission, participant, submission
from tests.support.review_replies import (
    Script,
    Step,
    critique,
    failure,
    finding,
    finished,
    reply,
    stances,
)
from tests.support.simulator import Simulation

STRATEGIES = pytest.mark.parametrize("strategy", ["review", "red-team"])
QUOTE = "return eval(x)"
SKIP = DecisionAnswer(choice="skip", actor="somebody", channel="cli")
APPLY = DecisionAnswer(choice="apply_fix", actor="somebody", channel="cli")


def hold(
    submitted: Submission, script: Script, *answers: DecisionAnswer
) -> tuple[Outcome, Simulation]:
    """The run's outcome with these results; questions are answered one after another, the last answer again."""
    left = list(answers) or [SKIP]

    def answer(_ask: Decide) -> DecisionAnswer:
        return left.pop(0) if len(left) > 1 else left[0]

    start = start_workflow(submitted.spec, submitted.materials)
    run = Simulation(start, script, answer)
    return run.run(), run


def options(**fields: Any) -> ReviewOptions:
    return ReviewOptions(**{"rounds": 5, **fields})


def conceding(step: Step) -> StepResult:
    """Two critics find the same, the author concedes, the critics stand by it."""
    match step.role, step.round:
        case "critique", 1:
            return critique(step, [finding()])
        case "critique", _:
            return critique(step, said=stances("agree", "F1"))
        case "rebuttal", _:
            return reply(step.reply_model, stances=stances("agree", "F1"))
    return finished(step)


def quarrelling(step: Step) -> StepResult:
    """Nobody gives way, and everybody always finds other words."""
    words = f"{step.key} {hashlib.sha256(step.key.encode()).hexdigest()}"
    match step.role, step.round:
        case "critique", 1:
            found = [finding()] if step.key.endswith("critic1") else []
            return critique(step, found)
        case "critique", _:
            position = "agree" if step.key.endswith("critic1") else "disagree"
            return critique(step, said=stances(position, "F1", reason=words, quote=QUOTE))
        case "rebuttal", _:
            said = stances("disagree", "F1", reason=words, quote=QUOTE)
            return reply(step.reply_model, stances=said)
    return finished(step)


@STRATEGIES
def test_no_finding_at_all_converges_in_the_first_round(strategy: str) -> None:
    def script(step: Step) -> StepResult:
        return critique(step) if step.role == "critique" else finished(step)

    outcome, run = hold(submission(options=options(strategy=strategy)), script)

    assert (outcome.verdict, outcome.ending) == (Verdict.APPROVED, Ending.CONVERGED)
    assert run.stages == [
        ("critique/1/critic1", "critique/1/critic2"),
        ("synthesis/chair",),
    ]
    assert run.phases == ["Reviewing", "Synthesizing", "Executing"]


@STRATEGIES
def test_an_author_who_concedes_everything_makes_it_converge_in_the_third_round(
    strategy: str,
) -> None:
    outcome, run = hold(submission(options=options(strategy=strategy)), conceding)

    assert outcome.ending is Ending.CONVERGED
    assert outcome.verdict is Verdict.NEEDS_FIX
    assert sorted(run.records) == ["round/1", "round/2", "round/3"]
    assert [f.id for f in outcome.findings] == ["F1"]
    assert outcome.findings[0].raised_by == ("critic1", "critic2")


def test_positions_that_stand_without_agreement_are_stalled_and_never_approved() -> None:
    outcome, run = hold(submission(options=options()), quarrelling)

    assert outcome.ending is Ending.STALLED
    assert outcome.verdict is not Verdict.APPROVED
    assert len(run.records) < 5


def test_the_same_words_again_are_looping() -> None:
    def script(step: Step) -> StepResult:
        match step.role:
            case "critique" if step.key.endswith("critic1"):
                return critique(step, [finding()])
            case "critique":
                words = "the change is short, and whoever calls it has checked the text before"
                return reply(step.reply_model, verdict="APPROVED", summary=words)
            case "rebuttal":
                return reply(step.reply_model, defended_points=[{"point": "callers check"}])
        return finished(step)

    outcome, run = hold(submission(options=options()), script)

    assert outcome.ending is Ending.LOOPING
    assert outcome.verdict is not Verdict.APPROVED
    assert len(run.records) == 3


def test_there_and_back_again_is_oscillating() -> None:
    swing = {1: "agree", 3: "disagree", 5: "agree"}

    def script(step: Step) -> StepResult:
        words = f"{step.key} {hashlib.sha256(step.key.encode()).hexdigest()}"
        match step.role:
            case "critique":
                found = [finding()] if step.round == 1 else []
                said = stances(swing[step.round], "F1", reason=words) if step.round > 1 else []
                return critique(step, found, said)
            case "rebuttal":
                return reply(step.reply_model, stances=stances("disagree", "F1", reason=words))
        return finished(step)

    outcome, _run = hold(submission(options=options(rounds=7)), script)

    assert outcome.ending is Ending.OSCILLATING


def test_the_last_round_without_an_end_is_exhausted() -> None:
    outcome, run = hold(submission(options=options(rounds=2)), quarrelling)

    assert outcome.ending is Ending.EXHAUSTED
    assert outcome.verdict is not Verdict.APPROVED
    assert sorted(run.records) == ["round/1", "round/2"]


@pytest.mark.parametrize("kind", [FailureKind.TIMEOUT, FailureKind.UNPARSEABLE, FailureKind.EMPTY])
def test_a_silent_panel_is_degraded_and_inconclusive(kind: FailureKind) -> None:
    outcome, run = hold(submission(), lambda _step: failure(kind))

    assert (outcome.verdict, outcome.ending) == (Verdict.INCONCLUSIVE, Ending.DEGRADED)
    assert run.stages == [("critique/1/critic1", "critique/1/critic2")]
    assert outcome.summary == "Nobody answered."
    assert len(all_words(outcome.warnings)) == 2


def test_one_silent_critic_of_two_is_no_approval() -> None:
    def script(step: Step) -> StepResult:
        if step.key.endswith("critic2"):
            return failure()
        return critique(step) if step.role == "critique" else finished(step)

    outcome, _run = hold(submission(options=options()), script)

    assert outcome.verdict is Verdict.INCONCLUSIVE
    assert outcome.ending is Ending.DEGRADED


def test_a_budget_that_is_used_up_ends_the_discussion_and_asks_no_model_any_more() -> None:
    def script(step: Step) -> StepResult:
        if step.round == 1:
            return critique(step, [finding(patch=PATCH)])
        assert not isinstance(step, Turn) or step.role == "rebuttal"
        return failure(FailureKind.OVER_BUDGET) if isinstance(step, Turn) else finished(step)

    outcome, _run = hold(submission(options=options()), script)

    assert outcome.ending is Ending.OVER_BUDGET
    assert outcome.verdict is not Verdict.APPROVED
    assert outcome.detail["synthesised_by"] == "fallback"


def test_when_the_chair_fails_the_findings_are_counted_by_code_and_say_so() -> None:
    def script(step: Step) -> StepResult:
        return failure() if step.reply_model == "synthesis" else conceding(step)

    outcome, _run = hold(submission(options=options()), script)

    assert outcome.detail["synthesised_by"] == "fallback"
    head = "Rule-based synthesis (counted by code, the chair failed): "
    assert outcome.summary.startswith(head)
    assert "# critic1" not in outcome.summary
    counted = outcome.detail["synthesis"]
    listed = [*counted["consensus"], *counted["resolved_issues"], *counted["remaining_concerns"]]
    assert sorted(one.split()[0] for one in listed) == sorted(one.id for one in outcome.findings)
    assert listed
    assert any("chair could not synthesise" in warning for warning in all_words(outcome.warnings))


def test_the_first_round_is_blind_and_the_later_ones_see_findings_without_names() -> None:
    seen: dict[str, str] = {}

    def script(step: Step) -> StepResult:
        if isinstance(step, Turn):
            parts = step.prompt().user
            seen[step.key] = "\n".join(f"{part.fence}: {part.text}" for part in parts)
        return conceding(step)

    hold(submission(options=options()), script)

    assert "\nfindings: " not in seen["critique/1/critic1"]
    assert "\nfindings: F1" in seen["critique/3/critic1"]
    assert "eval of input" in seen["rebuttal/2/author"]
    assert "F1: agree" in seen["critique/3/critic1"]
    assert not any(
        name in seen["critique/3/critic1"] for name in ("critic1", "critic2", "author: ")
    )


def test_only_contested_findings_are_debated_further_and_the_author_answers_all_of_them_once() -> (
    None
):
    seen: dict[str, str] = {}

    def script(step: Step) -> StepResult:
        if isinstance(step, Turn):
            seen[step.key] = "\n".join(part.text or "" for part in step.prompt().user)
        match step.role, step.round:
            case "critique", 1:
                alone = [finding("slow loop", 1)] if step.key.endswith("critic1") else []
                return critique(step, [finding(), *alone])
            case "critique", _:
                return critique(step, said=stances("agree", "F2"))
            case "rebuttal", _:
                said = [*stances("agree", "F1"), *stances("disagree", "F2", quote=QUOTE)]
                return reply(step.reply_model, stances=said)
        return finished(step)

    hold(submission(options=options()), script)

    assert "F1 [" in seen["rebuttal/2/author"], "all critics raised it, and the author has the word"
    assert "F2 [" in seen["rebuttal/2/author"]
    assert "Settled and not to be debated again: F1 accepted." in seen["critique/3/critic2"]
    assert "F1 [" not in seen["critique/3/critic2"]
    assert "F2 [" in seen["critique/3/critic2"]


def test_the_chair_sees_letters_and_the_map_is_kept() -> None:
    outcome, run = hold(submission(options=options()), conceding)

    step = run.commands["synthesis/chair"]
    assert isinstance(step, Turn)
    text = "\n".join(part.text or "" for part in step.prompt().user)
    labels: Any = outcome.detail["labels"]
    assert labels["1"].keys() == {"A", "B", "author"}
    assert not [name for name in ("critic1", "critic2") if name in text]
    assert "# A, critique, round 1" in text
    assert "# author, rebuttal, round 2" in text


def test_skip_applies_nothing() -> None:
    outcome, run = hold(submission(options=options()), conceding, SKIP)

    assert run.phases[-2:] == ["WaitingForReviewDecision", "Executing"]
    assert "apply" not in run.steps
    assert outcome.detail["applied"] == []


def test_apply_fix_applies_exactly_what_was_shown() -> None:
    outcome, run = hold(submission(options=options()), conceding, APPLY)

    asked = run.questions["decision"].question
    apply = run.commands["apply"]
    assert isinstance(apply, ToolRun)
    inputs: Any = apply.stored_inputs()
    shown: Any = asked.shown["fixes"]
    assert inputs["approved"] == hashlib.sha256(shown["patch"].encode()).hexdigest()
    assert asked.selectable == ("F1",)
    assert run.phases[-2:] == ["Fixing", "Executing"]
    assert len(outcome.detail["applied"]) == 1  # type: ignore[arg-type]
    assert outcome.detail["standing"] == []


def test_an_applied_fix_is_reviewed_again_but_no_more_than_asked_for() -> None:
    submitted = submission(options=options(max_reviews=3))

    def script(step: Step) -> StepResult:
        if step.reply_model == "applied":
            return finished(step, subject=submitted.spec.subject)
        return conceding(step)

    outcome, run = hold(submitted, script, APPLY)

    assert outcome.detail["reviews"] == 3
    assert list(run.questions) == [
        "decision",
        "review2/decision",
        "review3/decision",
    ]
    assert run.questions["review2/decision"].question.selectable == ("R2F1",)
    assert [f.id for f in outcome.findings] == ["F1", "R2F1", "R3F1"]
    assert run.phases.count("Reviewing") == 3


def test_a_selection_is_combined_and_checked_anew() -> None:
    def script(step: Step) -> StepResult:
        if step.role == "critique" and step.round == 1:
            found = [finding(patch=PATCH), finding("name shadows a builtin", 1, patch="another")]
            return critique(step, found)
        if step.role in ("critique", "rebuttal"):
            said = stances("agree", "F1", "F2")
            if step.role == "critique":
                return critique(step, said=said)
            return reply(step.reply_model, stances=said)
        patch = "selected" if step.key == "selected-fixes/check" else PATCH
        return finished(step, patch=patch)

    only_one = APPLY.model_copy(update={"only": ("F1",)})
    _outcome, run = hold(submission(options=options()), script, only_one)

    check, apply = run.commands["selected-fixes/check"], run.commands["apply"]
    assert isinstance(check, ToolRun)
    assert isinstance(apply, ToolRun)
    chosen: Any = check.stored_inputs()["fixes"]
    assert [fix["findings"] for fix in chosen] == [["F1"]]
    assert apply.stored_inputs()["approved"] == hashlib.sha256(b"selected").hexdigest()


def test_a_policy_answers_at_once_and_nobody_is_asked() -> None:
    policy = DecisionPolicy(mode="apply_fix")
    outcome, run = hold(submission(options=options(), decision=policy), conceding)

    assert run.questions == {}
    assert "apply" in run.steps
    decided: Any = outcome.detail["decision"]
    assert decided["channel"] == "policy"


def test_a_fix_that_cannot_be_applied_is_said_and_stands() -> None:
    def script(step: Step) -> StepResult:
        if step.reply_model == "applied":
            return failure(FailureKind.TOOL_ERROR)
        return conceding(step)

    outcome, _run = hold(submission(options=options()), script, APPLY)

    assert outcome.detail["applied"] == []
    assert outcome.detail["standing"] == ["F1"]
    assert any("the fix was not applied" in warning for warning in all_words(outcome.warnings))


def test_an_analyser_looks_with_its_tool_and_argues_by_rule() -> None:
    panel = Panel(
        critics=(participant("ruff", "analyser", tool="ruff"), participant("claude")),
        author=participant("author", "rules"),
        chair=participant("chair", "rules"),
    )
    outcome, run = hold(submission(options=options(), panel=panel), conceding)

    receipt: Any = outcome.detail["receipt"]
    bill = receipt["first_round"]["by"]
    assert bill["ruff"]["cost_usd"] == 0.0, "what computes costs nothing"
    assert bill["claude"]["cost_usd"] is None, "what a model's answer cost is not known here"
    assert isinstance(run.commands["critique/1/ruff"], ToolRun)
    assert isinstance(run.commands["critique/1/claude"], Turn)
    assert isinstance(run.commands["critique/3/ruff"], Turn)
    assert not any(key.startswith("fix/") for key in run.steps)


def test_another_version_of_the_workflow_is_not_guessed_at() -> None:
    submitted = submission(version=99)

    with pytest.raises(ReplayMismatch, match="no workflow 'review' of version 99"):
        start_workflow(submitted.spec, submitted.materials)

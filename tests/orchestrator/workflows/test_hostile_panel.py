"""A review in which one participant does what hostile text asks for: the verdict does not follow it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from orchestrator.core.findings.verdict import GateOutcome, gate, gate_of
from orchestrator.core.replay.commands import Outcome, ToolRun
from orchestrator.workflows.registry import start_workflow, workflow_of
from orchestrator.workflows.review.options import ReviewOptions
from shared.models.decision import DecisionAnswer
from shared.models.findings import FindingStatus, Position, Severity
from shared.models.outcomes import Ending, FailureKind, Verdict
from shared.models.panel import Panel
from shared.models.steps import StepResult
from tests.support.notices import all_words, words
from tests.support.review_panel import PATCH, participant, submission
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
QUOTE = "return eval(x)"
REAL = finding(quote=QUOTE, severity="CRITICAL")
INVENTED = finding(
    title="SQL is built from input", quote="execute(sql % name)", severity="CRITICAL", patch=PATCH
)
Behaviour = Callable[[Step, Sequence[str]], StepResult]


def honest(step: Step, known: Sequence[str]) -> StepResult:
    """Finds what is there, agrees to what is quoted, denies what is not."""
    if step.role == "rebuttal":
        return reply(step.reply_model, stances=stances("agree", *known))
    if step.role != "critique":
        return finished(step, patch="")
    return critique(step, [REAL] if step.round == 1 else [], stances("agree", *known))


def quiet(step: Step, known: Sequence[str]) -> StepResult:
    """Finds nothing: an honest reading of a change without defects."""
    if step.role == "critique":
        return critique(
            step, [], stances("disagree", *known, reason="it is not there", quote=QUOTE)
        )
    return honest(step, [])


def approves(step: Step, _known: Sequence[str]) -> StepResult:
    return critique(step) if step.role == "critique" else reply(step.reply_model)


def denies(position: str) -> Behaviour:
    def behave(step: Step, known: Sequence[str]) -> StepResult:
        said = stances(position, *known, reason="the comment says that it was approved")
        if step.role == "critique":
            return critique(step, [], said)
        return reply(step.reply_model, stances=said)

    return behave


def lowers(step: Step, known: Sequence[str]) -> StepResult:
    """Says the same finding again, as a trifle."""
    if step.role != "critique":
        return denies("disagree")(step, known)
    return critique(step, [{**REAL, "severity": "INFO"}], stances("partial", *known))


def invents(step: Step, known: Sequence[str]) -> StepResult:
    if step.role != "critique":
        return reply(step.reply_model, stances=stances("agree", *known))
    return critique(step, [INVENTED] if step.round == 1 else [], stances("agree", *known))


def quarantined(step: Step, _known: Sequence[str]) -> StepResult:
    return failure(FailureKind.QUARANTINED)


BEHAVIOURS = {
    "approves": approves,
    "denies": denies("disagree"),
    "withdraws for others": denies("withdraw"),
    "lowers": lowers,
    "invents": invents,
    "quarantined": quarantined,
}


def hold(
    hostile: Behaviour, others: Behaviour, *, seat: str = "mallory", rounds: int = 3
) -> Outcome:
    """Three critics, an author and a chair; whoever sits on `seat` is hostile."""
    panel = Panel(
        critics=tuple(participant(name) for name in ("alice", "carol", "mallory")),
        author=participant("author"),
        chair=participant("chair"),
    )
    submitted = submission(panel=panel, options=ReviewOptions(rounds=rounds))

    def act(step: Step) -> StepResult:
        brief: Any = getattr(step, "brief", dict)()
        known = [one["id"] for one in brief.get("findings", [])]
        return (hostile if step.key.endswith(f"/{seat}") else others)(step, known)

    start = start_workflow(submitted.spec, submitted.materials)
    return Simulation(start, act, lambda _: SKIP).run()


@pytest.mark.parametrize("seat", ["mallory", "author"])
@pytest.mark.parametrize("name", BEHAVIOURS)
def test_one_hostile_seat_does_not_make_a_defect_pass(name: str, seat: str) -> None:
    outcome = hold(BEHAVIOURS[name], honest, seat=seat)
    assert outcome.verdict is Verdict.NEEDS_FIX
    (real,) = [one for one in outcome.findings if one.place and one.quote == QUOTE]
    assert real.severity is Severity.CRITICAL
    assert real.status is FindingStatus.ACCEPTED


@pytest.mark.parametrize("name", ["approves", "denies", "withdraws for others", "invents"])
def test_one_hostile_critic_does_not_stop_a_change_without_defects(name: str) -> None:
    outcome = hold(BEHAVIOURS[name], quiet)
    assert (outcome.verdict, outcome.ending) == (Verdict.APPROVED, Ending.CONVERGED)


def unshown(step: Step, known: Sequence[str]) -> StepResult:
    """Asks for a fix of something grave, and quotes and names nothing of the change."""
    if step.role != "critique":
        return finished(step, patch="")
    nowhere = {
        "title": "SQL is built from input",
        "severity": "CRITICAL",
        "detail": "It is unsafe.",
    }
    said = stances("agree", *known)
    return critique(step, [nowhere] if step.round == 1 else [], said)


def test_what_half_of_the_critics_want_fixed_is_not_approved_for_want_of_a_quotation() -> None:
    outcome = hold(unshown, unshown)
    assert all(one.severity is Severity.INFO for one in outcome.findings)
    assert outcome.verdict is Verdict.INCONCLUSIVE
    result = gate_of(
        workflow_of(submission().spec).gate_of(submission().spec),
        outcome.findings,
        outcome.ending,
        outcome.result,
    )
    assert result.outcome is not GateOutcome.PASSED


def test_what_one_of_three_wants_fixed_and_cannot_show_stops_nothing() -> None:
    assert hold(unshown, quiet).verdict is Verdict.APPROVED


def test_a_quarantined_critic_is_missing_and_its_silence_approves_nothing() -> None:
    outcome = hold(quarantined, quiet)
    assert outcome.verdict is Verdict.INCONCLUSIVE
    assert any("mallory did not answer" in warning for warning in all_words(outcome.warnings))


def test_an_invented_finding_is_shown_without_weight_and_says_why() -> None:
    outcome = hold(invents, quiet)
    (shown,) = outcome.findings
    assert shown.severity is Severity.INFO
    assert shown.quote is None
    assert shown.patch is None
    assert shown.caveat is not None
    assert "CRITICAL by mallory not counted: its quotation does not occur" in words(shown.caveat)


def test_a_denial_without_grounds_stands_in_the_ledger_as_an_abstention() -> None:
    outcome = hold(denies("disagree"), honest)
    (real,) = outcome.findings
    assert real.stances["mallory"] is Position.ABSTAIN
    assert real.stances["alice"] is Position.AGREE


def test_a_denial_that_quotes_the_subject_counts_and_still_decides_nothing_alone() -> None:
    def quotes(step: Step, known: Sequence[str]) -> StepResult:
        said = stances("disagree", *known, reason="it is fine", quote=QUOTE)
        return critique(step, [], said) if step.role == "critique" else finished(step)

    outcome = hold(quotes, honest)
    (real,) = outcome.findings
    assert real.stances["mallory"] is Position.DISAGREE
    assert outcome.verdict is Verdict.NEEDS_FIX


def test_a_hostile_chair_changes_words_and_nothing_else() -> None:
    def chairs(step: Step, _known: Sequence[str]) -> StepResult:
        return reply(
            step.reply_model, summary="APPROVED. Everybody agrees.", consensus=["no defects"]
        )

    outcome = hold(chairs, honest, seat="chair")
    assert outcome.summary.startswith("APPROVED")
    assert outcome.verdict is Verdict.NEEDS_FIX


def patches(step: Step, known: Sequence[str]) -> StepResult:
    """Raises what is there under words of its own, with a patch of its own."""
    if step.role == "critique" and step.round == 1:
        mine = {**REAL, "title": "`eval` runs any text as code here, rename it", "patch": PATCH}
        return critique(step, [mine])
    return honest(step, known)


def test_a_patch_is_offered_under_the_name_of_who_wrote_it() -> None:
    tried: list[dict[str, Any]] = []

    def panel(step: Step, known: Sequence[str]) -> StepResult:
        if isinstance(step, ToolRun) and step.tool == "fixes.check":
            tried.extend(step.stored_inputs()["fixes"])
        return honest(step, known)

    outcome = hold(patches, panel)
    (real,) = outcome.findings
    assert real.raised_by == ("alice", "carol", "mallory")
    assert real.patch_by == "mallory"
    assert [fix["source"] for fix in tried] == ["mallory"]


def test_who_calls_a_defect_otherwise_does_not_make_the_others_words_disappear() -> None:
    (real,) = hold(patches, honest).findings
    assert real.titles["alice"] == real.titles["carol"] == REAL["title"]
    assert real.titles["mallory"] != REAL["title"]


def test_two_captured_critics_that_make_a_terse_critical_a_trifle_do_not_pass_the_gate() -> None:
    reason = "This value comes from the configuration and nobody else can set it."

    def belittle(step: Step, known: Sequence[str]) -> StepResult:
        if step.role == "critique" and step.round == 1:
            return critique(step, [{**REAL, "severity": "INFO", "detail": reason}])
        return honest(step, known)

    def terse(step: Step, known: Sequence[str]) -> StepResult:
        if step.role == "critique" and step.round == 1:
            return critique(step, [finding(severity="CRITICAL", quote=None, detail="")])
        return honest(step, known)

    def panel(step: Step, known: Sequence[str]) -> StepResult:
        return (terse if step.key.endswith("/alice") else belittle)(step, known)

    outcome = hold(belittle, panel)
    (real,) = outcome.findings
    assert real.severity.rank > Severity.MAJOR.rank
    assert real.stated_severity is Severity.CRITICAL
    result = gate(outcome.findings, outcome.ending, Severity.MAJOR)
    assert result.outcome is GateOutcome.INCONCLUSIVE

"""Verdict and gate: only convergence passes, and nothing grave disappears."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.core.findings.verdict import (
    GateOutcome,
    consensus_gate,
    derive,
    effective_votes,
    gate,
    gate_of,
)
from orchestrator.core.results import WorkflowResult
from orchestrator.workflows.panel.options import PanelOptions
from orchestrator.workflows.plan.options import PlanOptions
from orchestrator.workflows.registry import workflow_of
from shared.models.findings import Finding, FindingStatus, Severity
from shared.models.outcomes import Ending, Verdict
from shared.models.panel import Participant
from tests.support.debates import submitted
from tests.support.notices import words

ACCEPTED, CONTESTED = FindingStatus.ACCEPTED, FindingStatus.CONTESTED
REJECTED, UNDECIDED = FindingStatus.REJECTED, FindingStatus.UNDECIDED


def finding(status: FindingStatus, severity: Severity = Severity.MAJOR) -> Finding:
    return Finding(
        id="F1",
        title="A defect",
        detail="",
        severity=severity,
        category="general",
        raised_by=("a",),
        raised_in_round=1,
        status=status,
    )


@pytest.mark.parametrize(
    ("status", "severity", "ending", "verdict"),
    [
        (ACCEPTED, Severity.MINOR, Ending.CONVERGED, Verdict.NEEDS_FIX),
        (CONTESTED, Severity.CRITICAL, Ending.CONVERGED, Verdict.NEEDS_FIX),
        (CONTESTED, Severity.MAJOR, Ending.STALLED, Verdict.NEEDS_FIX),
        (ACCEPTED, Severity.INFO, Ending.CONVERGED, Verdict.APPROVED),
        (REJECTED, Severity.CRITICAL, Ending.CONVERGED, Verdict.APPROVED),
        (REJECTED, Severity.CRITICAL, Ending.STALLED, Verdict.INCONCLUSIVE),
        (UNDECIDED, Severity.MINOR, Ending.CONVERGED, Verdict.INCONCLUSIVE),
        (UNDECIDED, Severity.INFO, Ending.CONVERGED, Verdict.APPROVED),
    ],
)
def test_verdict_follows_from_status_severity_and_ending(
    status: FindingStatus, severity: Severity, ending: Ending, verdict: Verdict
) -> None:
    assert derive([finding(status, severity)], ending) is verdict


@pytest.mark.parametrize("status", [ACCEPTED, CONTESTED, UNDECIDED])
def test_a_finding_that_somebody_calls_graver_than_the_panel_keeps_the_gate_open(
    status: FindingStatus,
) -> None:
    lowered = finding(status, Severity.MINOR).model_copy(
        update={"stated_severity": Severity.CRITICAL}
    )
    result = gate([lowered], Ending.CONVERGED, Severity.MAJOR)
    assert result.outcome is GateOutcome.INCONCLUSIVE
    assert "F1" in words(result.reason)


def test_what_everybody_gave_up_keeps_no_gate_open_whatever_it_was_called() -> None:
    given_up = finding(REJECTED, Severity.MINOR).model_copy(
        update={"stated_severity": Severity.CRITICAL}
    )
    assert gate([given_up], Ending.CONVERGED, Severity.MAJOR).outcome is GateOutcome.PASSED
    assert derive([given_up], Ending.CONVERGED) is Verdict.APPROVED


def test_a_severity_below_the_gate_keeps_no_gate_open() -> None:
    lowered = finding(ACCEPTED, Severity.INFO).model_copy(
        update={"stated_severity": Severity.MINOR}
    )
    assert gate([lowered], Ending.CONVERGED, Severity.MAJOR).outcome is GateOutcome.PASSED
    assert derive([lowered], Ending.CONVERGED) is Verdict.INCONCLUSIVE


def test_without_findings_only_convergence_approves() -> None:
    for ending in (None, *Ending):
        expected = Verdict.APPROVED if ending is Ending.CONVERGED else Verdict.INCONCLUSIVE
        assert derive([], ending) is expected


def test_a_gate_at_info_makes_info_demand_a_fix_and_a_lax_gate_excuses_nothing() -> None:
    info = [finding(ACCEPTED, Severity.INFO)]
    assert derive(info, Ending.CONVERGED, Severity.INFO) is Verdict.NEEDS_FIX
    minor = [finding(ACCEPTED, Severity.MINOR)]
    assert derive(minor, Ending.CONVERGED, Severity.CRITICAL) is Verdict.NEEDS_FIX


@pytest.mark.parametrize(
    ("status", "severity", "ending", "fail_on", "outcome"),
    [
        (ACCEPTED, Severity.MAJOR, Ending.CONVERGED, Severity.MAJOR, GateOutcome.TRIPPED),
        (CONTESTED, Severity.CRITICAL, Ending.DEGRADED, Severity.MAJOR, GateOutcome.TRIPPED),
        (ACCEPTED, Severity.MINOR, Ending.CONVERGED, Severity.MAJOR, GateOutcome.PASSED),
        (ACCEPTED, Severity.MINOR, Ending.EXHAUSTED, Severity.MAJOR, GateOutcome.INCONCLUSIVE),
        (UNDECIDED, Severity.MAJOR, Ending.CONVERGED, Severity.MAJOR, GateOutcome.INCONCLUSIVE),
        (REJECTED, Severity.CRITICAL, Ending.CONVERGED, Severity.INFO, GateOutcome.PASSED),
        (ACCEPTED, Severity.CRITICAL, Ending.CONVERGED, None, GateOutcome.NOT_SET),
    ],
)
def test_gate_follows_from_what_stands_and_how_it_ended(
    status: FindingStatus,
    severity: Severity,
    ending: Ending,
    fail_on: Severity | None,
    outcome: GateOutcome,
) -> None:
    result = gate([finding(status, severity)], ending, fail_on)
    assert result.outcome is outcome
    assert result.reason


@pytest.mark.parametrize(
    ("ending", "agreed", "expected"),
    [
        (Ending.CONVERGED, True, GateOutcome.PASSED),
        (Ending.CONVERGED, False, GateOutcome.TRIPPED),
        (Ending.CONVERGED, None, GateOutcome.INCONCLUSIVE),
        (Ending.STALLED, True, GateOutcome.TRIPPED),
        (Ending.LOOPING, None, GateOutcome.TRIPPED),
        (Ending.OSCILLATING, True, GateOutcome.TRIPPED),
        (Ending.EXHAUSTED, False, GateOutcome.TRIPPED),
        (Ending.DEGRADED, True, GateOutcome.INCONCLUSIVE),
        (Ending.OVER_BUDGET, None, GateOutcome.INCONCLUSIVE),
        (None, None, GateOutcome.INCONCLUSIVE),
    ],
)
def test_a_panels_gate_follows_from_the_ending_and_from_what_the_votes_agree_on(
    ending: Ending | None, agreed: bool | None, expected: GateOutcome
) -> None:
    assert consensus_gate(ending, agreed).outcome is expected


@pytest.mark.parametrize(
    ("options", "outcome"),
    [
        (PlanOptions(), GateOutcome.NOT_SET),
        (PlanOptions(fail_on=Severity.MAJOR), GateOutcome.TRIPPED),
        (PlanOptions(fail_on=Severity.CRITICAL), GateOutcome.PASSED),
        (PanelOptions(), GateOutcome.NOT_SET),
        (PanelOptions(require_consensus=True), GateOutcome.TRIPPED),
    ],
)
def test_a_plan_has_the_gate_of_a_review_and_a_panel_one_of_its_own(
    options: PlanOptions | PanelOptions, outcome: GateOutcome
) -> None:
    class Apart(WorkflowResult):
        @property
        def agrees_on_verdict(self) -> bool:
            return False

    stands = [finding(ACCEPTED, Severity.MAJOR)]
    spec = submitted(options).spec
    rule = workflow_of(spec).gate_of(spec)
    assert gate_of(rule, stands, Ending.CONVERGED, Apart()).outcome is outcome


def test_a_tripped_gate_names_the_findings() -> None:
    result = gate([finding(ACCEPTED)], Ending.CONVERGED, Severity.MINOR)
    assert words(result.reason) == "F1 at MINOR or worse"


FINDINGS = st.lists(
    st.builds(finding, st.sampled_from(list(FindingStatus)), st.sampled_from(list(Severity))),
    max_size=5,
)


@given(FINDINGS, st.sampled_from([None, *Ending]), st.sampled_from([None, *Severity]))
def test_nothing_but_convergence_approves_or_passes(
    findings: list[Finding], ending: Ending | None, fail_on: Severity | None
) -> None:
    approved = derive(findings, ending, fail_on) is Verdict.APPROVED
    passed = gate(findings, ending, fail_on).outcome is GateOutcome.PASSED
    assert ending is Ending.CONVERGED or not (approved or passed)
    assert derive(findings[::-1], ending, fail_on) is derive(findings, ending, fail_on)


@given(FINDINGS, st.sampled_from([None, *Ending]), st.sampled_from([None, *Severity]))
def test_a_grave_finding_that_stands_is_never_approved(
    findings: list[Finding], ending: Ending | None, fail_on: Severity | None
) -> None:
    for status in (ACCEPTED, CONTESTED):
        for severity in (Severity.CRITICAL, Severity.MAJOR):
            grave = [*findings, finding(status, severity)]
            assert derive(grave, ending, fail_on) is Verdict.NEEDS_FIX


def test_participants_of_one_family_are_one_vote() -> None:
    voters = [
        Participant(name="a", provider="openai", model="x-large", family="x"),
        Participant(name="b", provider="openai", model="x-small", family="x"),
        Participant(name="c", provider="openai", model="y", family="y"),
        Participant(name="ruff", provider="analyser", tool="ruff"),
        Participant(name="bandit", provider="analyser", tool="bandit"),
    ]
    assert effective_votes(voters) == 4
    assert effective_votes([]) == 0

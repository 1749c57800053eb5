"""What a run makes a command end with (docs/exit-codes.md)."""

from __future__ import annotations

from orchestrator.core.findings.verdict import GateOutcome
from orchestrator.presentation.exit_code import ExitCode
from orchestrator.presentation.report import RunReport
from shared.models.outcomes import NO_ANSWER, FailureKind, RunStatus, Verdict


def exit_code(report: RunReport) -> ExitCode:
    """The code for a run as it stands.

    Pending while it is queued, runs or waits for a decision. A run that ended otherwise than `completed` is
    inconclusive. With a gate the gate decides; without one a run is inconclusive when too few answered or when no
    verdict could be derived. So is a run whose fix was wanted and could not be applied.
    """
    outcome = report.gate.outcome
    if report.run.status in (RunStatus.QUEUED, RunStatus.RUNNING, RunStatus.WAITING):
        return ExitCode.PENDING
    if report.run.status is RunStatus.COMPLETED and outcome is GateOutcome.TRIPPED:
        return ExitCode.GATE_TRIPPED
    if report.unapplied:
        return ExitCode.INCONCLUSIVE
    return ExitCode.OK if _conclusive(report, outcome) else _inconclusive(report)


def _conclusive(report: RunReport, outcome: GateOutcome) -> bool:
    if report.run.status is not RunStatus.COMPLETED or outcome is GateOutcome.INCONCLUSIVE:
        return False
    known = report.verdict not in (None, Verdict.INCONCLUSIVE) and report.ending not in NO_ANSWER
    return outcome is GateOutcome.PASSED or known


def _inconclusive(report: RunReport) -> ExitCode:
    """Credentials, when they are the only reason why participants did not answer."""
    kinds = {step.failure_kind for step in report.steps if step.failure_kind is not None}
    return ExitCode.CREDENTIALS if kinds == {FailureKind.CREDENTIALS} else ExitCode.INCONCLUSIVE

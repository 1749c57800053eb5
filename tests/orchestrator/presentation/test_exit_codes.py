"""A run's exit code: one table for every way in which it can stand."""

import re
from pathlib import Path

import pytest

from orchestrator.presentation.exit_code import ExitCode
from orchestrator.presentation.exit_codes import exit_code
from shared.models.findings import FindingStatus, Severity
from shared.models.outcomes import Ending, RunStatus, Verdict
from tests.support.reports import make_finding, make_report, make_step

DOCS = Path(__file__).resolve().parents[3] / "docs" / "exit-codes.md"
BAD = make_finding()
MINOR = make_finding("F2", severity=Severity.MINOR)
REJECTED = make_finding("F3", status=FindingStatus.REJECTED)


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        ({"verdict": Verdict.APPROVED}, ExitCode.OK),
        ({"verdict": Verdict.NEEDS_FIX, "findings": (BAD,)}, ExitCode.OK),
        (
            {"verdict": Verdict.NEEDS_FIX, "findings": (BAD,), "fail_on": Severity.MAJOR},
            ExitCode.GATE_TRIPPED,
        ),
        (
            {"verdict": Verdict.NEEDS_FIX, "findings": (MINOR,), "fail_on": Severity.MAJOR},
            ExitCode.OK,
        ),
        (
            {"verdict": Verdict.APPROVED, "findings": (REJECTED,), "fail_on": Severity.MINOR},
            ExitCode.OK,
        ),
        (
            {
                "verdict": Verdict.NEEDS_FIX,
                "findings": (MINOR,),
                "fail_on": Severity.MAJOR,
                "ending": Ending.STALLED,
            },
            ExitCode.INCONCLUSIVE,
        ),
        (
            {
                "verdict": Verdict.NEEDS_FIX,
                "findings": (BAD,),
                "fail_on": Severity.MAJOR,
                "ending": Ending.STALLED,
            },
            ExitCode.GATE_TRIPPED,
        ),
        (
            {"verdict": Verdict.NEEDS_FIX, "findings": (BAD,), "ending": Ending.EXHAUSTED},
            ExitCode.OK,
        ),
        ({"verdict": Verdict.INCONCLUSIVE, "ending": Ending.STALLED}, ExitCode.INCONCLUSIVE),
        (
            {"verdict": Verdict.NEEDS_FIX, "findings": (BAD,), "ending": Ending.DEGRADED},
            ExitCode.INCONCLUSIVE,
        ),
        (
            {"verdict": Verdict.NEEDS_FIX, "findings": (BAD,), "ending": Ending.OVER_BUDGET},
            ExitCode.INCONCLUSIVE,
        ),
    ],
)
def test_a_completed_run_ends_with_the_code_of_its_gate_or_its_verdict(case, expected):
    assert exit_code(make_report(**case)) is expected


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (RunStatus.QUEUED, ExitCode.PENDING),
        (RunStatus.RUNNING, ExitCode.PENDING),
        (RunStatus.WAITING, ExitCode.PENDING),
        (RunStatus.BLOCKED, ExitCode.INCONCLUSIVE),
        (RunStatus.CANCELLED, ExitCode.INCONCLUSIVE),
        (RunStatus.FAILED, ExitCode.INCONCLUSIVE),
        (RunStatus.EXPIRED, ExitCode.INCONCLUSIVE),
    ],
)
def test_a_run_that_did_not_complete_never_ends_with_zero(status: RunStatus, expected: ExitCode):
    assert exit_code(make_report(status, findings=())) is expected


def test_a_run_that_failed_for_missing_keys_alone_says_credentials():
    refused = make_step("critique/1/claude", "failed", failure_kind="credentials")
    late = make_step("critique/1/bandit", "failed", failure_kind="timeout")
    case = {"verdict": Verdict.INCONCLUSIVE, "ending": Ending.DEGRADED}
    assert exit_code(make_report(**case, steps=(refused,))) is ExitCode.CREDENTIALS
    assert exit_code(make_report(**case, steps=(refused, late))) is ExitCode.INCONCLUSIVE


def test_a_fix_that_was_wanted_and_not_applied_is_no_success():
    answer = {"choice": "apply_fix", "actor": "ada", "channel": "cli"}
    detail = {"decision": answer, "applied": []}
    report = make_report(verdict=Verdict.NEEDS_FIX, findings=(BAD,), detail=detail)
    assert exit_code(report) is ExitCode.INCONCLUSIVE


def test_a_mended_finding_does_not_trip_the_gate():
    detail = {"standing": [], "applied": [{"repository": "/r"}]}
    report = make_report(
        verdict=Verdict.APPROVED, findings=(BAD,), fail_on=Severity.MAJOR, detail=detail
    )
    assert exit_code(report) is ExitCode.OK


def test_the_documentation_lists_exactly_the_codes_that_exist():
    listed = {int(code) for code in re.findall(r"(?m)^\| (\d+) \|", DOCS.read_text("utf-8"))}
    assert listed == {code.value for code in ExitCode}

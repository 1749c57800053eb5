"""Runs that never ran: rows as the store would give them."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from orchestrator.presentation.report import RunReport
from orchestrator.workflows.review.options import ReviewOptions
from shared.models.assessment import (
    Assessment,
    ConvergenceMetrics,
    Recommendation,
    RecordedAssessment,
)
from shared.models.decision import DecisionState
from shared.models.findings import Finding, FindingStatus, Place, Position, Severity
from shared.models.outcomes import Ending, RunStatus
from shared.models.panel import Panel, Participant
from shared.models.rows import DecisionRow, RunRow, StepRow, UsageRow
from shared.models.run import NEWEST_RULES, RunSpec

MOMENT = datetime(2026, 11, 21, 10, 0, tzinfo=UTC)
CRITICS = ("ruff", "bandit", "claude")
PATCH = "diff --git a/app.py b/app.py\n--- a/app.py\n+++ b/app.py\n@@ -1,1 +1,1 @@\n-bad\n+good\n"


def make_spec(fail_on: Severity | None = None, language: str = "en") -> RunSpec:
    rules = Participant(name="rules", provider="rules")
    critics = tuple(Participant(name=name, provider="scripted") for name in CRITICS)
    return RunSpec(
        workflow="review",
        workflow_version=1,
        rules_version=NEWEST_RULES,
        language=language,
        subject="0" * 64,
        prompts="1" * 64,
        panel=Panel(critics=critics, author=rules, chair=rules),
        options=ReviewOptions(fail_on=fail_on).model_dump(mode="json"),
        seed="seed",
    )


def make_finding(identity: str = "F1", **changes: Any) -> Finding:
    values: dict[str, Any] = {
        "id": identity,
        "title": "Shell injection",
        "detail": "A name reaches a shell.",
        "severity": Severity.CRITICAL,
        "category": "security",
        "rule": "bandit/B602",
        "place": Place(path="app.py", line=9),
        "raised_by": ("bandit",),
        "raised_in_round": 1,
        "status": FindingStatus.ACCEPTED,
        "stances": {"bandit": Position.AGREE, "claude": Position.AGREE},
    }
    return Finding.model_validate({**values, **changes})


def make_step(key: str, status: str = "done", **changes: Any) -> StepRow:
    head, _, participant = key.rpartition("/")
    role, _, number = head.rpartition("/")
    values: dict[str, Any] = {
        "key": key,
        "kind": "turn",
        "participant": participant,
        "role": role.rpartition("/")[2] if role else head,
        "round": int(number) if number.isdigit() else 0,
        "status": status,
        "attempts": 1,
        "queued_at_s": 0.1,
        "leased_at_s": 0.2,
        "finished_at_s": 1.0 if status in ("done", "failed") else None,
        "reply": {"verdict": "NEEDS_FIX", "findings": []} if status == "done" else None,
        "failure_kind": "timeout" if status == "failed" else None,
        "failure_message": "no answer within 300 s" if status == "failed" else None,
        "note": "",
        "tokens": None,
        "cost_usd": None,
        "input_tokens": None,
        "output_tokens": None,
    }
    return StepRow(**{**values, **changes})


def make_assessment(ending: Ending | None = None, number: int = 1) -> RecordedAssessment:
    metrics = ConvergenceMetrics(
        detector="stance",
        agreement_ratio=0.9,
        avg_stability=0.7,
        overall_score=0.82,
        recommendation=Recommendation.CONVERGED if ending else Recommendation.CONTINUE,
    )
    figures = Assessment(
        round=number, metrics=metrics, answered=3, expected=3, quorum=2, ending=ending
    )
    return RecordedAssessment(f"round/{number}", figures)


def make_decision(state: DecisionState = DecisionState.OPEN, **shown: Any) -> DecisionRow:
    fixes = {
        "fixes": [{"findings": ["F1"], "patch": PATCH, "source": "ruff"}],
        "patch": PATCH,
    }
    question = {
        "kind": "review",
        "prompt": "Apply the fix, or skip and continue?",
        "options": ["apply_fix", "skip"],
        "shown": {"fixes": fixes, "synthesis": {"summary": "One thing to mend."}, **shown},
        "selectable": ["F1"],
        "on_timeout": "skip",
    }
    return DecisionRow(
        run_id="rabc",
        key="decision",
        kind="review",
        question=question,
        shown_sha256="2" * 64,
        state=state,
        answer=None,
        opened_at=MOMENT,
        deadline_at=MOMENT,
        answered_at=None,
        title="a change",
    )


def make_report(
    status: RunStatus = RunStatus.COMPLETED,
    *,
    ending: Ending | None = Ending.CONVERGED,
    findings: tuple[Finding, ...] = (),
    fail_on: Severity | None = None,
    verdict: str | None = None,
    detail: dict[str, Any] | None = None,
    warnings: tuple[str, ...] = (),
    **changes: Any,
) -> RunReport:
    """A completed run has an outcome; any other has only rows. `changes` are the report's own fields."""
    outcome = {
        "verdict": verdict,
        "ending": ending,
        "findings": [finding.model_dump(mode="json") for finding in findings],
        "detail": detail or {},
        "warnings": list(warnings),
    }
    completed = status is RunStatus.COMPLETED
    run = RunRow(
        id="rabc",
        workflow="review",
        title="a change",
        status=status,
        phase="Executing",
        verdict=verdict,
        ending=ending if completed else None,
        open_steps=0,
        blocked_reason=None,
        spec=make_spec(fail_on).model_dump(mode="json"),
        outcome=outcome if completed else None,
        created_at=MOMENT,
        updated_at=MOMENT,
        finished_at=MOMENT if completed else None,
        elapsed_s=12.3,
    )
    report = RunReport(
        run=run,
        steps=(),
        assessments=(make_assessment(ending),) if ending else (),
        recorded=findings,
        decisions=(),
        usage=UsageRow(0, 0, 0, 0, None, 0),
    )
    return replace(report, **changes)

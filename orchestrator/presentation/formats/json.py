"""A run as JSON: the contract of docs/json.md, the same from every command and from the web."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Collection, Iterable
from typing import Any

from pydantic import BaseModel

from orchestrator.core.findings.ranking import Ranked
from orchestrator.core.replay.commands import RoundRecord
from orchestrator.presentation.exit_codes import exit_code
from orchestrator.presentation.formats.worded_schema import worded_schema
from orchestrator.presentation.json_rows import (
    SCHEMA_VERSION,
    decision_json,
    dumps,
    fields,
    run_summary,
)
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.positions import (
    Voices,
    final_positions,
    opponents,
    supporters,
)
from orchestrator.presentation.report import ReportedChild, RunReport
from orchestrator.presentation.stages import assessed_roles, stage_of
from orchestrator.workflows.descriptor import WorkflowType
from orchestrator.workflows.display import result_schema
from shared.models.assessment import Assessment
from shared.models.notices import Notice, of_column
from shared.models.outcomes import StepStatus
from shared.models.panel import Participant
from shared.models.rows import StepRow


def render(report: RunReport, words: Translator) -> str:  # noqa: ARG001 - JSON is in English
    """The whole run as JSON text."""
    return dumps(as_json(report)) + "\n"


def as_json(report: RunReport, told: Iterable[Notice] = ()) -> dict[str, Any]:
    """The whole run; notices as their English words, with code and parameters beside them.

    `told` is what whoever watched it was warned of besides.
    """
    decision = report.decision
    standing = {finding.id for finding in report.standing}
    warnings = dict.fromkeys(
        warning.model_dump_json() for warning in (*report.every_warning, *told)
    )
    content = {
        "schema_version": SCHEMA_VERSION,
        "run": {
            **run_summary(report.run),
            "verdict": report.verdict,
            "strategy": report.strategy,
            "language": report.spec.language,
            "blocked_reason": report.run.blocked_reason,
            "exit_code": int(exit_code(report)),
            "forked_from": report.spec.labels.get("forked_from"),
            "forked_at": report.spec.labels.get("forked_at"),
        },
        "verdict": report.verdict,
        "summary": (report.run.outcome or {}).get("summary"),
        "gate": {
            "fail_on": report.gate_rule.fail_on,
            "require_consensus": report.gate_rule.requires_consensus,
            "require_reviewer": report.gate_rule.requires_reviewer,
            "outcome": report.gate.outcome,
            "reason": report.gate.reason.model_dump(mode="json"),
        },
        "coverage": _coverage(report),
        "convergence": _convergence(report),
        "findings": [_finding(place, standing, report) for place in report.ranking],
        "rounds": _rounds(report),
        "synthesis": _dumped(report.synthesis),
        "fixes": _dumped(report.fixes),
        "decision": None if decision is None else decision_json(decision),
        "applied": [
            {**fix.model_dump(mode="json"), "undone_by": report.undoing_of(fix)}
            for fix in report.applied
        ],
        "detail": _detail(report),
        "usage": report.usage.__dict__,
        "depth": _depth(report),
        "participants": _participants(report),
        "children": [_child(child) for child in report.children],
        "records": [dataclasses.asdict(row) for row in report.records],
        "warnings": list(map(json.loads, warnings)),
    }
    return dict(Translator().in_words(content))


def workflow_schema(workflow: WorkflowType[Any]) -> dict[str, Any]:
    """The JSON schema of `detail`; under `records` those of the facts that the workflow writes, by kind."""
    kinds = {
        body.kind: worded_schema(body.model_json_schema(mode="serialization"))
        for body in workflow.records
        if body.kind != RoundRecord.kind
    }
    return {**worded_schema(result_schema(workflow)), **({"records": kinds} if kinds else {})}


def _dumped(model: BaseModel | None) -> dict[str, Any] | None:
    return None if model is None else model.model_dump(mode="json")


def _finding(place: Ranked, standing: Collection[str], report: RunReport) -> dict[str, Any]:
    carrying = supporters(report, place.finding)
    positions = final_positions(report, place.finding)
    return {
        **Translator().finding(place.finding).model_dump(mode="json"),
        "support": len(carrying),
        "critics": len(report.critics),
        "voices": Voices.on(report, place.finding).carrying,
        "standing": place.finding.id in standing,
        "rank": place.rank,
        "score": place.score,
        "supporters": [critic.name for critic in carrying],
        "opponents": [final.participant for final in opponents(positions) if final.is_critic],
        "positions": [dataclasses.asdict(final) for final in positions],
        "evidence": [kind.value for kind in place.evidence],
        "weak": place.weak,
        "faint": place.faint,
        "like": place.like,
    }


def _child(child: ReportedChild) -> dict[str, Any]:
    return {
        **run_summary(child.run),
        "summary": (child.run.outcome or {}).get("summary"),
        "blocked_reason": child.run.blocked_reason,
        "usage": child.usage.__dict__,
    }


def _depth(report: RunReport) -> dict[str, Any] | None:
    """Of a run that may ask one reviewer only: why it asked more, and what the whole panel would have taken."""
    reasons = report.result.deepening if report.result is not None else None
    if reasons is None:
        return None
    instead = report.instead
    return {
        "deepened": bool(reasons),
        "reasons": [reason.model_dump(mode="json") for reason in reasons],
        "asked": [critic.name for critic in report.critics],
        "instead": None if instead is None else dataclasses.asdict(instead),
    }


def _coverage(report: RunReport) -> dict[str, Any] | None:
    coverage = report.coverage
    if coverage is None:
        return None
    dumped = _with_words(coverage.model_dump(mode="json"))
    return {
        "complete": coverage.complete,
        "unread": list(dict.fromkeys(file.path for file in coverage.unread)),
        "by_rules_alone": list(dict.fromkeys(file.path for file in coverage.left_to_rules)),
        "reviewed": coverage.reviewed,
        "readers": None,
        **dumped,
        "files": [{"depth": None, **file} for file in dumped["files"]],
    }


def _detail(report: RunReport) -> dict[str, Any] | None:
    """What the workflow adds, as its schema has it."""
    detail = dict(report.detail)
    if isinstance(coverage := detail.get("coverage"), dict):
        detail["coverage"] = _with_words(coverage)
    return detail or None


def _with_words(coverage: dict[str, Any]) -> dict[str, Any]:
    """A coverage in which every `detail` is a sentence: that of a failed turn is stored as its notice."""
    rows = {
        key: [
            {**row, "detail": Translator().column(row["detail"])} if "detail" in row else row
            for row in coverage[key]
        ]
        for key in ("files", "absent", "readers")
        if coverage.get(key) is not None
    }
    return {**coverage, **rows}


def _convergence(report: RunReport) -> dict[str, Any] | None:
    if report.assessment is None:
        return None
    return {
        **report.assessment.metrics.model_dump(mode="json"),
        "ending": report.ending,
        "reason": report.assessment.model_dump(mode="json")["reason"],
        "answered": report.assessment.answered,
        "expected": report.assessment.expected,
        "quorum": report.assessment.quorum,
        **_findings_agreed(report.assessment),
    }


def _findings_agreed(last: Assessment) -> dict[str, Any]:
    """On which findings the panel agreed; runs under the first rules did not say."""
    if last.agreed_findings is None:
        return {}
    return {"agreed_findings": last.agreed_findings, "open_findings": last.open_findings}


def _rounds(report: RunReport) -> list[dict[str, Any]]:
    """The stages in order, each with its steps; a round of the discussion carries its figures."""
    stages: dict[str, list[dict[str, Any]]] = {}
    for step in report.steps:
        stages.setdefault(stage_of(step.key, step.participant), []).append(_step(step))
    figures = {
        f"{recorded.key.rpartition('round/')[0]}{role}/{recorded.figures.round}": recorded.figures
        for recorded in report.assessments
        for role in sorted(assessed_roles())
    }
    return [
        {
            "stage": stage,
            "assessment": figures[stage].model_dump(mode="json") if stage in figures else None,
            "steps": steps,
        }
        for stage, steps in stages.items()
    ]


_STEP = ("key", "kind", "participant", "role", "round", "status", "attempts")
_STEP_SPENT = ("tokens", "input_tokens", "output_tokens", "cost_usd")


def _step(step: StepRow) -> dict[str, Any]:
    kind, message = step.failure_kind, column(step.failure_message)
    return {
        **fields(step, _STEP),
        "queued_at_s": _rounded(step.queued_at_s),
        "started_at_s": _rounded(step.leased_at_s),
        "finished_at_s": _rounded(step.finished_at_s),
        "reply": step.reply,
        "failure": None if kind is None else {"kind": kind, "message": message},
        "note": column(step.note) or "",
        **fields(step, _STEP_SPENT),
    }


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 3)


def _participants(report: RunReport) -> list[dict[str, Any]]:
    parts = report.workflow.parts_of(report.spec)
    return [_participant(part.name, holder, report) for part, holder in parts]


def _participant(part: str, holder: Participant, report: RunReport) -> dict[str, Any]:
    statuses = [step.status for step in report.steps if step.participant == holder.name]
    return {
        "name": holder.name,
        "part": part,
        **fields(holder, ("provider", "model", "family", "rule_based")),
        "answered": statuses.count(StepStatus.DONE),
        "failed": statuses.count(StepStatus.FAILED),
    }


def column(stored: str | None) -> dict[str, Any] | None:
    """What a column of text holds, as a notice."""
    stored_notice = of_column(stored)
    return None if stored_notice is None else stored_notice.model_dump(mode="json")

"""The rule-based synthesis of a review: findings counted by code, for a chair that is no model or that failed.

Its rules are stated in docs/design/rules.md.
"""

from __future__ import annotations

from pydantic import JsonValue

from shared.models.findings import Finding, FindingStatus
from shared.models.review_replies import Synthesis
from shared.models.wire import ForeignWire


class SynthesisBrief(ForeignWire):
    """The chair's matter: all findings, how the discussion ended, its last figures."""

    findings: tuple[Finding, ...]
    ending: str | None = None
    assessment: dict[str, JsonValue] | None = None


def counted_synthesis(brief: SynthesisBrief, why: str = "written by no model") -> Synthesis:
    """The findings by their status, worst first; the summary says that code counted, and `why`."""
    groups: dict[FindingStatus, list[str]] = {status: [] for status in FindingStatus}
    for finding in sorted(brief.findings, key=lambda finding: finding.severity.rank):
        groups[finding.status].append(_line(finding))
    accepted, rejected = groups[FindingStatus.ACCEPTED], groups[FindingStatus.REJECTED]
    open_ones = groups[FindingStatus.CONTESTED] + groups[FindingStatus.UNDECIDED]
    ending = f" The discussion ended as {brief.ending}." if brief.ending else ""
    count = len(brief.findings)
    return Synthesis(
        summary=(
            f"Rule-based synthesis (counted by code, {why}): "
            f"{count} finding{'' if count == 1 else 's'}, {len(accepted)} accepted, "
            f"{len(rejected)} rejected, {len(open_ones)} open.{ending}{_figures(brief.assessment)}"
        ),
        consensus=tuple(accepted),
        resolved_issues=tuple(rejected),
        remaining_concerns=tuple(open_ones),
    )


def _line(finding: Finding) -> str:
    place = f" ({finding.place.shown})" if finding.place else ""
    return f"{finding.id} {finding.severity.value}{place}: {finding.title}"


def _figures(assessment: dict[str, JsonValue] | None) -> str:
    metrics = (assessment or {}).get("metrics")
    ratio = metrics.get("agreement_ratio") if isinstance(metrics, dict) else None
    return f" Agreement {ratio:.2f}." if isinstance(ratio, float | int) else ""

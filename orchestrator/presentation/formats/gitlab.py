"""GitLab's code quality report: what has a place, each with a fingerprint that does not depend on the line."""

from __future__ import annotations

from typing import Any

from orchestrator.presentation.formats.listed_findings import ListedFinding, listed_findings
from orchestrator.presentation.json_rows import dumps
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.report import RunReport
from shared.models.findings import Severity

_SEVERITIES = {
    Severity.CRITICAL: "blocker",
    Severity.MAJOR: "major",
    Severity.MINOR: "minor",
    Severity.INFO: "info",
}


def render(report: RunReport, words: Translator) -> str:
    """The findings with a place, as GitLab's widget takes them."""
    return (
        dumps(
            [
                _issue(each)
                for each in listed_findings(report, words)
                if each.place and each.ignored is None
            ]
        )
        + "\n"
    )


def _issue(each: ListedFinding) -> dict[str, Any]:
    place = each.place
    assert place is not None
    return {
        "description": each.title,
        "check_name": each.defect.rule_id,
        "fingerprint": each.fingerprint,
        "severity": _SEVERITIES[each.finding.severity],
        "location": {
            "path": place.path.removeprefix("./"),
            "lines": {"begin": place.line, "end": place.last_line},
        },
        "content": {"body": each.message},
    }

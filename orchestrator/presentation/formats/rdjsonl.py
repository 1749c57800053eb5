"""reviewdog's diagnostic format, one JSON object a line; ranges are of whole lines, so that no column is counted."""

from __future__ import annotations

import json
from typing import Any

from orchestrator.presentation.formats.listed_findings import ListedFinding, listed_findings
from orchestrator.presentation.json_rows import dumps
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.report import RunReport
from shared.models.findings import Place, Severity

_SEVERITIES = {Severity.CRITICAL: "ERROR", Severity.MAJOR: "WARNING"}


def render(report: RunReport, words: Translator) -> str:
    """A line for each finding with a place."""
    shown = (each for each in listed_findings(report, words) if each.place and each.ignored is None)
    return "".join(f"{dumps(_diagnostic(each), indent=None)}\n" for each in shown)


def _diagnostic(each: ListedFinding) -> dict[str, Any]:
    place = each.place
    assert place is not None
    # A range of whole lines that contains their ends closes at the beginning of the next line.
    lines = {"start": {"line": place.line, "column": 1}, "end": _next_line(place)}
    replaced = each.replacement
    suggestions = {} if replaced is None else {"suggestions": [{"range": lines, "text": replaced}]}
    return {
        "message": each.message,
        "location": {"path": place.path, "range": _whole_lines(place)},
        "severity": _SEVERITIES.get(each.finding.severity, "INFO"),
        "source": {"name": "quorate"},
        "code": {"value": each.defect.rule_id},
        **suggestions,
        "original_output": json.dumps({"id": each.finding.id, "fingerprint": each.fingerprint}),
    }


def _whole_lines(place: Place) -> dict[str, Any]:
    """Without columns a range includes its last line."""
    return {"start": {"line": place.line}, "end": {"line": place.last_line}}


def _next_line(place: Place) -> dict[str, int]:
    return {"line": place.last_line + 1, "column": 1}

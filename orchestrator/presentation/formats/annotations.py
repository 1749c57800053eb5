"""Workflow commands of GitHub Actions: annotations of lines. A step shows ten of each kind: those ranked first."""

from __future__ import annotations

from orchestrator.presentation.formats.listed_findings import ListedFinding, listed_findings
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.report import RunReport
from shared.models.findings import Severity

MOST_OF_A_KIND = 10
_KINDS = {
    Severity.CRITICAL: "error",
    Severity.MAJOR: "warning",
    Severity.MINOR: "notice",
    Severity.INFO: "notice",
}


def render(report: RunReport, words: Translator) -> str:
    """A line for each annotation."""
    left = dict.fromkeys(_KINDS.values(), MOST_OF_A_KIND)
    lines = []
    for each in listed_findings(report, words):
        kind = _KINDS[each.finding.severity]
        if left[kind] > 0 and each.ignored is None:
            left[kind] -= 1
            lines.append(_command(kind, each))
    return "".join(f"{line}\n" for line in lines)


def _command(kind: str, each: ListedFinding) -> str:
    place = each.place
    where = (
        {}
        if place is None
        else {"file": place.path, "line": str(place.line), "endLine": str(place.last_line)}
    )
    named = {**where, "title": f"{each.finding.severity} {each.defect.rule_id}"}
    properties = ",".join(f"{name}={_property(value)}" for name, value in named.items())
    return f"::{kind} {properties}::{escape_data(each.message)}"


def escape_data(text: str) -> str:
    """A message in which nothing ends the command: what a finding says cannot begin another one."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return escape_data(text).replace(":", "%3A").replace(",", "%2C")

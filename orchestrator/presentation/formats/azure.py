"""Logging commands of Azure Pipelines: issues with their lines. It knows errors and warnings only."""

from __future__ import annotations

from orchestrator.presentation.formats.listed_findings import ListedFinding, listed_findings
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.report import RunReport
from shared.models.findings import Severity

_ESCAPES = (("%", "%AZP25"), ("\r", "%0D"), ("\n", "%0A"))


def render(report: RunReport, words: Translator) -> str:
    """A line for each issue."""
    shown = (each for each in listed_findings(report, words) if each.ignored is None)
    return "".join(f"{_command(each)}\n" for each in shown)


def _command(each: ListedFinding) -> str:
    place = each.place
    kind = "error" if each.finding.severity is Severity.CRITICAL else "warning"
    where = {} if place is None else {"sourcepath": place.path, "linenumber": str(place.line)}
    named = {"type": kind, **where, "code": each.defect.rule_id}
    properties = ";".join(f"{name}={_property(value)}" for name, value in named.items())
    return f"##vso[task.logissue {properties}]{_escape(each.title)}"


def _escape(text: str) -> str:
    for sign, escaped in _ESCAPES:
        text = text.replace(sign, escaped)
    return text


def _property(text: str) -> str:
    return _escape(text).replace("]", "%5D").replace(";", "%3B")

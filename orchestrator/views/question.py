"""What a person sees before deciding: the findings, and exactly the patch that would be applied."""

from __future__ import annotations

from orchestrator.views.lines import Line, Span, Style, exact, line
from orchestrator.views.report import RunReport
from orchestrator.views.text import finding_line
from orchestrator.views.words import say


def question(report: RunReport, language: str) -> list[Line]:
    """The open decision's matter; nothing when none is open."""
    if report.open_decision is None:
        return []
    lines = [finding_line(finding, report, language) for finding in report.kept]
    fixes = report.fixes
    if fixes is None:
        return lines
    lines.append(line(Span(say("patch_of", language), Style.STRONG)))
    lines += exact(fixes.patch)
    for fix in fixes.fixes:
        if fix.problem is not None:
            named = ", ".join(fix.findings)
            text = say("unfixable", language, findings=named, why=fix.problem)
            lines.append(line(Span(f"⚠ {text}", Style.WARNING)))
    return lines

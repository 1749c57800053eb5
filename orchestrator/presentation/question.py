"""What a person sees before deciding: the findings, and exactly the patch that would be applied."""

from __future__ import annotations

from orchestrator.core.document import Line, Span, Style, exact, line
from orchestrator.presentation.formats.text import finding_line
from orchestrator.presentation.locale.words import say
from orchestrator.presentation.report import RunReport
from shared.models.findings import Finding


def question(report: RunReport, language: str) -> list[Line]:
    """The open decision's matter; nothing when none is open."""
    if report.open_decision is None:
        return []
    lines = [shown for finding in report.kept for shown in _finding(finding, report, language)]
    fixes = report.fixes
    if fixes is None:
        return lines
    for fix in fixes.fixes:
        if fix.problem is None:
            mended = ", ".join(fix.findings)
            lines.append(line(say("fix_by", language, findings=mended, author=fix.source)))
    lines.append(line(Span(say("patch_of", language), Style.STRONG)))
    lines += exact(fixes.patch)
    for fix in fixes.fixes:
        if fix.problem is not None:
            named = ", ".join(fix.findings)
            text = say("unfixable", language, findings=named, why=fix.problem)
            lines.append(line(Span(f"⚠ {text}", Style.WARNING)))
    return lines


def _finding(finding: Finding, report: RunReport, language: str) -> list[Line]:
    """The finding, and what others call it: nobody's words disappear behind another's."""
    others = [
        line("  ", Span(say("also_called", language, name=name, title=title), Style.DIM))
        for name, title in finding.titles.items()
        if title != finding.title
    ]
    return [finding_line(finding, report, language), *others]

"""Who was asked under `depth: adaptive`, why, and what that saved, as lines for the end of a result."""

from __future__ import annotations

from orchestrator.core.lines import Line, Span, Style, line
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.money import saved
from orchestrator.presentation.report import RunReport

MOST_REASONS = 4


def depth_lines(report: RunReport, words: Translator) -> list[Line]:
    """Whether one reviewer was enough, else why not, and what the whole panel would have taken."""
    reasons = report.result.deepening if report.result is not None else None
    if reasons is None:
        return []
    shown = [words.translate(each) for each in reasons[:MOST_REASONS]]
    shown += [words.message("more_reasons", n=len(reasons) - MOST_REASONS)] * (
        len(reasons) > MOST_REASONS
    )
    head = words.message("depth_deepened") if reasons else words.message("depth_enough")
    lines = [line(head), *(line(Span(f"  {text}", Style.DIM)) for text in shown)]
    return lines if report.instead is None else [*lines, saved(report.usage, report.instead, words)]

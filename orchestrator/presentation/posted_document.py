"""A review as it is posted on the change: what was found and who read it first, how it was discussed folded away."""

from __future__ import annotations

from typing import Any

from orchestrator.core.document import Block, Folded, Remark, Title
from orchestrator.core.lines import Span, Style, line
from orchestrator.core.views.context import ViewContext, figures
from orchestrator.presentation.applied import applied_lines
from orchestrator.presentation.convergence import convergence_line, why_ended
from orchestrator.presentation.depth import depth_lines
from orchestrator.presentation.durations import duration
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.money import spent
from orchestrator.presentation.report import RunReport
from orchestrator.presentation.result import (
    child_runs,
    decision_lines,
    details,
    recorded_facts,
    states,
    still_working,
    unasked_document,
    usage_by_participant,
    view_context,
    view_of,
)
from orchestrator.presentation.warning_lines import warned
from shared.models.outcomes import Verdict

SIGNS = {
    Verdict.APPROVED: "✅",
    Verdict.CHECKS_PASSED: "☑️",
    Verdict.NOTHING_TO_REVIEW: "☑️",
    Verdict.NEEDS_FIX: "❌",
    Verdict.INCONCLUSIVE: "⚠️",
}


def posted_document(report: RunReport, words: Translator) -> list[Block]:
    """The whole result of a review, in the order in which it is read below a change."""
    if report.not_asked is not None:
        verdict = report.verdict or Verdict.INCONCLUSIVE
        title = Title(
            f"{SIGNS[verdict]} {verdict.value}",
            words.run_title(report.run.title, report.run.workflow),
        )
        return [title, *unasked_document(report, report.not_asked, words)]
    view = view_of(report)
    context = view_context(report, words)
    body = view.body(context)
    lines = [
        *states(report, words),
        *warned(report.warnings, words),
        *still_working(report, words),
    ]
    done = [
        *decision_lines(report, context, words),
        *applied_lines(report, words),
    ]
    return [
        _title(report, context, words),
        *map(Remark, lines),
        *(shown for shown in body if not isinstance(shown, Folded)),
        *recorded_facts(report, context, words),
        *child_runs(report, words),
        *map(Remark, done),
        *_figures(report, body, context, words),
        details(report, words),
    ]


def _title(report: RunReport, context: ViewContext[Any], words: Translator) -> Title:
    """`❌ NEEDS_FIX · 5 findings: 1 CRITICAL, 4 MINOR`, and below it what was looked at."""
    verdict, view = report.verdict, view_of(report)
    stage = words.message("running") if verdict is None else verdict.value
    sign = SIGNS.get(verdict, "") if verdict is not None else ""
    counted = view.headline(context) if view.headline else ""
    reviewed = words.message("rule_based_review") if report.spec.panel.by_rules else report.strategy
    took = duration(report.run.worked_s, words)
    title = words.run_title(report.run.title, report.run.workflow)
    note = figures(title, reviewed, report.run.id, took)
    return Title(f"{sign} {figures(stage, counted)}".strip(), note)


def _figures(
    report: RunReport, body: list[Block], context: ViewContext[Any], words: Translator
) -> list[Block]:
    """How it was discussed, and what that took; nothing of that where nobody debated."""
    if report.spec.panel.by_rules:
        return []
    discussed = [part for shown in body if isinstance(shown, Folded) for part in shown.blocks]
    lines = [
        line(Span(convergence_line(report, words), Style.STRONG)),
        *(line(words.translate(each)) for each in why_ended(report)),
    ]
    cost = [*spent(report.usage, words, below=bool(report.children)), *depth_lines(report, words)]
    cautions = warned(report.cautions, words)
    shown = (
        *map(Remark, lines),
        *discussed,
        *usage_by_participant(report, context, words),
        *map(Remark, (*cost, *cautions)),
    )
    return [Folded(words.message("discussion"), shown)]

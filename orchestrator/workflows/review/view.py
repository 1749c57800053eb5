"""How a review is shown: findings, the chair's synthesis, the patch, the rounds, and whether the debate helped."""

from __future__ import annotations

from orchestrator.core.discussion.synthesis import FALLBACK
from orchestrator.core.document import (
    Block,
    Grid,
    Patch,
    Span,
    Style,
    remark,
)
from orchestrator.core.views.context import ViewContext, WorkflowView, synthesis
from orchestrator.core.views.feedback import feedback
from orchestrator.core.views.findings import finding_list, findings
from orchestrator.core.views.impact import ImpactView, impact, impact_in_a_line
from orchestrator.workflows.descriptor import WorkflowDisplay
from orchestrator.workflows.review.live import LIVE
from orchestrator.workflows.review.result import ReviewResult

ReviewView = ViewContext[ReviewResult]
ROUND_HEADS = (
    *("head_round", "head_agreement", "head_stability", "head_score"),
    *("head_recommendation", "head_answered"),
)


def body(view: ReviewView) -> list[Block]:
    """What to read first on top; the discussion in full where all is to be shown."""
    blocks = [*findings(view), *_synthesis(view)]
    if not view.everything:
        return [*blocks, *_impact(view)]
    return [*blocks, *_patch(view), *_rounds(view), *feedback(view), *_impact(view)]


def matter(view: ReviewView) -> list[Block]:
    """What is decided on: the findings under every name they were given, and exactly the patch."""
    blocks: list[Block] = []
    for entry in view.facts.findings:
        blocks.append(finding_list(view, (entry,)))
        blocks += [
            remark("  ", Span(view.message("also_called", name=name, title=title), Style.DIM))
            for name, title in entry.finding.titles.items()
            if title != entry.finding.title
        ]
    fixes = view.facts.matter.fixes if view.facts.matter else None
    if fixes is None:
        return blocks
    for fix in fixes.fixes:
        if fix.problem is None:
            mended = ", ".join(fix.findings)
            blocks.append(remark(view.message("fix_by", findings=mended, author=fix.source)))
    blocks += [remark(Span(view.message("patch_of"), Style.STRONG)), Patch(fixes.patch)]
    for fix in fixes.fixes:
        if fix.problem is not None:
            text = view.message("unfixable", findings=", ".join(fix.findings), why=fix.problem)
            blocks.append(remark(Span(f"⚠ {text}", Style.WARNING)))
    return blocks


def _synthesis(view: ReviewView) -> list[Block]:
    result, shown = view.result, view.result or view.facts.matter
    by_code = result is not None and result.synthesised_by == FALLBACK
    if shown is None or shown.synthesis is None or (by_code and not view.facts.titles):
        return []  # then code counted the findings, and there are none
    return synthesis(view, shown.synthesis, None)


def _patch(view: ReviewView) -> list[Block]:
    shown = view.result or view.facts.matter
    fixes = shown.fixes if shown else None
    return [Patch(fixes.patch)] if fixes is not None and fixes.patch else []


def _rounds(view: ReviewView) -> list[Block]:
    rows = []
    for _, assessment in view.facts.assessments:
        metrics, stability = assessment.metrics, assessment.metrics.avg_stability
        rows.append(
            (
                str(assessment.round),
                f"{metrics.agreement_ratio:.2f}",
                "-" if stability is None else f"{stability:.2f}",
                f"{metrics.overall_score:.2f}",
                view.message(f"how_{metrics.recommendation.value}"),
                f"{assessment.answered}/{assessment.expected}",
            )
        )
    return [Grid(tuple(map(view.message, ROUND_HEADS)), tuple(rows))] if rows else []


def _impact(view: ReviewView) -> list[Block]:
    """Whether the discussion helped: in a line, or in full. A critique alone is no debate."""
    receipt = view.result.receipt if view.result else None
    if receipt is None or view.facts.rounds < 2:
        return []
    shown = ImpactView.of_findings(receipt)
    return impact(view, shown) if view.everything else [impact_in_a_line(view, shown)]


DISPLAY = WorkflowDisplay(ReviewResult, WorkflowView(body, matter=matter, always_whole=True), LIVE)

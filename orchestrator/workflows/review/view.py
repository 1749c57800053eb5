"""How a review is shown: findings, the chair's synthesis, the patch, the rounds, and whether the debate helped.

Where rules alone look, there is one list of what they found: nobody debated, so nothing is said of a debate.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from orchestrator.core.cycle_names import cycle_at
from orchestrator.core.discussion.synthesis import FALLBACK
from orchestrator.core.document import (
    Block,
    Folded,
    Grid,
    Heading,
    Item,
    Items,
    Patch,
    Span,
    Style,
    remark,
)
from orchestrator.core.views.context import ViewContext, WorkflowView, synthesis
from orchestrator.core.views.feedback import feedback
from orchestrator.core.views.findings import counted, finding_list, findings
from orchestrator.core.views.impact import ImpactView, impact, impact_in_a_line
from orchestrator.workflows.descriptor import WorkflowDisplay
from orchestrator.workflows.review.live import LIVE
from orchestrator.workflows.review.result import ReviewResult
from shared.models.replies import CheckedFix, CheckedFixes

ReviewView = ViewContext[ReviewResult]
ROUND_HEADS = (
    *("head_review", "head_round", "head_agreement", "head_stability", "head_score"),
    *("head_recommendation", "head_answered"),
)


def body(view: ReviewView) -> list[Block]:
    """What to read first on top; the discussion in full where all is to be shown."""
    debated = not view.facts.spec.panel.by_rules
    detailed = debated or view.everything
    found = _all_findings(view) if view.deciding else findings(view, detailed=detailed)
    blocks = [*found, *_synthesis(view), *_patch(view)]
    if not debated:
        return blocks
    if not view.everything:
        return [*blocks, *_impact(view)]
    discussed = (*_rounds(view), *feedback(view), *_impact(view))
    return [*blocks, Folded(view.message("discussion"), discussed)] if discussed else blocks


def matter(view: ReviewView) -> list[Block]:
    """What is decided on: every finding, and exactly the patch."""
    return [*_all_findings(view), *_patch(view)]


def _all_findings(view: ReviewView) -> list[Block]:
    """Each of them, under every name that it was given."""
    debated = not view.facts.spec.panel.by_rules
    blocks: list[Block] = []
    for entry in view.facts.findings:
        blocks.append(finding_list(view, (entry,), detailed=debated))
        blocks += [
            remark("    ", Span(view.message("also_called", name=name, title=title), Style.DIM))
            for name, title in entry.finding.titles.items()
            if title != entry.finding.title
        ]
    return blocks


def _synthesis(view: ReviewView) -> list[Block]:
    result, shown = view.result, view.result or view.facts.matter
    by_code = result is not None and result.synthesised_by == FALLBACK
    if shown is None or shown.synthesis is None or (by_code and not view.facts.titles):
        return []  # then code counted the findings, and there are none
    if view.facts.spec.panel.chair.rule_based:
        return []  # a list of the findings that stand above it
    return synthesis(view, shown.synthesis, None)


def _patch(view: ReviewView) -> list[Block]:
    """What the patch mends and what it leaves; the patch itself for whoever decides, or wants everything."""
    shown = view.result or view.facts.matter
    fixes = shown.fixes if shown else None
    if fixes is None:
        return []
    usable = [fix for fix in fixes.fixes if fix.problem is None]
    mended = frozenset(chain.from_iterable(fix.findings for fix in usable))
    parts = [*_usable(view, fixes, usable, mended), *_unusable(view, fixes, mended)]
    wholly = any(isinstance(shown, Patch) for shown in parts)
    return [Heading(view.message("patch")), *parts] if wholly else parts


def _usable(
    view: ReviewView, fixes: CheckedFixes, usable: Sequence[CheckedFix], mended: frozenset[str]
) -> list[Block]:
    if not usable:
        return []
    mends = remark(_mends(view, mended))
    wholly = view.everything or view.deciding
    items = Items(tuple(_written(view, fix) for fix in usable))
    return [mends, items, Patch(fixes.patch)] if wholly else [mends]


def _written(view: ReviewView, fix: CheckedFix) -> Item:
    return Item(view.message("fix_by", findings=", ".join(fix.findings), author=fix.source))


def _unusable(view: ReviewView, fixes: CheckedFixes, mended: frozenset[str]) -> list[Block]:
    """Which fixes cannot be applied, of findings that no other one mends."""
    texts = [
        view.message("unfixable", findings=", ".join(fix.findings), who=fix.source, why=fix.problem)
        for fix in fixes.fixes
        if fix.problem is not None and not mended.issuperset(fix.findings)
    ]
    return [remark(Span(f"⚠ {text}", Style.WARNING)) for text in texts]


def _mends(view: ReviewView, mended: frozenset[str]) -> str:
    """`Mends F1; leaves F2, F3.`"""
    entries = view.facts.findings
    known = [entry.finding.id for entry in entries if mended & {entry.finding.id, *entry.again}]
    left = [entry.finding.id for entry in entries if entry.finding.id not in known]
    names = ", ".join(known or sorted(mended))
    # Once it is over and nothing was applied, nothing was mended.
    if view.result is not None and not view.result.applied:
        partly, wholly = "patch_would_mend", "patch_would_mend_all"
    else:
        partly, wholly = "patch_mends", "patch_mends_all"
    return view.message(partly if left else wholly, mended=names, left=", ".join(left))


def _rounds(view: ReviewView) -> list[Block]:
    rows = []
    for key, assessment in view.facts.assessments:
        metrics, stability = assessment.metrics, assessment.metrics.avg_stability
        rows.append(
            (
                str(cycle_at(key).number),
                str(assessment.round),
                f"{metrics.agreement_ratio:.2f}",
                "-" if stability is None else f"{stability:.2f}",
                f"{metrics.overall_score:.2f}",
                view.message(f"how_{metrics.recommendation.value}"),
                f"{assessment.answered}/{assessment.expected}",
            )
        )
    once = all(row[0] == "1" for row in rows)
    heads = tuple(map(view.message, ROUND_HEADS))[once:]
    return [Grid(heads, tuple(row[once:] for row in rows))] if rows else []


def _impact(view: ReviewView) -> list[Block]:
    """Whether the discussion helped: in a line, or in full. A critique alone is no debate."""
    receipt = view.result.receipt if view.result else None
    if receipt is None or view.facts.rounds < 2:
        return []
    shown = ImpactView.of_findings(receipt)
    return impact(view, shown) if view.everything else [impact_in_a_line(view, shown)]


VIEW = WorkflowView(body, headline=counted, matter=matter, always_whole=True)
DISPLAY = WorkflowDisplay(ReviewResult, VIEW, LIVE)

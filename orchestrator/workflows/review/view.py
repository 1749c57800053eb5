"""How a review is shown: findings, the chair's synthesis, the patch, the rounds, and whether the debate helped.

Where rules alone look, there is one list of what they found: nobody debated, so nothing is said of a debate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain

from orchestrator.core.cycle_names import cycle_at
from orchestrator.core.discussion.synthesis import FALLBACK
from orchestrator.core.document import (
    Block,
    FindingEntry,
    Folded,
    Grid,
    Heading,
    Item,
    Items,
    Patch,
    remark,
)
from orchestrator.core.lines import Span, Style
from orchestrator.core.results import FindingsImpact
from orchestrator.core.views.context import ViewContext, WorkflowView, figures, synthesis
from orchestrator.core.views.feedback import feedback
from orchestrator.core.views.findings import (
    counted,
    finding_list,
    findings,
    without_repeated_reasons,
)
from orchestrator.core.views.impact import ImpactView, impact, impact_in_a_line
from orchestrator.core.wording import id_ranges
from orchestrator.workflows.display import WorkflowDisplay
from orchestrator.workflows.review.live import LIVE
from orchestrator.workflows.review.result import ReviewResult
from shared.models.review_replies import CheckedFix, CheckedFixes

ReviewView = ViewContext[ReviewResult]
ROUND_HEADS = (
    *("head_review", "head_round", "head_agreement", "head_stability", "head_score"),
    *("head_recommendation", "head_answered"),
)

MOST_NAMES = 5
_LISTS = ("consensus", "resolved_issues", "remaining_concerns")


def body(view: ReviewView) -> list[Block]:
    """What to read first on top; the discussion in full where all is to be shown."""
    debated = not view.facts.spec.panel.by_rules
    detailed = debated or view.everything
    listed = _all_findings(view) if view.deciding else findings(view, detailed=detailed)
    blocks = [*listed, *_synthesis(view), *_patch(view)]
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
    for entry in without_repeated_reasons(view, view.facts.findings):
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
    merged = shown.synthesis
    if by_code:  # its lists are the findings that stand above it
        merged = merged.model_copy(update=dict.fromkeys(_LISTS, ()))
    return synthesis(view, merged, None)


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
    """`Mends F1; leaves F2, F3. F4 says nearly the same.`, and in the past once it is applied."""
    # Of a run that is over, whatever still stands was not mended.
    applied = mended if view.result is None else mended - view.facts.standing
    of_it = _ids(entry for entry in view.facts.findings if _is_of(entry, applied or mended))
    alike, left = _beside(view, of_it)
    names = id_ranges(of_it or sorted(applied or mended))
    form = "" if left else "_listed" if view.facts.is_cut else "_all"
    word = f"patch_{_form(view, applied)}{form}"
    sentence = view.message(word, mended=names, left=_first_of(view, left))
    also = view.message("patch_mends_like", names=id_ranges(alike), n=len(alike))
    return f"{sentence} {also}" if alike else sentence


def _first_of(view: ReviewView, names: Sequence[str]) -> str:
    """All names, or the first ones of many: which they are stands in the list."""
    more = len(names) - MOST_NAMES
    first = ", ".join(names[:MOST_NAMES])
    return view.message("names_and_more", names=first, n=more) if more > 1 else id_ranges(names)


def _form(view: ReviewView, applied: frozenset[str]) -> str:
    if not applied:
        return "would_mend"
    return "mends" if view.result is None else "mended"


def _is_of(entry: FindingEntry, mended: frozenset[str]) -> bool:
    return not mended.isdisjoint((entry.finding.id, *entry.again))


def _ids(entries: Iterable[FindingEntry]) -> list[str]:
    return [entry.finding.id for entry in entries]


def _beside(view: ReviewView, mended: Sequence[str]) -> tuple[list[str], list[str]]:
    """What stands besides: what says nearly the same as something that is mended, and the rest."""
    others = [
        entry
        for entry in view.facts.findings
        if entry.finding.id in view.facts.standing and entry.finding.id not in mended
    ]
    alike = _ids(entry for entry in others if entry.like in mended)
    return alike, [name for name in _ids(others) if name not in alike]


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
    spare = tuple(number - once for number in (3, 2, 6))  # stability, agreement, who answered
    return [Grid(heads, tuple(row[once:] for row in rows), spare)] if rows else []


def _impact(view: ReviewView) -> list[Block]:
    """Whether the discussion helped: of the change in a line, or in full of each review. A critique is no debate.

    What a fix is said to be says nothing about the change, so a review of one never stands for the run.
    """
    debates = [_debate(view, receipt) for receipt in _debated(view)]
    if not view.everything:
        return [impact_in_a_line(view, shown) for shown in debates[:1]]
    return list(chain.from_iterable(impact(view, shown) for shown in debates))


def _debated(view: ReviewView) -> Iterable[FindingsImpact]:
    """The receipts of the reviews that had more than one round."""
    rounds = Counter(
        cycle_at(key).number for key, _assessment in view.facts.assessments if "round/" in key
    )
    receipts = (*view.result.earlier_receipts, view.result.receipt) if view.result else ()
    return (each for each in receipts if each is not None and rounds[_number(each)] > 1)


def _debate(view: ReviewView, receipt: FindingsImpact) -> ImpactView:
    number = _number(receipt)
    endings = (
        assessment.ending
        for key, assessment in reversed(view.facts.assessments)
        if cycle_at(key).number == number
    )
    later = view.result is not None and number < view.result.reviews
    which = figures(
        view.message("cycle_review", n=number) if number > 1 else None,
        view.message("before_fix") if later else None,
    )
    return ImpactView.of_findings(receipt, next(filter(None, endings), None), which)


def _number(receipt: FindingsImpact) -> int:
    return receipt.review or 1


VIEW = WorkflowView(body, headline=counted, matter=matter, always_whole=True)
DISPLAY = WorkflowDisplay(ReviewResult, VIEW, LIVE)

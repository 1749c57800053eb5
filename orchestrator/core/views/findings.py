"""Findings in a document, and what a workflow shows that has no view of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from orchestrator.core.document import (
    Block,
    FindingEntry,
    FindingList,
    FindingWords,
    Objection,
    Span,
    Style,
    Words,
    remark,
)
from orchestrator.core.results import WorkflowResult
from orchestrator.core.views.context import ViewContext, WorkflowView, shortened
from shared.models.findings import SEVERITY_ORDER

# Columns of a table by their names, each with the code of its head.
_HEADS = {
    "id": "head_id",
    "severity": "head_severity",
    "where": "head_where",
    "finding": "head_finding",
    "carried": "head_carried",
    "objections": "head_objections",
    "status": "head_status",
}
SHORT_WHY = 500
SHORT_REASON = 160


def finding_list(
    view: ViewContext[Any], entries: Iterable[FindingEntry], *, detailed: bool = False
) -> FindingList:
    """Findings with the words around them; in short where not everything is shown."""
    words = FindingWords(
        suggestion=view.message("suggestion"),
        rules=view.message("finding_rule"),
        carried=view.message("finding_for"),
        objections=view.message("finding_against"),
        heads={name: view.message(code) for name, code in _HEADS.items()},
    )
    shown = tuple(entries if view.everything else map(_in_short, entries))
    return FindingList(shown, words, detailed=detailed, in_code=view.facts.spec.panel.by_rules)


def _in_short(entry: FindingEntry) -> FindingEntry:
    objections = tuple(
        replace(objection, reason=shortened(objection.reason, SHORT_REASON))
        for objection in entry.objections
    )
    why = entry.why if len(entry.why) <= SHORT_WHY else shortened(entry.why, SHORT_WHY)
    named = tuple(replace(rule, page="") for rule in entry.rules) if why.strip() else entry.rules
    return replace(entry, why=why, rules=named, objections=objections)


def said_once(view: ViewContext[Any], entries: Iterable[FindingEntry]) -> tuple[FindingEntry, ...]:
    """The entries with each reason of a dissent in full where it stands first; below, where that is."""
    first: dict[Objection, str] = {}
    shown = []
    for entry in entries:
        for objection in entry.objections:
            first.setdefault(objection, entry.finding.id)
        objections = tuple(
            objection
            if not objection.reason.strip() or first[objection] == entry.finding.id
            else replace(objection, reason=view.message("as_before", finding=first[objection]))
            for objection in entry.objections
        )
        shown.append(replace(entry, objections=objections))
    return tuple(shown)


def findings(view: ViewContext[Any], *, detailed: bool = False) -> list[Block]:
    """The findings that the panel did not reject, as many as are wanted."""
    entries = view.facts.findings
    first = entries[: view.listed if view.everything else view.most_findings]
    shown = said_once(view, (entry for entry in first if view.everything or not entry.faint))
    blocks: list[Block] = []
    if shown:
        blocks.append(finding_list(view, shown, detailed=detailed))
    elif view.facts.assessments:
        blocks.append(remark(Span(view.message("no_findings"), Style.DIM)))
    if len(entries) > len(shown):
        more = view.message("more", n=len(entries) - len(shown))
        blocks.append(remark(Span(more, Style.DIM)))
    if view.facts.rejected:
        rejected = view.message("rejected", n=view.facts.rejected)
        blocks.append(remark(Span(rejected, Style.DIM)))
    return blocks


def counted(view: ViewContext[Any]) -> str:
    """`5 findings: 1 CRITICAL, 4 MINOR; 1 nearly repeats another; 2 fixed`"""
    facts = view.facts
    if not facts.assessments and not facts.final:
        return ""
    standing = {e.finding.id: e for e in facts.findings if e.finding.id in facts.standing}
    own = [entry for entry in standing.values() if not _repeats(entry, standing)]
    repeated, mended = len(standing) - len(own), len(facts.findings) - len(standing)
    told = (
        _by_severity(view, own),
        view.message("of_them_repeat", n=repeated) if repeated else "",
        view.message("of_them_fixed", n=mended) if mended else "",
    )
    return "; ".join(filter(None, told))


def _repeats(entry: FindingEntry, standing: Mapping[str, FindingEntry]) -> bool:
    """Whether it says nearly what another one says that weighs as much: both are one defect to who counts them."""
    other = standing.get(entry.like)
    return other is not None and other.finding.severity.rank <= entry.finding.severity.rank


def _by_severity(view: ViewContext[Any], entries: Sequence[FindingEntry]) -> str:
    if not entries:
        return view.message("no_findings")
    numbers = Counter(entry.finding.severity for entry in entries)
    counts = ", ".join(f"{numbers[each]} {each}" for each in SEVERITY_ORDER if numbers[each])
    return f"{view.message('finding_count', n=len(entries))}: {counts}"


def summary(view: ViewContext[WorkflowResult]) -> list[Block]:
    """Nothing is known of the workflow but what all have in common."""
    words: list[Block] = [Words(view.facts.summary)] if view.facts.summary else []
    return [*words, *(findings(view) if view.facts.findings else ())]


GENERIC = WorkflowView(summary)

"""Findings in a document, and what a workflow shows that has no view of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from orchestrator.core.document import (
    Block,
    FindingEntry,
    FindingList,
    FindingWords,
    Objection,
    Words,
    remark,
)
from orchestrator.core.findings.ranking import foremost
from orchestrator.core.lines import Span, Style
from orchestrator.core.results import WorkflowResult
from orchestrator.core.views.context import ViewContext, WorkflowView, shortened
from shared.models.findings import SEVERITY_ORDER, Severity

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
# As many findings alike are one entry where not everything is shown.
ALIKE_FROM = 4
MOST_PLACES = 6
MOST_NAMED = 5
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


def without_repeated_reasons(
    view: ViewContext[Any], entries: Iterable[FindingEntry]
) -> tuple[FindingEntry, ...]:
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
    every = _groups(view)
    groups = every[: view.listed]
    if not view.everything:
        groups = foremost(every, view.most_findings, lambda group: group[0].faint)
    shown = without_repeated_reasons(view, (_with_alike(view, group) for group in groups))
    named = _grave(every, shown) if detailed and not view.everything else []
    blocks: list[Block] = []
    if shown:
        blocks.append(finding_list(view, shown, detailed=detailed))
    if named:
        blocks.append(finding_list(view, (group[0] for group in named)))
    left = len(view.facts.findings) - sum(map(len, (*groups, *named)))
    return [*blocks, *_not_listed(view, left, none=not shown)]


def _not_listed(view: ViewContext[Any], left: int, *, none: bool) -> Iterator[Block]:
    """How many more there are, or that there are none, and how many were rejected."""
    if none and view.facts.assessments:
        yield remark(Span(view.message("no_findings"), Style.DIM))
    if left:
        yield remark(Span(view.message("more", n=left), Style.DIM))
    if view.facts.rejected:
        rejected = view.message("rejected", n=view.facts.rejected)
        yield remark(Span(rejected, Style.DIM))


def _grave(
    groups: Iterable[list[FindingEntry]], shown: Sequence[FindingEntry]
) -> list[list[FindingEntry]]:
    """What is too grave to be only counted: of these the line stands, without what is said of it."""
    there = {entry.finding.id: entry for entry in shown}
    grave = (
        group
        for group in groups
        if group[0].finding.id not in there
        and group[0].finding.severity.rank <= Severity.MAJOR.rank
        and not (group[0].faint or group[0].weak or _repeats(group[0], there))
    )
    return list(islice(grave, MOST_NAMED))


def _groups(view: ViewContext[Any]) -> list[list[FindingEntry]]:
    """Each finding, or many that one rule says in the same words, at the place of the first."""
    if view.everything:
        return [[entry] for entry in view.facts.findings]
    alike: dict[tuple[Any, ...], list[FindingEntry]] = {}
    for entry in view.facts.findings:
        alike.setdefault(_words_of(entry), []).append(entry)
    folded = {key: group for key, group in alike.items() if len(group) >= ALIKE_FROM}
    groups = []
    for entry in view.facts.findings:
        group = folded.get(_words_of(entry), [entry])
        if entry is group[0]:
            groups.append(group)
    return groups


def _words_of(entry: FindingEntry) -> tuple[Any, ...]:
    """What a rule says, wherever; what a reviewer says is of one place."""
    if entry.carried or not entry.rules:
        return (entry.finding.id,)
    words = (entry.finding.severity, entry.finding.title, entry.status, entry.marks)
    return (*entry.finding.every_rule, *words)


def _with_alike(view: ViewContext[Any], group: Sequence[FindingEntry]) -> FindingEntry:
    first, *rest = group
    if not rest:
        return first
    places = [entry.where for entry in rest]
    named = ", ".join(places[:MOST_PLACES])
    if len(places) > MOST_PLACES:
        named = view.message("names_and_more", names=named, n=len(places) - MOST_PLACES)
    return replace(first, alike=view.message("alike_elsewhere", n=len(rest), places=named))


def counted(view: ViewContext[Any]) -> str:
    """`5 findings: 1 CRITICAL, 4 MINOR; 1 nearly repeats another; 2 fixed`"""
    facts = view.facts
    if not facts.assessments and not facts.final:
        return ""
    standing = {e.finding.id: e for e in facts.findings if e.finding.id in facts.standing}
    own = [entry for entry in standing.values() if not _repeats(entry, standing)]
    repeated, mended = len(standing) - len(own), len(facts.findings) - len(standing)
    counts = (
        _by_severity(view, own),
        view.message("of_them_repeat", n=repeated) if repeated else "",
        view.message("of_them_fixed", n=mended) if mended else "",
    )
    return "; ".join(filter(None, counts))


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

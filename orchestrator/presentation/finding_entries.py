"""A finding as a reader meets it: what is wrong, what to do, who carries it, who does not and why."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from orchestrator.core.document import FindingEntry, NamedRule, Objection
from orchestrator.core.findings.ranking import Ranked
from orchestrator.core.findings.repeats import cycle_of
from orchestrator.core.views.live import raised_in
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.positions import (
    FinalPosition,
    Voices,
    final_positions,
    opponents,
    supporters,
)
from orchestrator.presentation.report import RunReport
from shared.models.findings import Finding, FindingStatus, Ground, Position, RaisedFinding
from shared.models.panel import Participant
from shared.patterns import regex

_PAGE = regex(r"https://[\w.-]+(?:/[\w.~/%#=&?+-]*)?", re.ASCII)


def finding_entries(report: RunReport, words: Translator) -> tuple[FindingEntry, ...]:
    """The findings that the panel did not reject, what to read first on top; a defect that was raised again is one."""
    again, pages = report.raised_again, rule_pages(report)
    firsts = (finding for finding in report.ranked if finding.id not in again)
    return tuple(finding_entry(finding, report, words, pages) for finding in firsts)


def finding_entry(
    finding: Finding, report: RunReport, words: Translator, pages: Mapping[str, str]
) -> FindingEntry:
    """A finding with the independent voices that carry it, as they stand since the last review that raised it.

    `weak`: one voice says it and shows nothing; `like F2`: that says nearly the same. A test that a reviewer supplied
    shows it where it fails for that reason. `pages` has those of the analysers' rules.
    """
    stands, by_rules = finding in report.standing, report.spec.panel.by_rules
    repeats = _repeats(finding, report)
    last, again = max((finding, *repeats), key=cycle_of), tuple(other.id for other in repeats)
    carrying, positions = supporters(report, last), final_positions(report, last)
    place, worded = report.place_in_ranking(finding), words.finding(finding)
    rules = named_rules(finding, pages)
    entry = FindingEntry(
        finding=worded,
        status=words.message(f"finding_{last.status.value if stands else 'fixed'}"),
        evident=stands and last.status is FindingStatus.ACCEPTED,
        marks=tuple(_marks(place, again, words)),
        caveat=f" [{words.translate(finding.caveat)}]" if finding.caveat else "",
        why=without_pages(worded.detail, rules),
        suggestion=worded.suggestion or "",
        supporters=tuple(critic.name for critic in carrying),
        objections=tuple(_objection(final, words) for final in opponents(positions)),
        like=place.like or "",
        again=again,
        patch=_own_patch(finding, report),
        rules=rules,
    )
    if by_rules:
        return entry
    voices = Voices.on(report, last)
    carried = "; ".join(
        (_carried(carrying, voices, positions, words), *_conceded(positions, words))
    )
    return replace(
        entry, support=_ratio(voices), carried=carried, faint=place.faint, weak=place.weak
    )


def rule_pages(report: RunReport) -> Mapping[str, str]:
    """The page that an analyser names for each of its rules; nobody else's address is followed."""
    analysers = {critic.name for critic in report.spec.panel.critics if critic.rule_based}
    steps = (step for step in report.steps if step.participant in analysers)
    raised: list[Finding | RaisedFinding] = [
        finding for finding in report.findings if analysers.issuperset(finding.raised_by)
    ]
    raised += chain.from_iterable(map(raised_in, steps))
    return dict(chain.from_iterable(map(_page_of, raised)))


def _page_of(raised: Finding | RaisedFinding) -> Iterable[tuple[str, str]]:
    """The rule with the page that is named with it, where both are."""
    page = _PAGE.search(raised.detail)
    return [(raised.rule, page[0])] if raised.rule and page else []


def named_rules(finding: Finding, pages: Mapping[str, str]) -> tuple[NamedRule, ...]:
    return tuple(NamedRule(code, pages.get(code, "")) for code in finding.every_rule)


def without_pages(detail: str, rules: Iterable[NamedRule]) -> str:
    """The reason without the lines that only name a rule's page, which is shown with the rule."""
    pages = tuple(rule.page for rule in rules if rule.page)
    rows = detail.split("\n")
    return "\n".join(row for row in rows if not (pages and row.rstrip(" .").endswith(pages)))


def _repeats(finding: Finding, report: RunReport) -> list[Finding]:
    """What later reviews raised as the same defect."""
    names = {name for name, first in report.raised_again.items() if first == finding.id}
    return [other for other in report.kept if other.id in names]


def _marks(place: Ranked, again: Iterable[str], words: Translator) -> Iterable[str]:
    if place.weak:
        yield words.message("finding_weak")
    if place.like:
        yield words.message("finding_like", other=place.like)
    if Ground.REPRODUCED in place.evidence:
        shown = Ground.TESTS in place.evidence
        yield words.message("finding_reproduced" if shown else "finding_test_fails")
    if again:
        yield words.message("finding_again", names=", ".join(again))


def _ratio(voices: Voices) -> str:
    """Of one family there is one voice, even where its members do not agree: a ratio would hide who is against."""
    return f"{voices.carrying}/{voices.asked}" if voices.asked > 1 else ""


def _carried(
    carrying: Sequence[Participant],
    voices: Voices,
    positions: Iterable[FinalPosition],
    words: Translator,
) -> str:
    """`ada, cleo (in part) (2 of 4)`; the names alone where all are one voice."""
    partly = {final.participant for final in positions if final.position is Position.PARTIAL}
    named = (words.message("in_part", who=c.name) if c.name in partly else c.name for c in carrying)
    names = ", ".join(named) or "-"
    if voices.asked < 2:
        return names
    word = "carried_by" if voices.asked == voices.critics else "carried_by_voices"
    carried = words.message(word, names=names, n=voices.carrying, all=voices.asked)
    sides = map(", ".join, voices.divided)
    return "; ".join((carried, *(words.message("divided_voice", names=side) for side in sides)))


def _conceded(positions: Iterable[FinalPosition], words: Translator) -> Iterable[str]:
    """`erin (author) agrees`"""
    for final in positions:
        if not final.is_critic and final.position in (Position.AGREE, Position.PARTIAL):
            yield words.message("author_agrees", who=final.participant)


def _objection(final: FinalPosition, words: Translator) -> Objection:
    name = final.participant
    named = name if final.is_critic else words.message("as_author", who=name)
    withdrew = final.position is Position.WITHDRAW
    return Objection(named, words.message("took_it_back") if withdrew else "", final.reason)


def _own_patch(finding: Finding, report: RunReport) -> str:
    """The usable fix that mends this finding alone; nothing where there is none, or it is applied."""
    fixes = report.fixes.fixes if report.fixes and finding in report.standing else ()
    own = (fix.patch for fix in fixes if fix.problem is None and fix.findings == (finding.id,))
    return next(own, "")

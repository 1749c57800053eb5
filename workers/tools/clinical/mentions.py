"""Problems, symptoms, tests and procedures that a chart names, and what the words around them make of "
"them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from shared.models.case import Mention
from shared.models.mentions import MentionKind
from workers.tools.clinical.chart import Chart
from workers.tools.clinical.concepts import ConceptName, find_concepts
from workers.tools.clinical.contexts import (
    AFTER,
    BEFORE,
    COMPANY,
    NOT_EXCLUDED,
    PSEUDO_NEGATION,
    REPORTED,
    SIDE_AFTER,
    SIDE_BEFORE,
    SIDES,
    TERMINATION,
    ContextKind,
)
from workers.tools.clinical.headings import normalised

_WINDOW_BEFORE = 240
_WINDOW_AFTER = 90
_SIDE_WINDOW = 60
MOST_MENTIONS = 10_000
"""More than any chart has; what is named after them in a text is not looked at."""
_CAN_BE_PLANNED = frozenset((MentionKind.TEST, MentionKind.PROCEDURE))


@dataclass(frozen=True)
class MentionContext:
    """What is said of a mention; all false: the patient has it, had it done or takes it now."""

    negated: bool = False
    uncertain: bool = False
    family: bool = False
    past: bool = False
    planned: bool = False


def context_at(chart: Chart, start: int, end: int, *, headed: bool = True) -> MentionContext:
    """What the rest of its sentence, and with `headed` the heading above, say of the words from `start` to `end`."""
    first, last = chart.sentence_at(start)
    whole = chart.text[max(first, start - _WINDOW_BEFORE) : start]
    before = _since(TERMINATION, PSEUDO_NEGATION.sub(" ", whole))
    after = _until_termination(
        PSEUDO_NEGATION.sub(" ", chart.text[end : min(last, end + _WINDOW_AFTER)])
    )
    heading = _heading_kinds(chart, start) if headed else frozenset()

    def applies(kind: ContextKind, earlier: str) -> bool:
        return bool(BEFORE[kind].search(earlier) or AFTER[kind].search(after))

    return MentionContext(
        negated=applies(ContextKind.NEGATED, before) and not NOT_EXCLUDED.search(after),
        uncertain=applies(ContextKind.UNCERTAIN, before),
        family=ContextKind.FAMILY in heading or applies(ContextKind.FAMILY, _since(COMPANY, whole)),
        past=_is_past(before, ContextKind.PAST in heading or applies(ContextKind.PAST, before)),
        planned=applies(ContextKind.PLANNED, before) and not REPORTED.match(after),
    )


def _since(pattern: re.Pattern[str], before: str) -> str:
    end = max((match.end() for match in pattern.finditer(before)), default=0)
    return before[end:]


def _until_termination(after: str) -> str:
    match = TERMINATION.search(after)
    return after[: match.end()] if match else after


def _is_past(before: str, applies: bool) -> bool:
    return applies and not BEFORE[ContextKind.NOW].search(before)


def _heading_kinds(chart: Chart, start: int) -> frozenset[ContextKind]:
    section = chart.section_at(start)
    if section is None or not section.heading:
        return frozenset()
    return _KINDS.get(normalised(section.heading), frozenset())


def is_in_history(chart: Chart, start: int) -> bool:
    """Whether the heading above says that what stands there is of the past."""
    return ContextKind.PAST in _heading_kinds(chart, start)


_PAST_HEADINGS = (
    "past medical history;pmh;past history;medical history;past surgical history;psh;surgical history"
    ";과거력;과거병력;기왕력;수술력"
)
_FAMILY_HEADINGS = "family history;fh;fhx;fmh;family hx;가족력"
_KINDS = {
    **dict.fromkeys(_PAST_HEADINGS.split(";"), frozenset((ContextKind.PAST,))),
    **dict.fromkeys(_FAMILY_HEADINGS.split(";"), frozenset((ContextKind.FAMILY,))),
}


def find_mentions(chart: Chart) -> tuple[Mention, ...]:
    """Problems, symptoms, tests and procedures in the order of the text; at most `MOST_MENTIONS`.

    A disease that lasts is present, though it stands in the history: only its resolution makes it past.
    """
    names = islice(find_concepts(chart.text), MOST_MENTIONS)
    return tuple(_mention(chart, name) for name in names if not _is_heading(chart, name))


def _is_heading(chart: Chart, name: ConceptName) -> bool:
    """Whether a problem's name is the whole heading of its section: "PE:" heads an examination."""
    if name.concept.kind is not MentionKind.PROBLEM:
        return False
    section = chart.section_at(name.start)
    if section is None or section.heading.strip() != chart.text[name.start : name.end]:
        return False
    line = chart.text.rfind("\n", 0, name.start) + 1
    return not any(letter.isalnum() for letter in chart.text[line : name.start])


def _mention(chart: Chart, name: ConceptName) -> Mention:
    context = context_at(chart, name.start, name.end)
    planned = context.planned and name.concept.kind in _CAN_BE_PLANNED
    return Mention(
        span=chart.span(name.start, name.end),
        kind=name.concept.kind,
        concept=name.concept.name,
        division=chart.division_at(name.start),
        negated=context.negated,
        uncertain=context.uncertain and not planned,
        family=context.family,
        past=context.past and not name.concept.chronic,
        planned=planned,
        side=side_at(chart, name.start, name.end),
    )


def side_at(chart: Chart, start: int, end: int) -> str | None:
    """`left`, `right` or `bilateral`, where the words next to a mention say so."""
    first, last = chart.sentence_at(start)
    before = chart.text[max(first, start - _SIDE_WINDOW) : start]
    match = SIDE_BEFORE.search(before) or SIDE_AFTER.match(
        chart.text[end : min(last, end + _SIDE_WINDOW)]
    )
    side = match and (match["side"] or "").lower()
    return SIDES.get(side) if side else None

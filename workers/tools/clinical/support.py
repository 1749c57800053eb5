"""What a passage does for a statement: supports it, contradicts it, or merely mentions what it is about.

Code judges only what it can: values of the same quantity, and whether the words of the statement are denied here and
asserted there (`context_at`: NegEx and ConText). Everything else mentions.
"""

from __future__ import annotations

import re
from dataclasses import replace
from enum import StrEnum
from itertools import islice

from shared.models.case import Support
from shared.patterns import regex
from shared.text.search_terms import search_terms
from workers.tools.clinical.chart import Chart, read_chart
from workers.tools.clinical.mentions import MentionContext, context_at
from workers.tools.clinical.reading import Reading
from workers.tools.clinical.readings import find_readings

STATED = 0.6
"""How much of a query a passage has to have before it can be said to state or deny it."""
MOST_WORDS = 40
_EQUAL = 0.005
_WORD = regex(r"[^\W_]+")
_EARLIER = regex(
    r"\b(?:previous(?:ly)?|prior|last|ago|baseline|earlier|formerly|on admission|in \d{4})\b"
    r"|이전|과거|기저|작년|지난|[일주달월년] ?전|입원 ?(?:당)?시",
    re.IGNORECASE,
)
_ADVISED = regex(
    r"\b(?:recommend(?:ed|s)?|indicated|first[- ]line|should be|is preferred|treatment of choice)\b|권고|권장|추천|1차",
    re.IGNORECASE,
)
_WARNED = regex(
    r"\b(?:contraindicated|not recommended|not indicated|avoid(?:ed)?|should not|must not|do not|harmful)\b"
    r"|금기|피해야|권고하지 않|권장하지 않|삼가",
    re.IGNORECASE,
)


class SourceKind(StrEnum):
    """Whom a source speaks of: this patient, another one, or nobody in particular."""

    CHART = "chart"
    SIMILAR = "similar"
    DOCUMENT = "documents"


def support(
    query: str, source: Chart, place: tuple[int, int], relevance: float, kind: SourceKind
) -> Support:
    """What the passage at `place` of a source of that kind does for `query`, of which it has the share `relevance`.

    What holds for another patient neither supports nor contradicts anything about this one.
    """
    passage = source.text[slice(*place)]
    match kind:
        case SourceKind.SIMILAR:
            return Support.MENTIONS
        case SourceKind.DOCUMENT:
            return _general(passage) if relevance >= STATED else Support.MENTIONS
        case SourceKind.CHART:
            judged = _by_values(query, passage)
            return judged or _by_context(query, source, place, relevance)


def _general(passage: str) -> Support:
    if _WARNED.search(passage):
        return Support.CONTRADICTS
    return Support.SUPPORTS if _ADVISED.search(passage) else Support.MENTIONS


def _by_values(query: str, passage: str) -> Support | None:
    """Judged where both state a number of the same quantity, in the same unit as far as they say so."""
    asked = find_readings(query)
    if not asked:
        return None
    stated = find_readings(passage)
    pairs = [
        (wanted, reading)
        for wanted in asked
        for reading in stated
        if _is_comparable(wanted, reading)
    ]
    if not pairs:
        return None
    if any(_is_equal(wanted.number, reading.number) for wanted, reading in pairs):
        return Support.SUPPORTS
    return Support.MENTIONS if _EARLIER.search(passage) else Support.CONTRADICTS


def _is_comparable(left: Reading, right: Reading) -> bool:
    if left.quantity != right.quantity:
        return False
    return left.unit == right.unit or None in (left.unit, right.unit)


def _is_equal(left: float, right: float) -> bool:
    return abs(left - right) <= _EQUAL * max(abs(left), 1.0)


def _by_context(query: str, source: Chart, place: tuple[int, int], relevance: float) -> Support:
    """By what is said of their common words: the same, the contrary, or something else."""
    if relevance < STATED:
        return Support.MENTIONS
    terms = set(search_terms(query))
    asked = _contexts(read_chart(query), (0, len(query)), terms)
    stated = _contexts(source, place, terms)
    if len(asked) != 1 or len(stated) != 1:
        return Support.MENTIONS
    [wanted], [context] = asked, stated
    if wanted == context:
        return Support.SUPPORTS
    denied = replace(wanted, negated=not wanted.negated)
    return Support.CONTRADICTS if denied == context else Support.MENTIONS


def _contexts(chart: Chart, place: tuple[int, int], terms: set[str]) -> set[MentionContext]:
    """What is said of each word at `place` that is one of the terms, as far as the first 40 of them."""
    words = (
        match
        for match in _WORD.finditer(chart.text, *place)
        if terms.intersection(search_terms(match[0]))
    )
    return {context_at(chart, word.start(), word.end()) for word in islice(words, MOST_WORDS)}

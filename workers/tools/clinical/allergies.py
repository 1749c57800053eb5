"""Allergies that a chart tells: drugs, groups of drugs and other allergens, and that none are known."""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from shared.models.case import Mention
from shared.models.mentions import MentionKind
from shared.patterns import regex
from workers.tools.clinical.chart import Chart
from workers.tools.clinical.drug_names import DrugName, find_names

NONE_KNOWN = "no known allergies"
"""The concept of the mention that tells so; it is negated."""

_GROUPS = {
    "penicillin": r"penicillins?\b|pcns?\b|페니실린",
    "cephalosporin": r"cephalosporins?\b|세팔로스포린|세파계",
    "sulfonamide antibiotic": r"sulfa\b|sulfonamides?\b|sulpha\b|설파|술파",
    "nsaid": r"nsaids?\b|non-?steroidal|비스테로이드|소염 ?진통제",
    "macrolide": r"macrolides?\b",
    "fluoroquinolone": r"(?:fluoro)?quinolones?\b|퀴놀론",
    "tetracycline": r"tetracyclines\b",
    "ace inhibitor": r"ace[- ]inhibitors?\b|acei\b",
    "statin": r"statins?\b|스타틴",
    "opioid": r"opi(?:oid|ate)s?\b",
    "contrast medium": r"(?:iodinated |iv |intravenous )?contrast\b|iodine\b|조영제|요오드",
    "latex": r"latex\b|라텍스",
    "food": r"shellfish\b|peanuts?\b|tree nuts?\b|eggs?\b|땅콩|갑각류|새우|계란|견과",
    "insect venom": r"bee stings?\b|bees?\b|벌 ?독",
}
_GROUP = regex(
    "|".join(f"(?P<g{number}>{words})" for number, words in enumerate(_GROUPS.values())), re.I
)
_NONE_KNOWN = regex(
    r"\bNKD?A\b|\bno (?:known )?(?:drug |medication |medicine |food |environmental |seasonal )?"
    r"(?:or food |or medication |or drug )?allerg(?:y|ies)\b(?! to (?!any|med|drug|food))"
    r"|denies (?:any )?(?:known )?(?:drug |medication )?allergies"
    r"|알레르기 ?(?:병력 ?|력 ?)?(?:은 ?|는 ?)?(?::|：)? ?(?:없|음성|부인)|allergies: ?none\b|not allergic to any",
    re.I,
)
_BEFORE = regex(
    r"(?<![a-z])(?:allerg(?:ic|y|ies)(?: reactions?)? to|anaphyla(?:xis|ctic)(?: reactions?)? (?:to|after)"
    r"|allerg(?:y|ies) ?(?:include|including|are|list|history)? ?[:：-]"
    r"|allerg(?:y|ies) include|hypersensitivity (?:reactions? )?to"
    r"|(?:reacts?|reacted|adverse (?:drug )?reactions?) to)",
    re.I,
)
_KOREAN_BEFORE = regex(r"(?:알레르기|알러지|약물 ?과민반응) ?(?:병력|력|유발 ?약물|약물)? ?[:：]")
_AFTER = regex(
    r"[ -]{0,2}allerg(?:y|ies|ic)\b|\(? ?allergy\b"
    r"|[가-힣]{0,3} ?(?:계열?|제제?|항생제)? ?(?:에 ?|에 대한 ?|약물 ?|에 ?대해 ?)?(?:심한 ?)?"
    r"(?:알레르기|알러지|과민|아나필락시스)",
    re.I,
)
_DENIED_BEFORE = regex(r"(?:\bno|\bnot|\bdenies|\bwithout|\bnegative for)\b[^.;\n]{0,20}$", re.I)
_DENIED_AFTER = regex(r"[^.;\n]{0,12}(?:없|부인|음성)|\s*(?:was |is )?(?:denied|ruled out)", re.I)
_END = regex(r"[.;\n]|\bbut\b|\bpresent(?:s|ed|ing)\b|\bwho\b|\bwas (?:given|started)\b", re.I)
_SEVERE = regex(r"anaphyla|angioedema|stevens|아나필락시스|혈관 ?부종", re.I)
_SAME_LINE = regex(r"[^\n:：]{0,60}[:：][^\n]*\w")
"""A heading whose content follows on its line: what comes on later lines is none of it."""
_DOSED = regex(r"[^\w\n]{0,3}\d{1,5}(?:\.\d+)? ?(?:mg|mcg|g|units?)\b")
_REACH = 160


@dataclass(frozen=True)
class Allergen:
    """Where an allergen is named; `concept` is a drug, a class, or one of the groups."""

    start: int
    end: int
    concept: str
    negated: bool = False


def is_of_drug(concept: str) -> bool:
    """Whether an allergen is a drug or a class of drugs."""
    return concept not in ("contrast medium", "latex", "food", "insect venom", NONE_KNOWN)


def find_allergens(chart: Chart) -> tuple[Allergen, ...]:
    """Every allergen that the chart tells, in its order, and the mentions that none are known."""
    none_known = [
        Allergen(match.start(), match.end(), NONE_KNOWN, negated=True)
        for match in _NONE_KNOWN.finditer(chart.text)
    ]
    closed = [(item.start, item.end) for item in none_known]
    named = {
        (item.start, item.end): item
        for item in (*_after_words(chart, closed), *_in_sections(chart), *_before_words(chart))
    }
    kept = (item for item in named.values() if not _within(item.start, closed))
    return tuple(sorted((*none_known, *kept), key=lambda item: item.start))


def find_allergies(chart: Chart) -> tuple[Mention, ...]:
    """The same as mentions."""
    return tuple(
        Mention(
            span=chart.span(item.start, item.end),
            kind=MentionKind.ALLERGY,
            concept=item.concept,
            division=chart.division_at(item.start),
            negated=item.negated,
        )
        for item in find_allergens(chart)
    )


def severe(chart: Chart, mention: Mention) -> bool:
    """Whether the sentence of an allergy tells of anaphylaxis or the like."""
    start, end = chart.sentence_at(mention.span.start)
    return _SEVERE.search(chart.text, start, end) is not None


def _after_words(chart: Chart, closed: list[tuple[int, int]]) -> Iterator[Allergen]:
    """`allergic to A, B and C`, `Allergies: A (rash)`, `알레르기: A`."""
    text = chart.text
    for words in (_BEFORE, _KOREAN_BEFORE):
        matches = list(words.finditer(text))
        limits = [*(match.start() for match in matches[1:]), len(text)]
        for match, limit in zip(matches, limits, strict=False):
            reach = min(match.end() + _REACH, limit)
            stop = _END.search(text, match.end(), reach)
            negated = _DENIED_BEFORE.search(text, max(0, match.start() - 40), match.start())
            if not _within(match.start(), closed):
                end = stop.start() if stop else reach
                yield from _allergens(chart, match.end(), end, negated is not None)


def _before_words(chart: Chart) -> Iterator[Allergen]:
    """`penicillin allergy`, `페니실린 알레르기`."""
    for name in _names(chart):
        after = _AFTER.match(chart.text, name.end)
        if after:
            before = _DENIED_BEFORE.search(chart.text, max(0, name.start - 40), name.start)
            denied = before or _DENIED_AFTER.match(chart.text, after.end())
            yield Allergen(name.start, name.end, name.concept, denied is not None)


def _in_sections(chart: Chart) -> Iterator[Allergen]:
    """All that is named under a heading of allergies."""
    starts = _line_starts(chart.text)
    for section in chart.sections:
        if re.search(r"allerg|알레르기|알러지", section.heading, re.I):
            start = starts[section.first_line - 1]
            last = section.last_line
            if _SAME_LINE.match(chart.text, start):
                last = section.first_line
            end = starts[last] if last < len(starts) else len(chart.text)
            for allergen in _allergens(chart, start, end, negated=False):
                if not _DOSED.match(chart.text, allergen.end):
                    yield allergen


def _allergens(chart: Chart, start: int, end: int, negated: bool) -> Iterator[Allergen]:
    for name in _names_between(chart.text, start, end):
        yield Allergen(name.start, name.end, name.concept, negated)


def _names(chart: Chart) -> Iterator[DrugName]:
    return _names_between(chart.text, 0, len(chart.text))


def _names_between(text: str, start: int, end: int) -> Iterator[DrugName]:
    groups = tuple(_group_names(text, start, end))
    taken = {position for name in groups for position in range(name.start, name.end)}
    yield from groups
    yield from (name for name in find_names(text, start, end) if name.start not in taken)


def _group_names(text: str, start: int, end: int) -> Iterator[DrugName]:
    for match in _GROUP.finditer(text, start, end):
        before = text[match.start() - 1] if match.start() else " "
        if not (before.isalnum() and before.isascii()):
            concept = _group_concepts()[int((match.lastgroup or "g0")[1:])]
            yield DrugName(match.start(), match.end(), concept)


@cache
def _group_concepts() -> tuple[str, ...]:
    return tuple(_GROUPS)


def _line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer("\n", text))]


def _within(start: int, ranges: list[tuple[int, int]]) -> bool:
    """Whether one of the ranges, which are in order, has the character."""
    position = bisect_right(ranges, (start, sys.maxsize)) - 1
    return position >= 0 and start < ranges[position][1]

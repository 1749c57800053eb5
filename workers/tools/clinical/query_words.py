"""Other words for what a query asks: abbreviations and their meanings, drugs' names, English and Korean.

A query that finds too little is asked again with all of them. Problems, symptoms, tests, procedures and drugs have
their names in `shared.clinical`; the rows below are what is measured or asked for besides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from shared.clinical.drug_tables import drugs
from workers.tools.clinical.concepts import find_concepts
from workers.tools.clinical.drug_names import find_names

_ABBREVIATION = 3
"""Names of up to so many Latin letters are found in capitals only: `US`, not `us`."""
_TABLE = """
[vital]
blood pressure|bp|혈압
heart rate|hr|pulse|심박수|맥박
respiratory rate|rr|호흡수
oxygen saturation|spo2|o2 sat|산소포화도|산소 포화도
temperature|temp|체온
[test]
white blood cell|wbc|leukocyte|백혈구
hemoglobin|hgb|hb|혈색소|헤모글로빈
platelet|plt|혈소판
blood urea nitrogen|bun|혈액요소질소
creatinine|cr|scr|크레아티닌
potassium|칼륨|포타슘
sodium|나트륨|소듐
[other]
follow-up|return visit|추적관찰|추적 관찰|외래 추적
allergy|allergic|알레르기
smoking|tobacco|smoker|흡연
alcohol|drinking|etoh|음주
"""


@dataclass(frozen=True)
class NamedThing:
    """A range of a query, and all names of what is named there, in a fixed order."""

    start: int
    end: int
    names: tuple[str, ...]
    kind: str
    """`problem`, `symptom`, `drug`, `test`, `procedure`, `vital` or `other`."""


def other_words(query: str) -> list[NamedThing]:
    """What a query names that has other names, in order, the longest where names overlap."""
    things = [*_concepts(query), *_of_the_table(query), *_drugs(query)]
    chosen: list[NamedThing] = []
    for thing in sorted(things, key=lambda thing: (thing.start, -thing.end)):
        if not chosen or thing.start >= chosen[-1].end:
            chosen.append(thing)
    return chosen


def _of_the_table(query: str) -> Iterator[NamedThing]:
    rows = _rows()
    for match in _pattern().finditer(query):
        kind, names = rows[_spelled(match[0])]
        yield NamedThing(match.start(), match.end(), names, kind)


def _concepts(query: str) -> Iterator[NamedThing]:
    for name in find_concepts(query):
        concept = name.concept
        yield NamedThing(name.start, name.end, concept.names, concept.kind.value)


def _drugs(query: str) -> Iterator[NamedThing]:
    for name in find_names(query):
        drug = drugs()[name.concept]
        yield NamedThing(name.start, name.end, (drug.name, *drug.names, *drug.korean), "drug")


@cache
def _rows() -> dict[str, tuple[str, tuple[str, ...]]]:
    rows: dict[str, tuple[str, tuple[str, ...]]] = {}
    kind = ""
    for line in _TABLE.strip().splitlines():
        if line.startswith("["):
            kind = line.strip("[]")
            continue
        names = tuple(line.split("|"))
        rows |= {_spelled(name): (kind, names) for name in names if _spelled(name) not in rows}
    return rows


def _spelled(name: str) -> str:
    """As the table is looked up: Latin words with single spaces, Korean ones with none."""
    return ("" if not name.isascii() else " ").join(name.lower().split())


@cache
def _pattern() -> re.Pattern[str]:
    """Grouped by first letters, so that few names are tried at a place; the longest first."""
    latin: dict[str, list[str]] = {}
    korean: dict[str, list[str]] = {}
    for name in sorted(_rows(), key=len, reverse=True):
        if not name.isascii():
            korean.setdefault(name[0], []).append("".join(rf"\s?{re.escape(c)}" for c in name[1:]))
        elif len(name) <= _ABBREVIATION:
            latin.setdefault(name[0].upper(), []).append(name[1:].upper())
        else:
            rest = re.escape(name[1:]).replace(r"\ ", r"\s{1,3}")
            latin.setdefault(f"[{name[0]}{name[0].upper()}]", []).append(f"(?i:{rest})")
    return re.compile(
        rf"(?<![A-Za-z0-9])(?:{_grouped(latin)})(?![A-Za-z0-9])|(?<![가-힣])(?:{_grouped(korean)})"
    )


def _grouped(groups: dict[str, list[str]]) -> str:
    return "|".join(f"{first}(?:{'|'.join(rest)})" for first, rest in groups.items())

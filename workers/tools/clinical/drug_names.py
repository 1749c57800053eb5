"""Where a text names drugs, by any of their names, and nothing else about them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from shared.clinical.drug_tables import korean_names, latin_names
from shared.patterns import regex

_SHORT = 2
_KOREAN_ENDINGS = r"(?=정|캡슐|주사|시럽|액|을|를|은|는|이|가|의|과|와|로|도|만|복용|투여|처방|농도|제|[^가-힣]|$)"
_NO_DRUG = regex(
    r"[ -]?(?:levels?|concentrations?|resistan(?:ce|t)|induced|sensitiv\w{1,5}|susceptib\w{1,6}|receptors?|secretion"
    r"|deficien\w{1,3}|toxicity|overdose|exacerbated|associated|naive|class|physical status|score|I{2,3}\b"
    r"|저항성|분비|수용체|결핍|중독|내성)",
    re.I,
)
_NO_DRUG_BEFORE = regex(
    r"(?:resistant|sensitive|susceptible|susceptibility|resistance) to(?: [a-z]{1,20},?){0,4} ?$",
    re.I,
)


@dataclass(frozen=True)
class DrugName:
    """A range of the text, and the drug by its generic name."""

    start: int
    end: int
    concept: str


def find_names(text: str, start: int = 0, end: int | None = None) -> Iterator[DrugName]:
    """Every drug that is named from `start` to `end`. A level, a resistance or a reaction is no drug that is taken."""
    last = len(text) if end is None else end
    latin, korean = latin_names(), korean_names()
    for match in _latin_pattern().finditer(text, start, last):
        if not _is_no_drug(text, match):
            drug = latin[re.sub(r"\s+", " ", match[0].lower())]
            yield DrugName(match.start(), match.end(), drug.name)
    for match in _korean_pattern().finditer(text, start, last):
        if not _is_no_drug(text, match):
            yield DrugName(match.start(), match.end(), korean[match[0].replace(" ", "")].name)


def _is_no_drug(text: str, match: re.Match[str]) -> bool:
    if _NO_DRUG.match(text, match.end()):
        return True
    return _NO_DRUG_BEFORE.search(text, max(0, match.start() - 90), match.start()) is not None


@cache
def _latin_pattern() -> re.Pattern[str]:
    names = (re.escape(name).replace(r"\ ", r"\s") for name in latin_names())
    return re.compile(rf"(?<![A-Za-z0-9])(?:{_alternatives(names)})(?![A-Za-z0-9])", re.I)


@cache
def _korean_pattern() -> re.Pattern[str]:
    names = (
        re.escape(name) + (_KOREAN_ENDINGS if len(name) <= _SHORT else "")
        for name in korean_names()
    )
    return re.compile(rf"(?<![가-힣])(?:{_alternatives(names)})")


def _alternatives(patterns: Iterable[str]) -> str:
    """Grouped by their first characters, so that few are tried at a place; the longest first."""
    groups: dict[str, list[str]] = defaultdict(list)
    for pattern in patterns:
        groups[pattern[0]].append(pattern[1:])
    return "|".join(
        f"{first}(?:{'|'.join(sorted(rest, key=len, reverse=True))})"
        for first, rest in sorted(groups.items())
    )

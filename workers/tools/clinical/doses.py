"""Doses as they are written: "500 mg BID", "40 mg once a day", "500mg 하루 3회"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from shared.patterns import regex

_UNITS_MG = {
    **dict.fromkeys(("mg", "mgs", "milligram", "milligrams", "밀리그램"), 1.0),
    **dict.fromkeys(("g", "gm", "gram", "grams", "그램"), 1000.0),
    **dict.fromkeys(("mcg", "µg", "μg", "ug", "microgram", "micrograms", "마이크로그램"), 0.001),
}
_OTHER_UNITS = r"units?|IU|mEq|ml|%|puffs?|sprays?|drops?|tablets?|tabs?|capsules?|caps?|pills?|단위|정|캡슐|방울|알"
_NUMBER = r"\d{1,6}(?:,\d{3})?(?:\.\d{1,4})?"
_MASS = "|".join(sorted(_UNITS_MG, key=len, reverse=True))
STRENGTH = (
    rf"{_NUMBER}(?: ?(?:-|to|/) ?{_NUMBER})? ?-?(?:{_MASS}|{_OTHER_UNITS})(?![A-Za-z])"
    r"(?!/(?:kg|dl|ml|l\b|hr?\b|min))"
)
"""An amount: a number or a range of numbers with its unit. What is per kilogram or per litre is none."""

_COUNTS = {
    **dict(
        zip("one two three four five six seven eight nine ten".split(), range(1, 11), strict=True)
    ),
    "once": 1,
    "twice": 2,
    "thrice": 3,
}
_KOREAN_COUNTS = {"한": 1, "두": 2, "세": 3, "네": 4}
_FREQUENCIES: tuple[tuple[str, float | None], ...] = (
    (
        r"(?:once (?:a|per|every) week|once weekly|weekly|every week|per week|매주|주 ?1 ?회|주 ?1 ?번)",
        1 / 7,
    ),
    (r"(?:twice (?:a|per) week|twice weekly|주 ?2 ?회)", 2 / 7),
    (r"(?:once (?:a|per) month|monthly|every month|매월|월 ?1 ?회)", 1 / 30),
    (r"(?:every other day|q\.?o\.?d\b\.?|격일)", 0.5),
    (r"(?:b\.?i\.?d\b\.?)", 2.0),
    (r"(?:t\.?i\.?d\b\.?)", 3.0),
    (r"(?:q\.?i\.?d\b\.?)", 4.0),
    (r"(?:(?:every |q ?)(?P<hours>[1-9]\d?) ?(?:hours?|hrs?|h)\b)", None),
    (r"(?:(?P<apart>[1-9]\d?) ?시간 ?마다)", None),
    (
        rf"(?P<times>{'|'.join(_COUNTS)}|\d{{1,2}})(?: times?| x)?(?: a | per |/| each |-)?"
        r" ?(?:daily|day)\b",
        None,
    ),
    (r"(?:하루|1일|일일|매일) ?(?:에 ?)?(?P<korean>\d{1,2}|[한두세네]) ?(?:회|번|차례)", None),
    (
        r"(?:q\.?d\b\.?|q\.?h\.?s\b\.?|daily|a day|per day|every day|each day|nightly|at (?:night|bedtime)"
        r"|every (?:morning|evening|night)|each (?:morning|evening|night)|in the (?:morning|evening)"
        r"|매일|취침 ?전|자기 ?전|아침마다|하루)",
        1.0,
    ),
)
FREQUENCY = "|".join(re.sub(r"\?P<\w+>", "?:", pattern) for pattern, _ in _FREQUENCIES)
"""How often, in any of the forms that `read_dose` knows."""

_STRENGTH = regex(rf"({_NUMBER})(?: ?(-|to|/) ?({_NUMBER}))? ?-?({_MASS})(?![A-Za-z])", re.I)
_PIECES = regex(
    r"(?<![\d.])(\d{1,2}|one|two|three) ?(?:tablets?|tabs?|capsules?|caps?|pills?|정|캡슐|알)", re.I
)
_HOURS = {"hours", "apart"}
"""Groups of the hours between two doses; the others count doses a day."""
_READERS = tuple((regex(pattern, re.I), rate) for pattern, rate in _FREQUENCIES)
_AS_NEEDED = regex(r"\b(?:prn|p\.r\.n|as needed|when needed)\b|필요 ?시|필요할 ?때", re.I)


@dataclass(frozen=True)
class Dose:
    """`mg`: of one dose, None where it is in no unit of mass; `per_day`: doses a day, None where not written."""

    mg: float | None = None
    per_day: float | None = None
    as_needed: bool = False

    @property
    def daily_mg(self) -> float | None:
        """Milligrams a day; what has no frequency is one dose, which a day has at least."""
        if self.mg is None:
            return None
        return self.mg * max(self.per_day if self.per_day is not None else 1.0, 0.0)


def read_dose(written: str) -> Dose:
    """The dose that some words tell. Of a range the larger; what is written `5/325 mg` has no single amount."""
    return Dose(_milligrams(written), _per_day(written), _AS_NEEDED.search(written) is not None)


def _milligrams(written: str) -> float | None:
    match = _STRENGTH.search(written)
    if match is None or match[2] == "/":
        return None
    amount = max(float(number.replace(",", "")) for number in (match[1], match[3]) if number)
    pieces = _PIECES.search(written)
    count = _count(pieces[1]) if pieces else 1
    return amount * _UNITS_MG[match[4].lower()] * count


def _per_day(written: str) -> float | None:
    for reader, rate in _READERS:
        match = reader.search(written)
        if match and reader.groupindex.keys() & _HOURS:
            return 24 / float(match[1])
        if match:
            return rate if rate is not None else float(_count(match[1]))
    return None


def _count(word: str) -> int:
    word = word.lower()
    return _COUNTS.get(word) or _KOREAN_COUNTS.get(word) or (int(word) if word.isdigit() else 1)

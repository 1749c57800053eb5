"""The short forms in which notes present a patient: `F/34`, `여/34`, `58M with`, `Baby girl, DOL 5`, `생후 3일`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from shared.models.case import Sex
from shared.patterns import regex

_OLDEST = 130
_DAYS = 365.25
KOREAN_MONTHS = (
    r"(?:(?<=생후 \d)|(?<=생후 \d\d)|(?<=생후\d)|(?<=생후\d\d)|(?<=나이: \d)|(?<=나이: \d\d)"
    r"|(?=\s?개월\s?(?:된|[/,]\s?[남여]|여아|남아|영아|유아|소아|환아|아기)))\s?개월"
)
"""Months after a number that are an age and no duration ("2개월간", "6개월 전"): by the words around them."""
_SEX = r"[MF]|남자?|여자?"
_HEADER = regex(
    # F/34, 여/34세
    rf"(?<![\w/.])(?P<sex1>{_SEX})[ ]?/[ ]?(?P<age1>\d{{1,3}})(?![\d/.,]*\d)(?:[ ]?(?:세|y/?o?\b))?"
    # 34/F, 62세/여, 34-F
    rf"|(?<![\w/.,+-])(?P<age2>\d{{1,3}})(?:[ ]?(?:세|y/?o?))?[ ]?[/-][ ]?(?P<sex2>{_SEX})(?![\w/])"
    # 58M with COPD; a line that begins with 34 F. The number before F may be a temperature: see `_is_temperature`.
    r"|(?<![\w/.,+-])(?P<age3>\d{1,3})[ ]?(?P<sex3>[MF])\b"
    r"(?=[ ]?,|[ ](?:with|w/|who|presents?|presenting|presented|pt|patient|here|hx|h/o|s/p|c/o|p/w|admitted|comes|came"
    r"|known|seen|status|in ED)(?![a-z])|[ \t]*$)",
    re.M,
)
_NEWBORN = regex(
    r"\b(?:DOL|(?i:day of life))[ ]?[:#]?[ ]?(?P<day>\d{1,3})\b"
    r"|생후[ ]?(?P<kday>\d{1,3})[ ]?일(?![ ]?(?:때|경|째에))"
    r"|^[ \t#*-]{0,6}(?i:(?:patient|name|pt|ID|환자)[ ]?[:：][ ]?)?"
    r"(?P<baby>(?i:(?:term|preterm|late preterm|premature)[ ])?"
    r"(?i:baby (?P<word>girl|boy)|newborn|neonate|NICU|neonatal intensive)|신생아)(?![\w])"
    r"(?![ ](?i:screen|exam|hearing))"
    r"|\b(?:[Tt]his|[Tt]he patient is an?|[Aa]n?)[ ]"
    r"(?i:(?:\d{1,2}-day-old[ ])?(?:healthy|well|term|full-term|preterm|premature)?[ ]?"
    r"(?:male |female )?(?:newborn|neonate))\b"
    r"|\b(?i:ex|former)[- ]?\d{2}(?:[+ ]\d(?:/7)?)?[ -]?(?i:w(?:k|eek|eeker)?s?)(?:\d?d)?\b",
    re.M,
)
SOMEBODY_ELSES = regex(
    r"(?i)\b(?:deliver\w{0,3}|birth (?:to|of)|gave birth|her|his|their|history of|mother of|with|ha[sd]|if|for)"
    r"[^.\n]{0,30}\Z|분만|출산"
)
"""What is named after it is a child of the patient's, or of somebody's."""
_JUST_BORN = regex(
    r"(?i)(?:\b(?:deliver(?:ed|y|ing)?|gave birth|birth of|SVD|NSVD|c[- ]?section|cesarean|viable"
    r"|live-?born)\b|분만|출산)[^.\n]{0,80}\Z"
    r"|(?<![\d.])(?:[0-6](?:\.\d{1,3})? ?(?:kg|kilograms?|킬로)|[4-6]?\d{3} ?(?:g|gm|grams?)|1?\d ?(?:lbs?|pounds?)"
    r"(?: ?\d{1,2} ?(?:oz|ounces?))?)[의,]? ?(?:[a-z]{3,10} ){0,2}\Z"
)
_IN_YEARS = regex(r"(?i)ye?a?rs?|y[/.]?o|세|살")
_CALLED_NEWBORN = regex(r"(?i) ?(?:infant|newborn|baby|neonate|fetus)\b")
_DEGREES = regex(r"(?i)(?:\bT(?:emp\w{0,8}|max)?|fever(?: of| to)?|was|\()[ :=]{0,3}\Z")
_COLDEST, _HOTTEST = 86, 113
_NEONATE_DAYS = 120
_GROWN_YEARS = 10.0
"""From an age of so many years on a newborn in the chart is not the patient."""


@dataclass(frozen=True)
class PatientHeader:
    """What a short form states from `start` to `end`: an age in years (0 of a newborn), and mostly a sex."""

    start: int
    end: int
    years: float
    sex: Sex | None


def find_headers(text: str) -> Iterator[PatientHeader]:
    """Age and sex beside each other, in the order of the text."""
    for match in _HEADER.finditer(text):
        number = next((n for n in ("1", "2", "3") if match[f"age{n}"]), "")
        years, word = float(match[f"age{number}"]), match[f"sex{number}"]
        if years <= _OLDEST and not (word == "F" and _is_temperature(text, match, years)):
            sex = Sex.FEMALE if word[0] in "F여" else Sex.MALE
            yield PatientHeader(match.start(), match.end(), years, sex)


def find_newborns(text: str) -> Iterator[PatientHeader]:
    """Statements that the patient is a newborn, not that the patient bore one."""
    for match in _NEWBORN.finditer(text):
        days = float(match["day"] or match["kday"] or 0)
        start = text.rfind("\n", max(0, match.start() - 60), match.start()) + 1
        before = text[max(start, match.start() - 60) : match.start()]
        if days <= _NEONATE_DAYS and not SOMEBODY_ELSES.search(before):
            word = (match["word"] or "").lower()
            sex = {"girl": Sex.FEMALE, "boy": Sex.MALE}.get(word)
            yield PatientHeader(match.start(), match.end(), round(days / _DAYS, 3), sex)


def is_of_newborn(text: str, start: int, end: int, patient_years: float | None) -> bool:
    """Whether a word for a sex is that of a child that the patient bore: "3.4 kg male", "delivered a viable male"."""
    if (patient_years or 0.0) < _GROWN_YEARS or _IN_YEARS.search(text, start, end):
        return False
    return (
        _JUST_BORN.search(text, max(0, start - 100), start) is not None
        or _CALLED_NEWBORN.match(text, end) is not None
    )


def _is_temperature(text: str, match: re.Match[str], years: float) -> bool:
    """Whether the F is that of Fahrenheit: "98F", "T 90 F"."""
    before = text[max(0, match.start() - 24) : match.start()]
    return match["age3"] is not None and (
        _COLDEST <= years <= _HOTTEST or _DEGREES.search(before) is not None
    )

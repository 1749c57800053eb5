"""Ages as notes write them, and the words for children that stand where no age does.

A word is an age only by convention: it says which ranges hold, to the age group, and no more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from shared.patterns import regex
from workers.tools.clinical.patient_headers import KOREAN_MONTHS, SOMEBODY_ELSES

_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_ONES = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
    " seventeen eighteen nineteen"
).split()
_NUMBERS = {
    **{name: 10 * number for number, name in enumerate(_TENS, 2)},
    **{name: number for number, name in enumerate(_ONES, 1)},
}
_YEARS = {"y": 1.0, "m": 1 / 12, "w": 7 / 365.25, "d": 1 / 365.25}
_AGE = regex(
    rf"(?<![+\d.])\b(?P<number>\d{{1,3}}|(?:{'|'.join(_TENS)})(?:[- ](?:{'|'.join(_ONES[:9])}))?"
    rf"|(?:{'|'.join(_ONES)}))(?P<half>[- ]and[- ]a[- ]half|½)?[- ]?"
    r"(?:(?P<unit>years?|yrs?|y|months?|mos?|weeks?|wks?|days?)[- ]?(?:old\b|of[- ]age\b)"
    r"|(?P<short>y)[./]?o(?:\b\.?|(?=[MF]\b))"
    r"|(?P<months>m)(?:[./]o\b\.?|o(?=[ -]?(?:[MF]|f?e?male|girl|boy|infant)\b)))"
    r"|\b(?:age|aged)\s?[:：=]?\s{0,3}(?P<aged>\d{1,3})\b(?!\s?(?:%|mg|kg|cm))"
    r"(?:\s?(?P<agedunit>months?|weeks?|days?)\b)?"
    r"|(?:만\s?)?(?P<korean>\d{1,3})\s?"
    r"(?:(?P<measure>세|살)(?!\s?(?:전|후|이상|이하|미만|때|에|경|부터|까지|이전))"
    rf"|{KOREAN_MONTHS})",
    re.I,
)
_TYPICAL_YEARS = {
    **dict.fromkeys(("newborn", "neonate", "신생아"), 0.0),
    **dict.fromkeys(("infant", "baby", "영아", "아기"), 0.5),
    **dict.fromkeys(("toddler", "영유아", "유아"), 2.0),
    **dict.fromkeys(("preschooler", "child", "kid", "소아", "환아", "미취학"), 5.0),
    **dict.fromkeys(("schoolboy", "schoolgirl", "schoolchild", "boy", "girl", "초등학생"), 8.0),
    **dict.fromkeys(("adolescent", "teenager", "teen", "중학생", "고등학생", "청소년"), 15.0),
}
"""A child that is called so is of the age group with that age."""
_CHILD = regex(
    r"(?:^[ \t#*-]{0,6}(?:(?:patient|name|pt|id|hpi|subjective|s|o|cc|환자)[ ]?[:：][ ]?)?(?:an? |this |the )?"
    r"|(?<=[.:] )(?:an?|this|the) |\b(?:this|patient is an?|pt is an?) )"
    r"(?:(?!with|her|his|their|has|had|for|and|the|see)[a-z-]{3,15} ){0,3}?"
    r"(?P<word>newborn|neonate|infant|baby|toddler|preschooler|schoolboy|schoolgirl|schoolchild"
    r"|child|kid|boy|girl|adolescent|teenager|teen)"
    r"(?=[ ]?(?:[,.:(]|$)|[ ](?:is|was|presents?|presented|presenting|with|w/|who|brought|comes|came|seen|admitted"
    r"|referred|has|had|here|for|boy|girl|male|female)(?![a-z]))"
    r"|(?:^|(?<=[\s(:/]))(?P<korean>신생아|영유아|영아|유아|소아(?= ?환자|[,.]|로 )|환아|미취학|초등학생|중학생"
    r"|고등학생|청소년|아기)(?=[\s,.():/]|$|로|가|는|은|의|이(?=[\s,])|환자|남|여)",
    re.I | re.M,
)
_ADULT = regex(
    r"(?i)\b(?:wom[ae]n|m[ae]n|lady|gentleman|Mrs?|Ms|pregnant|primigravida|G\d ?P\d)\b|산모|여성|남성|임신"
)
"""After such a word a child is somebody else's."""
_BACK = 60


@dataclass(frozen=True)
class WrittenAge:
    """An age from `start` to `end` of a text. `labelled`: after the word "age", which may be that of an event."""

    start: int
    end: int
    years: float
    labelled: bool = False


def find_ages(text: str) -> Iterator[WrittenAge]:
    """All of them, in order, whoever they are of."""
    for match in _AGE.finditer(text):
        years = round(_years(match), 3)
        yield WrittenAge(match.start(), match.end(), years, match["aged"] is not None)


def find_child_words(text: str) -> Iterator[WrittenAge]:
    """Where the patient is called a child of some age ("this toddler", "영아"), each with the age that is typical."""
    adult = _ADULT.search(text)
    for match in _CHILD.finditer(text, 0, adult.start() if adult else len(text)):
        group = "word" if match["word"] else "korean"
        line = text.rfind("\n", max(0, match.start() - _BACK), match.start()) + 1
        before = text[max(line, match.start() - _BACK) : match.start()]
        if not SOMEBODY_ELSES.search(before):
            yield WrittenAge(*match.span(group), _TYPICAL_YEARS[match[group].lower()])


def _years(match: re.Match[str]) -> float:
    if match["korean"]:
        return float(match["korean"]) * (1.0 if match["measure"] else _YEARS["m"])
    if match["aged"]:
        return float(match["aged"]) * _YEARS[(match["agedunit"] or "y")[0].lower()]
    unit = match["unit"] or match["short"] or match["months"]
    number = _number(match["number"].lower()) + (0.5 if match["half"] else 0.0)
    return number * _YEARS[unit[0].lower()]


def _number(words: str) -> float:
    if words.isdigit():
        return float(words)
    return float(sum(_NUMBERS[word] for word in words.replace("-", " ").split()))

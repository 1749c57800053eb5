"""Who the patient is, by the words of the chart: age, sex and date of birth, each with where it says so.

The sex is that of a word ("woman", "남성"). Pronouns alone count only where there are several and all of them agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeAlias

from shared.models.case import PatientFacts, Sex
from shared.patterns import regex
from workers.tools.clinical.ages import WrittenAge, find_ages, find_child_words
from workers.tools.clinical.chart import Chart
from workers.tools.clinical.patient_headers import (
    PatientHeader,
    find_headers,
    find_newborns,
    is_of_newborn,
)

_READ = 200_000
_OLDEST = 130
_MONTHS_A_YEAR = 12
_SEX = regex(
    r"\b(?:sex|gender)\s?[:=]\s{0,3}(?P<label>male|female|m|f|man|woman)\b"
    r"|(?:성별)\s?[:：]?\s{0,3}(?P<kolabel>남|여)"
    r"|(?P<ko>남자|여자|남성|여성|남아|여아)\s?(?:환자|환아|$|[.,()]|로|으로|가|이)"
    r"|(?<=[세살월])\s?/?\s?(?P<koshort>남|여)(?=$|[\s.,/():]|환|자|성|아)"
    r"|\b(?:years?|yrs?|months?|weeks?|days?)[- ]?old(?:,)?(?: [a-z-]{1,20}){0,3}? (?P<noun>female|male"
    r"|woman|man|girl|boy|lady|gentleman)\b"
    r"|\by[./]?o\.?,? ?(?:[a-z-]{1,20} ){0,2}?(?P<noun2>female|male|woman|man|girl|boy|lady|gentleman|f"
    r"|m)\b"
    r"|\b(?P<lead>female|male|woman|man|girl|boy|lady|gentleman)\b",
    re.I,
)
_NEAR = regex(r"(?:his|her|the|a|an|another|young|other) \Z", re.I)
_NOT_PATIENT = regex(
    r"(?:(?<![A-Za-z])(?:mother|father|brother|sister|son|daughter|wife|husband|partner|sibling|cousin|uncle|aunt"
    r"|boyfriend|girlfriend|child|spouse|friend)|어머니|아버지|모친|부친|형|누나|언니|오빠|동생|아들|딸"
    r"|남편|아내)"
    r"(?:[ ,]+(?:is|was|who|had|has|died|at|a|an|age|aged|of|which|be|to|with|\d{1,3}|diagnosed"
    r"|the)){0,5}[ ,(:은는이가-]*\Z",
    re.I,
)
_PARENT_AFTER = regex(
    r"[^.\n]{0,30}\b(?:mother|father|mom|brother|sister|G\d ?P\d|(?:primi|multi)?gravida)\b|의? ?(?:산모|어머니)",
    re.I,
)
_BORN_TO = regex(r"\bborn\b[^.\n]{0,50}\b(?:to|of) (?:an?|her|his|the) \Z", re.I)
_FEMALE = frozenset(("female", "f", "woman", "girl", "lady", "여", "여자", "여성", "여아"))
_PRONOUN = regex(r"\b(?:(?P<f>she|her|hers|herself)|(?P<m>he|him|his|himself))\b", re.I)
_LEAST_PRONOUNS = 3
_MOST_NEWBORNS = 20
_LEADS = 60
"""Characters at the beginning of a chart where an age is the patient's even if she is a mother ("31 y/o G2P1")."""
_BIRTH = regex(
    r"(?:\b(?:dob|d\.o\.b\.?|date of birth|birth ?date|born(?: on)?)|생년월일|출생일)\s?[:：]?\s{0,3}"
    r"(?P<date>(?P<y>(?:18|19|20)\d\d)\s?[-./년]\s?(?P<m>\d{1,2})\s?[-./월]\s?(?P<d>\d{1,2})일?"
    r"|(?P<m2>\d{1,2})[/-](?P<d2>\d{1,2})[/-](?P<y2>(?:18|19|20)\d\d)"
    r"|(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov"
    r"|dec)[a-z]{0,6}\.? (?P<d3>\d{1,2}),? (?P<y3>(?:18|19|20)\d\d))",
    re.I,
)
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()


def find_patient(chart: Chart) -> PatientFacts:
    """The first statement of each fact; what is said of relatives is none."""
    text = chart.text[:_READ]
    age, birth = _age(text), _birth(text)
    sex = _sex(text, age[0])
    spans = sorted({_stripped(text, place) for _, place in (age, sex, birth) if place})
    return PatientFacts(
        age_years=age[0],
        sex=sex[0],
        birth_date=birth[0],
        spans=tuple(chart.span(*place) for place in spans),
    )


_Place: TypeAlias = tuple[int, int] | None


def _stripped(text: str, place: tuple[int, int]) -> tuple[int, int]:
    start, end = place
    part = text[start:end]
    return end - len(part.lstrip()), start + len(part.rstrip())


def _of_patient(text: str, start: int, end: int | None = None) -> bool:
    """Whether no relative is named right before, nor, with `end`, a parent right after."""
    if _NOT_PATIENT.search(text[max(0, start - 60) : start]):
        return False
    if end is None:
        return True
    if _BORN_TO.search(text[max(0, start - 80) : start]):
        return False
    return start < _LEADS or not _PARENT_AFTER.match(text, end)


def _age(text: str) -> tuple[float | None, _Place]:
    """The first age in the text. Words for a child ("baby girl", "toddler") count where no age is stated."""
    newborns = list(islice(find_newborns(text), _MOST_NEWBORNS))
    headers = (item for item in find_headers(text) if _of_patient(text, item.start))
    known = [*_placed(item for item in newborns if item.years), *_placed(headers)]
    known += _placed(_stated_ages(text))
    known = known or [*_placed(newborns), *_placed(find_child_words(text))]
    return min(known, key=lambda age: age[1][0]) if known else (None, None)


def _placed(ages: Iterable[PatientHeader | WrittenAge]) -> list[tuple[float, tuple[int, int]]]:
    """The first of them, and where it stands."""
    return [(item.years, (item.start, item.end)) for item in islice(ages, 1)]


def _stated_ages(text: str) -> Iterator[WrittenAge]:
    for age in find_ages(text):
        if age.years <= _OLDEST and _of_patient(text, age.start, age.end):
            yield age


def _sex(text: str, years: float | None) -> tuple[Sex | None, _Place]:
    headers = ((item.sex, (item.start, item.end)) for item in _headers(text) if item.sex)
    known = [*islice(headers, 1), *islice(_stated_sexes(text, years), 1)]
    return min(known, key=lambda sex: sex[1][0]) if known else _by_pronouns(text)


def _stated_sexes(text: str, years: float | None) -> Iterator[tuple[Sex, tuple[int, int]]]:
    for match in _SEX.finditer(text):
        groups = match.groupdict()
        word = next((value for name, value in groups.items() if value and _names_sex(name)), None)
        if word is None or not _is_patients(text, match, years):
            continue
        before = text[max(0, match.start() - 9) : match.start()]
        if not (groups.get("lead") and _NEAR.search(before)):
            yield Sex.FEMALE if word.lower() in _FEMALE else Sex.MALE, match.span()


def _is_patients(text: str, match: re.Match[str], years: float | None) -> bool:
    return _of_patient(text, match.start()) and not is_of_newborn(text, *match.span(), years)


def _headers(text: str) -> Iterator[PatientHeader]:
    """Short forms of the patient, newborns first."""
    yield from find_newborns(text)
    yield from (item for item in find_headers(text) if _of_patient(text, item.start))


def _names_sex(group: str) -> bool:
    return group in {"label", "kolabel", "koshort", "noun", "noun2", "lead"}


def _by_pronouns(text: str) -> tuple[Sex | None, _Place]:
    pronouns = list(_PRONOUN.finditer(text))
    females = sum(match["f"] is not None for match in pronouns)
    if len(pronouns) < _LEAST_PRONOUNS or females not in (0, len(pronouns)):
        return None, None
    return Sex.FEMALE if females else Sex.MALE, pronouns[0].span()


def _birth(text: str) -> tuple[str | None, _Place]:
    match = _BIRTH.search(text)
    if not match:
        return None, None
    groups = match.groupdict()
    year = groups["y"] or groups["y2"] or groups["y3"]
    month = int(groups["m"] or groups["m2"] or _MONTHS.index(groups["month"].lower()) + 1)
    day = int(groups["d"] or groups["d2"] or groups["d3"])
    if month > _MONTHS_A_YEAR >= day:
        month, day = day, month
    return (f"{year}-{month:02}-{day:02}" if month <= _MONTHS_A_YEAR else None), match.span()

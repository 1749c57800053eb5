"""Checks of the patient's age: two ages, impossible ones, and what does not fit an age."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from itertools import islice

from shared.models.case import ChartSpan, LensPoint, TimelineEvent
from shared.models.findings import Severity
from shared.models.notices import Notice, notice
from shared.patterns import regex
from workers.tools.clinical.ages import WrittenAge, find_ages
from workers.tools.clinical.checks.persons import about_patient
from workers.tools.clinical.checks.view import LensView
from workers.tools.clinical.patient_headers import PatientHeader, find_headers, find_newborns
from workers.tools.clinical.points import point

CATEGORY = "identity"
_OLDEST = 122
"""Years: the greatest age that was ever verified (Robine and Allard, Science 1998)."""
_MOST = 3000
_BIRTHDAYS_YEARS = 1.5
_CHILD_WORDS_BELOW = 21.0
_ADULT_WORDS_FROM = 12.0
_CALLED = regex(
    r",?[ -](?:[A-Za-z/-]{1,20},? ){0,4}?(?P<word>woman|girl|lady|man|boy|gentleman|infant|child|toddler)\b"
    r"|(?:의| ?된)? ?(?P<hangul>여아|남아|소아|영아|여성|남성|여자|남자)",
    re.I,
)
"""What a patient is called with an age."""
_EARLIER = regex(
    r"\b(?:when|since|until|before|after|age|aged|diagnosed|died|ago)\b[^.\n]{0,20}\Z"
    r"|\b(?:at|from|by|to|over|under|than) (?:the )?(?:age (?:of )?)?\Z|\b(?:his|her|their|whose)\b[^.\n]{0,20}\Z|때\Z",
    re.I,
)
_KINDS_OF_AGE: tuple[tuple[str, float, float], ...] = (
    (r"elderly|geriatric|고령의?|노인", 50.0, _OLDEST),
    (r"middle[- ]aged|중년의?", 30.0, 72.0),
    (r"teenaged?|adolescent|청소년", 9.0, 22.0),
)
_CALLED_AGE = tuple(
    (
        regex(
            rf"\b(?:this|the|an?|our) (?:[a-z-]{{3,14}} )?(?:{words}) (?:[a-z-]{{3,14}} )?"
            rf"(?:(?P<patient>patient)|man|woman|male|female|lady|gentleman|boy|girl|person)\b"
            rf"|(?:{words}) ?(?:환자|여성|남성)",
            re.I,
        ),
        low,
        high,
    )
    for words, low, high in _KINDS_OF_AGE
)
"""What a patient is called by, and between which ages in years nobody would object."""
_CHILD = frozenset({"girl", "boy", "infant", "child", "toddler", "여아", "남아", "소아", "영아"})
_ADULT = frozenset({"woman", "lady", "man", "gentleman", "여성", "남성"})
_DURATION = regex(
    r"\b(?P<number>\d{1,3})[ -]years?(?:[ -](?:history|smoking|ago)| duration)"
    r"|\bfor (?:the (?:past|last) |about |over |approximately |more than |at least )?(?P<past>\d{1,3}) years\b"
    r"|\b(?P<before>\d{1,3}) years (?:ago|earlier|prior)\b"
    r"|(?P<korean>\d{1,3}) ?년 ?(?:전|간|동안|째)",
    re.I,
)
_FACTS: tuple[tuple[str, float, float, str], ...] = (
    (r"\bsmok(?:es|ed|ing)\b|packs? (?:of cigarettes )?(?:a|per) day|drinks? (?:\w+ ){0,3}(?:beer|wine|alcohol)"
     r"|sexually active|\bmarried\b|\bemployed\b|works as|divorced|widow", 9.0, _OLDEST, "adult life"),
    (r"\bpregnant\b|\bprimigravid|임신 ?\d{1,2} ?주", 9.0, 60.0, "pregnancy"),
    (r"graduate student|\b(?:college|university) student|\bveteran\b|\bthe military\b|truck driver|drives? a"
     r"|\blawyer\b|\bhousewife\b|\bnursing home\b|대학생|회사원|흡연", 14.0, _OLDEST, "adult life"),
    (r"post-?menopausal|폐경", 25.0, _OLDEST, "menopause"),
    (r"\bretired\b|은퇴", 25.0, _OLDEST, "retirement"),
    (r"brought (?:in )?(?:to [\w ]{1,40} )?by (?:his|her) (?:parents|mother|father|mom|dad)\b|developmental milestones"
     r"|\bbreast-?fed\b|well[- ]child|\bkindergarten\b|\bday ?care\b|percentiles? for (?:height|weight|age)"
     r"|(?:first|second|third|fourth|fifth|sixth) grade\b", 0.0, 40.0, "childhood"),
)  # fmt: skip
_READERS = tuple((regex(words, re.I), low, high, name) for words, low, high, name in _FACTS)


@dataclass(frozen=True)
class StatedAge:
    """An age of the patient as it is stated, in years; `word` is what the patient is called with it."""

    years: float
    word: str
    span: ChartSpan


def age_contradicts(view: LensView) -> list[LensPoint]:
    """Two ages that are more than a year apart, an impossible one, a child who is called a man, a birth date."""
    ages = list(_ages(view))
    for age in ages:
        if age.years > _OLDEST:
            return [
                _raised("age_impossible", notice("lens_age_impossible", age=age.span.text), age)
            ]
        if _misnamed(age):
            return [
                _raised("age_contradicts_word", notice("lens_age_misnamed", age=age.span.text), age)
            ]
    for age in ages[1:]:
        if abs(age.years - ages[0].years) > 1.0 and _same_scale(age, ages[0]):
            message = notice("lens_two_ages", first=ages[0].span.text, second=age.span.text)
            return [_raised("two_ages", message, ages[0], age)]
    return _against_birth(view, ages)


def age_against_facts(view: LensView) -> list[LensPoint]:
    """What lasts longer than the patient has lived, and what does not happen at that age."""
    age = next(iter(_ages(view)), None)
    if age is None:
        return []
    return [
        raised
        for check in (_too_long, _out_of_place, _miscalled)
        for raised in islice(check(view, age), 1)
    ]


def _ages(view: LensView) -> Iterator[StatedAge]:
    """The first age is the patient's; others where nobody else is named and no earlier time is told."""
    if next(find_newborns(view.chart.text), None):
        # Ages in the note of a newborn are those of the parents, and weeks those of gestation.
        return
    header = next(find_headers(view.chart.text), None)
    first = header is None
    for age in islice(find_ages(view.chart.text), _MOST):
        if _EARLIER.search(view.chart.text, max(0, age.start - 40), age.start):
            continue
        if header and header.start < age.start:
            yield _header_age(view, header)
            header = None
        if first or (not age.labelled and about_patient(view.chart, age.start)):
            yield _stated_age(view, age)
            first = False
    if header:
        yield _header_age(view, header)


def _header_age(view: LensView, header: PatientHeader) -> StatedAge:
    return StatedAge(header.years, "", view.chart.span(header.start, header.end))


def _stated_age(view: LensView, age: WrittenAge) -> StatedAge:
    called = _CALLED.match(view.chart.text, age.end)
    word = (called["word"] or called["hangul"]).lower() if called else ""
    return StatedAge(
        age.years, word, view.chart.span(age.start, called.end() if called else age.end)
    )


def _misnamed(age: StatedAge) -> bool:
    if age.word in _CHILD:
        return age.years >= _CHILD_WORDS_BELOW
    return age.word in _ADULT and age.years < _ADULT_WORDS_FROM


def _same_scale(age: StatedAge, first: StatedAge) -> bool:
    """Months of an infant are told beside years of nobody; a time of weeks is seldom an age of an adult."""
    return age.years >= 1.0 or first.years < _ADULT_WORDS_FROM


def _against_birth(view: LensView, ages: list[StatedAge]) -> list[LensPoint]:
    birth, visit = _dated(view, "birth"), _dated(view, "visit", "admission")
    if not ages or birth is None or visit is None:
        return []
    years = (date.fromisoformat(visit[0]) - date.fromisoformat(birth[0])).days / 365.25
    if years < 0 or abs(years - ages[0].years) <= _BIRTHDAYS_YEARS:
        return []  # born after the visit: a contradiction of dates
    message = notice(
        "lens_age_against_birth",
        age=ages[0].span.text,
        birth=birth[1].span.text,
        visit=visit[1].span.text,
    )
    spans = (ages[0].span, birth[1].span, visit[1].span)
    return [point("age_against_birth", Severity.MAJOR, message, spans, category=CATEGORY)]


def _dated(view: LensView, *event_kinds: str) -> tuple[str, TimelineEvent] | None:
    """The first event of these kinds of which the whole day is known."""
    for event in view.inputs.timeline.events:
        day = _some_day(event.date or "")
        if event.kind in event_kinds and _is_day(day):
            return day, event
    return None


def _some_day(known: str) -> str:
    """The day, or the middle of what is known: an age needs no more than the year."""
    return known[:10] + {4: "-07-01", 7: "-15"}.get(len(known), "")


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _too_long(view: LensView, age: StatedAge) -> Iterator[LensPoint]:
    for match in islice(_DURATION.finditer(view.chart.text), _MOST):
        years = float(match["number"] or match["past"] or match["before"] or match["korean"])
        if years > age.years + 1 and about_patient(view.chart, match.start(), sentences=1):
            span = view.chart.span(match.start(), match.end())
            message = notice("lens_longer_than_life", age=age.span.text, what=span.text)
            yield _raised("longer_than_life", message, age, span)


def _out_of_place(view: LensView, age: StatedAge) -> Iterator[LensPoint]:
    for words, low, high, name in _READERS:
        if low <= age.years <= high:
            continue
        match = words.search(view.chart.text)
        if (
            match
            and (name == "childhood" or about_patient(view.chart, match.start()))
            and _asserted(view, match)
        ):
            span = view.chart.span(match.start(), match.end())
            message = notice("lens_not_at_that_age", age=age.span.text, what=span.text)
            yield _raised("not_at_that_age", message, age, span)


def _miscalled(view: LensView, age: StatedAge) -> Iterator[LensPoint]:
    for words, low, high in _CALLED_AGE:
        match = None if low <= age.years <= high else words.search(view.chart.text)
        if match and (match["patient"] or about_patient(view.chart, match.start(), sentences=1)):
            span = view.chart.span(match.start(), match.end())
            message = notice("lens_not_at_that_age", age=age.span.text, what=span.text)
            yield _raised("age_contradicts_word", message, age, span)


def _asserted(view: LensView, match: re.Match[str]) -> bool:
    return view.asserted(match.start(), match.end())


def _raised(
    kind: str, message: Notice, age: StatedAge, *others: StatedAge | ChartSpan
) -> LensPoint:
    spans = (other.span if isinstance(other, StatedAge) else other for other in others)
    return point(kind, Severity.MAJOR, message, (age.span, *spans), category=CATEGORY)

"""Checks of the patient's sex: what the chart states, pronouns, titles, and organs and conditions of one sex."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from shared.models.case import ChartSpan, LensPoint, Sex
from shared.models.findings import Severity
from shared.models.notices import notice
from shared.patterns import regex
from workers.tools.clinical.checks.persons import GENDER_TOLD, about_patient
from workers.tools.clinical.checks.view import LensView
from workers.tools.clinical.mentions import context_at
from workers.tools.clinical.patient_headers import find_headers, is_of_newborn
from workers.tools.clinical.points import point

CATEGORY = "identity"
_WORDS = {
    **dict.fromkeys(
        ("woman", "female", "girl", "lady", "f", "여성", "여자", "여환", "여아"), Sex.FEMALE
    ),
    **dict.fromkeys(
        ("man", "male", "boy", "gentleman", "m", "남성", "남자", "남환", "남아"), Sex.MALE
    ),
}
_STATED = regex(
    r"\b\d{1,3}[ -]?(?:years?|yrs?|y|months?|weeks?|days?)[ -]?(?:of age|old"
    r"|/?o)?,?[ -](?:[A-Za-z/-]{1,20},? ){0,4}?"
    r"(?P<word>woman|female|girl|lady|man|male|boy|gentleman|F|M)\b"
    r"|\d{1,3} ?(?:세|살|개월)(?:의|된)? ?,? ?(?P<korean>여성|여자|여환|여아|남성|남자|남환|남아)"
    r"|(?<!\w)(?:this|our) (?:[A-Za-z-]{1,20} ){0,2}?(?P<called>gentleman|lady|woman|man)\b"
    r"|(?:상기|이|본) ?(?P<pointed>여환|남환|여성|남성|여자|남자)(?= ?(?:환자|은|는|이|가|의))"
    r"|(?<![가-힣A-Za-z/\d])(?P<before>남|여|(?-i:[MF]))/ ?\d{1,3}(?![\d/])"
    r"|(?<![\d/])\d{1,3} ?/ ?(?P<after>남|여|(?-i:[MF]))(?![가-힣A-Za-z/])"
    r"|(?:\bsex|\bgender|성별) ?[:：] ?(?P<field>female|male|woman|man|F|M|여성?|남성?)(?![A-Za-z])",
    re.I,
)
_TITLE = regex(r"\b(?P<word>Mr|Mrs|Ms|Miss)\b\.? (?=[A-Z])")
_PRONOUN = regex(r"\b(?P<word>he|him|his|himself|she|her|hers|herself)\b|(?P<korean>그녀)", re.I)
_POSSESSIVE = regex(r"\b(?:his|her|whose|another|their)\b", re.I)
_FEMALE_ONLY = regex(
    r"\b(?:pregnan(?:t|cy)|uterus|uterine|ovar(?:y|ian|ies)|menstrua\w{1,6}|menses|menarche|(?:post|peri"
    r"|pre)?menopaus\w{1,4}"
    r"|last menstrual|LMP|vaginal?|hysterectomy|oophorectomy|endometri\w{1,6}|gravid|primigravid\w{0,2}"
    r"|multigravid\w{0,2}|G\d ?P\d|postpartum|tubal ligation|pap test|breast-?feeding|pre-?eclampsia|pap smear|cesarean"
    r"|oral contraceptives?|cervix(?! spine)|cervical os|transvaginal)\b"
    r"|임신|자궁|난소|월경|생리통|폐경|질 ?출혈|분만|제왕절개",
    re.I,
)
_MALE_ONLY = regex(
    r"\b(?:prostat(?:e|ic|itis|ectomy)|BPH|testic(?:le|les|ular)|testis|testes|scrot(?:um|al)|penis|penile"
    r"|PSA(?=(?: level)?(?: was| is| of|:)? ?[<\d])|erectile|vasectomy|epididym\w{1,4}|orchi\w{2,6}|semen|sperm"
    r"|ejaculat\w{1,4})\b"
    r"|전립선|고환|음경|발기 ?부전|정관 ?수술",
    re.I,
)
_NOT_OWN = regex(
    r"intercourse|sexual|sex with|deliver|birth|born|screening for|between (?:men|women)|in women|in men\b"
    r"|cancer in"
    r"|partner|donor|transplant",
    re.I,
)
_EXAMINED = regex(
    r"(?: gland)? (?:is|are|was|were) (?!not (?:present|seen|found|there)|absent|removed)"
    r"|,? (?:not |non-?)(?:enlarged|tender|palpable)|(?:은|는|이|가)? ?(?:비대|압통|종대|결절)",
    re.I,
)
"""What follows an organ that was looked at: it is there, whatever is denied of it."""
_INFANT_YEARS = 3.0
_FEW = 3
_MOST_WORDS = 2000


@dataclass(frozen=True)
class SexWord:
    """A word of the chart that tells a sex, and where."""

    sex: Sex
    span: ChartSpan


def sex_contradicts(view: LensView) -> list[LensPoint]:
    """Both sexes are told of one patient: stated twice, or stated and denied by pronouns or by a title."""
    if GENDER_TOLD.search(view.chart.text):
        return []
    stated, pronouns = _stated(view), _pronouns(view)
    against = _opposed(stated, pronouns) or _never_spoken_of(stated, _pronouns(view, alone=False))
    if against is None:
        return []
    first, other, severity = against
    return [
        point(
            "sex_contradicts",
            severity,
            notice("lens_sex_contradicts", first=first.span.text, second=other.span.text),
            (first.span, other.span),
            category=CATEGORY,
        )
    ]


def organ_of_other_sex(view: LensView) -> list[LensPoint]:
    """An organ or a condition of one sex in a patient of the other."""
    if GENDER_TOLD.search(view.chart.text) or _is_infant(view):
        return []
    words = (*_stated(view), *_pronouns(view))
    sex = _majority(words)
    if sex is None:
        return []
    shown = next(word for word in words if word.sex is sex)
    pattern = _FEMALE_ONLY if sex is Sex.MALE else _MALE_ONLY
    match = next(
        (match for match in pattern.finditer(view.chart.text) if _is_own(view, match)), None
    )
    if match is None:
        return []
    span = view.chart.span(match.start(), match.end())
    return [
        point(
            "organ_of_other_sex",
            Severity.MAJOR,
            notice("lens_organ_of_other_sex", what=span.text, sex=shown.span.text),
            (shown.span, span),
            category=CATEGORY,
        )
    ]


def _opposed(
    stated: list[SexWord], pronouns: list[SexWord]
) -> tuple[SexWord, SexWord, Severity] | None:
    """The two words that contradict each other most plainly."""
    if not stated:
        return _odd_pronoun(pronouns)
    first = stated[0]
    restated = next((word for word in stated if word.sex is not first.sex), None)
    if restated:
        return first, restated, Severity.MAJOR
    others = [word for word in pronouns if word.sex is not first.sex]
    if not others:
        return None
    many = len(others) * 2 >= len(pronouns)
    return first, others[0], Severity.MAJOR if many else Severity.MINOR


def _odd_pronoun(pronouns: list[SexWord]) -> tuple[SexWord, SexWord, Severity] | None:
    """A pronoun unlike the many others of a chart that states no sex."""
    counts = Counter(word.sex for word in pronouns)
    if len(counts) < len(Sex):
        return None
    (common, often), (_, rarely) = counts.most_common()
    if often < _FEW * rarely:
        return None
    first = {word.sex: word for word in reversed(pronouns)}
    other = next(word for sex, word in first.items() if sex is not common)
    return first[common], other, Severity.MINOR


def _never_spoken_of(
    stated: list[SexWord], pronouns: list[SexWord]
) -> tuple[SexWord, SexWord, Severity] | None:
    """Pronouns of the other sex only, whoever else is named: then they are the patient's."""
    if stated and len(pronouns) >= _FEW and all(word.sex is not stated[0].sex for word in pronouns):
        return stated[0], pronouns[0], Severity.MAJOR
    return None


def _stated(view: LensView) -> list[SexWord]:
    """Statements and titles, in their order."""
    words = (*_statements(view), *_titles(view), *_headers(view))
    return sorted(words, key=lambda word: word.span.start)


def _statements(view: LensView) -> Iterator[SexWord]:
    """The first statement is the patient's whoever else its sentence names."""
    for number, match in enumerate(islice(_STATED.finditer(view.chart.text), _MOST_WORDS)):
        word = next(word for word in match.groups() if word).lower()
        sex = _WORDS.get(word) or _WORDS.get(word + "성")
        if sex and _is_patients(view, match, first=number == 0):
            yield SexWord(sex, view.chart.span(match.start(), match.end()))


def _headers(view: LensView) -> Iterator[SexWord]:
    for header in islice(find_headers(view.chart.text), 1):
        if header.sex:
            yield SexWord(header.sex, view.chart.span(header.start, header.end))


def _titles(view: LensView) -> Iterator[SexWord]:
    for match in islice(_TITLE.finditer(view.chart.text), _MOST_WORDS):
        if about_patient(view.chart, match.start()):
            sex = Sex.MALE if match["word"] == "Mr" else Sex.FEMALE
            yield SexWord(sex, view.chart.span(match.start(), match.end()))


def _is_patients(view: LensView, match: re.Match[str], *, first: bool) -> bool:
    start = match.start()
    if is_of_newborn(view.chart.text, *match.span(), view.patient.age_years):
        return False
    if first:
        return True
    if _POSSESSIVE.search(view.chart.text, max(0, start - 25), start):
        return False
    return about_patient(view.chart, start)


def _pronouns(view: LensView, *, alone: bool = True) -> list[SexWord]:
    """Pronouns; with `alone` those in sentences that name nobody else."""
    words: list[SexWord] = []
    for match in islice(_PRONOUN.finditer(view.chart.text), _MOST_WORDS):
        if not alone or about_patient(view.chart, match.start()):
            female = (
                bool(match["korean"]) or match[0][0].lower() == "s" or match[0][:3].lower() == "her"
            )
            words.append(
                SexWord(
                    Sex.FEMALE if female else Sex.MALE,
                    view.chart.span(match.start(), match.end()),
                )
            )
    return words


def _majority(words: tuple[SexWord, ...]) -> Sex | None:
    """The sex that most words tell; statements count as much as pronouns. None where they are even."""
    counts = Counter(word.sex for word in words).most_common()
    if not counts or (len(counts) > 1 and counts[0][1] < _FEW * counts[1][1]):
        return None
    return counts[0][0]


def _is_own(view: LensView, match: re.Match[str]) -> bool:
    start, end = view.chart.sentence_at(match.start())
    sentence = view.chart.text[start:end]
    if _NOT_OWN.search(sentence) or not about_patient(view.chart, match.start(), sentences=1):
        return False
    context = context_at(view.chart, match.start(), match.end())
    if _EXAMINED.match(view.chart.text, match.end()):
        return not context.family
    return not (context.negated or context.uncertain or context.family)


def _is_infant(view: LensView) -> bool:
    age = view.patient.age_years
    return age is not None and age < _INFANT_YEARS

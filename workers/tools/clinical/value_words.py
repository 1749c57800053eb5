"""Words beside values that say something else: "afebrile" at 39.2 C, "tachycardic" at 70/min, "normal" at K 6.8.

A word contradicts a value only from a distance: its definition must be missed clearly, because clinicians and
laboratories draw their lines a little differently. Each row has the definition and its source.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, pairwise

from shared.models.case import Division, LensPoint, Measurement, PatientFacts
from shared.models.findings import Severity
from shared.models.notices import notice
from shared.patterns import regex
from workers.tools.clinical.mentions import context_at
from workers.tools.clinical.points import point
from workers.tools.clinical.reference_ranges import is_child, reference_range
from workers.tools.clinical.scores import Inputs, news2
from workers.tools.clinical.values import ValueView, distance, value_notice

CATEGORY = "consistency"


@dataclass(frozen=True)
class ClaimRow:
    """What a word claims of a quantity: that its value is above `above` or below `below`, tolerance taken off.

    With `relative` the limits are not fixed: the word claims a value above (or below) the patient's range.
    """

    words: str
    quantity: str
    above: float | None = None
    below: float | None = None
    relative: int = 0
    source: str = ""


_FEVER = "Fever from 38.0 C (O'Grady NP et al., Crit Care Med 2008;36:1330-1349), with tolerance"
_RATES = "Rates of adults: 60-100/min, 12-20/min (Walker HK et al., Clinical Methods 1990), with tolerance"
_RANGE = "The range beside the value, or that of the tables"

_AFEBRILE = (
    r"\bafebrile\b|\bnormothermic\b|\bno fever\b|(?:발열|열)(?:은|이)? ?없(?:음|다|으며|었\w)?"
)
_HYPERTENSIVE = r"\bhypertensive\b(?! (?:heart|retin|disease|crisis|nephro|urgency|emergency))"
_NORMOTENSIVE = r"\bnormotensive\b|정상 ?혈압|혈압(?:은|이)? ?정상"

CLAIMS = (
    ClaimRow(_AFEBRILE, "temperature", below=38.2, source=_FEVER),
    ClaimRow(r"(?<!a)(?<!non)\bfebrile\b|\bhyperthermic\b|고열", "temperature", above=37.5, source=_FEVER),
    ClaimRow(r"\bhypothermi[ac]\b|저체온", "temperature", below=36.0, source=_FEVER),
    ClaimRow(r"\btachycardi[ac]\b|빈맥", "heart_rate", above=92, relative=1, source=_RATES),
    ClaimRow(r"\bbradycardi[ac]\b|서맥", "heart_rate", below=66, relative=-1, source=_RATES),
    ClaimRow(r"\btachypne(?:a|ic)\b|빈호흡", "respiratory_rate", above=17, relative=1, source=_RATES),
    ClaimRow(r"\bhypotensi(?:ve|on)\b|저혈압", "systolic_pressure", below=112, source=_RANGE),
    ClaimRow(_HYPERTENSIVE, "systolic_pressure", above=118, source=_RANGE),
    ClaimRow(_NORMOTENSIVE, "systolic_pressure", above=84, below=155, source=_RANGE),
    ClaimRow(r"\bhypox(?:ic|ia|emia|emic)\b|저산소", "oxygen_saturation", below=97, source=_RANGE),
    ClaimRow(r"\bhyperkala?emi[ac]\b|고칼륨", "potassium", relative=1, source=_RANGE),
    ClaimRow(r"\bhypokala?emi[ac]\b|저칼륨", "potassium", relative=-1, source=_RANGE),
    ClaimRow(r"\bhypernatra?emi[ac]\b|고나트륨", "sodium", relative=1, source=_RANGE),
    ClaimRow(r"\bhyponatra?emi[ac]\b|저나트륨", "sodium", relative=-1, source=_RANGE),
    ClaimRow(r"\bhypercalca?emi[ac]\b|고칼슘", "calcium", relative=1, source=_RANGE),
    ClaimRow(r"\bhypocalca?emi[ac]\b|저칼슘", "calcium", relative=-1, source=_RANGE),
    ClaimRow(r"\bhyperglyca?emi[ac]\b|고혈당", "glucose", relative=1, source=_RANGE),
    ClaimRow(r"\bhypoglyca?emi[ac]\b|저혈당", "glucose", relative=-1, source=_RANGE),
    ClaimRow(r"\bana?emi[ac]\b(?! panel)|빈혈", "hemoglobin", relative=-1, source=_RANGE),
    ClaimRow(r"\bleu[ck]ocytosis\b|백혈구 ?증가", "leukocytes", relative=1, source=_RANGE),
    ClaimRow(r"\bleu[ck]openia\b|백혈구 ?감소", "leukocytes", relative=-1, source=_RANGE),
    ClaimRow(r"\bthrombocytopeni[ac]\b|혈소판 ?감소", "platelets", relative=-1, source=_RANGE),
    ClaimRow(r"\bthrombocytosis\b|혈소판 ?증가", "platelets", relative=1, source=_RANGE),
)  # fmt: skip
_CLAIMS = regex("(?i)" + "|".join(f"(?P<c{i}>{row.words})" for i, row in enumerate(CLAIMS)))
_OTHER_TIME = regex(
    r"(?i)\b(?:was|were|initial\w{0,2}|previous\w{0,2}|prior|earlier|then|after|before|until|improv\w{1,4}|resolv\w{1,4}"
    r"|normali[sz]\w{1,3}|recover\w{0,3}|history|ago|last|yesterday|home|orthostatic"
    r"|standing|oxygen(?! sat)|treat\w{0,5}"
    r"|episodes?|nocturnal|intermittent\w{0,2}|risk|avoid|monitor|if|when|should|cause[sd]?|due|secondary|repeat\w{0,2}"
    r"|reports?|reported|denie[sd]|denying|recent\w{0,2}|past|during|rose|fell|dropped|up to|from)\b"
    r"|이전|과거|당시|호전|회복|정상화|후 |전 |집에서|산소"
)
"""Words by which a sentence speaks of two times or of something that could be: nothing is compared in it."""
_HIGH = r"elevated|high(?!-?(?:grade| normal| dose| risk| sensitivity))|raised|높은|높다|높음|높아"
_LOW = r"low(?!-?(?:er\b|grade| grade| normal| dose| risk))|낮은|낮다|낮음|낮아"
_NORMAL = (
    r"normal(?! range| limit| value| saline| for|[ \t]?[:=<>≤≥]|[ \t]\d)|within normal limits"
    r"|unremarkable|정상(?! ?(?:범위|치|상한|하한))"
)
_ADJECTIVES = regex(
    rf"(?i)(?<![A-Za-z-])(?:(?P<high>{_HIGH})|(?P<low>{_LOW})|(?P<normal>{_NORMAL}))(?![A-Za-z])"
)
_NOT = regex(
    r"(?i)\b(?:not?|never|neither|nor|without|than|abnormal|ab|sub|near|upper|lower|high|low)\W{0,2}\Z|비\Z"
)
_BEFORE = regex(r"(?i)[a-z가-힣 \t]{0,24}\Z")
_AFTER = regex(r"[ \t]{0,2}[\(,]?[ \t]{0,2}(?:(?:which )?is |으로 |로 |이며 )?[A-Za-z가-힣 ]{0,24}")
_VITALS_NORMAL = regex(
    r"(?i)\bvital(?: sign)?s?(?: reviewed)?[: ]{1,3}(?:(?:are|is|were|all|look|appear|remain) ){0,3}"
    r"(?:normal|within normal limits|unremarkable|wnl)\b|활력 ?징후(?:는|가)? ?(?:모두 |전부 )?정상"
)
_VITALS_STABLE = regex(
    r"(?i)\bvital(?: sign)?s?[: ]{1,3}(?:(?:are|is|were|all|look|appear|remain) ){0,3}stable\b"
    r"|\bstable vital(?: sign)?s"
    r"|\bVSS\b|\bha?emodynamically stable\b|활력 ?징후(?:는|가)? ?(?:모두 |전부 )?(?:안정|stable)|혈역학적으로 ?안정"
)
_FAR = 0.25
"""Widths of its range by which a value called normal must be outside it."""
_CLEAR = 2
"""Points of NEWS2 for a single vital sign at which vital signs are not normal."""
_UNSTABLE = 3
"""The same at which they are not stable either."""
_NEAR = 200
_ALONE = 3
"""Characters besides the word up to which a sentence ("Normotensive.") speaks of the next one."""
_HIGH_DIASTOLIC, _LOW_DIASTOLIC = 80, 60
_MOST_POINTS = 10
_MOST_WORDS, _MOST_STATEMENTS = 500, 20
"""Words of a text, and statements on all vital signs, that are compared with its values, each with all of them."""
_VITALS = (
    "respiratory_rate",
    "oxygen_saturation",
    "systolic_pressure",
    "heart_rate",
    "temperature",
)


def words_against_values(view: ValueView) -> list[LensPoint]:
    """Every quantity once: a word of the same sentence, or of the examination for fever, that its value denies."""
    points: dict[str, LensPoint] = {}
    for source in (_claims, _adjectives, _normal_vitals):
        for name, raised in source(view):
            points.setdefault(name, raised)
    return list(points.values())[:_MOST_POINTS]


def _raised(view: ValueView, value: Measurement, start: int, end: int, source: str) -> LensPoint:
    word = view.chart.text[start:end]
    message = notice(
        "lens_word_against_value", word=" ".join(word.split()), value=value_notice(value)
    )
    spans = [value.span, view.chart.span(start, end)]
    return point(
        "word_against_value", Severity.MAJOR, message, spans, category=CATEGORY, citation=source
    )


# ---- words that have a definition ---------------------------------------------------------------


def _claims(view: ValueView) -> Iterator[tuple[str, LensPoint]]:
    by_name: dict[str, list[Measurement]] = defaultdict(list)
    for value in view.values:
        if value.value is not None:
            by_name[value.name].append(value)
    for match in islice(_CLAIMS.finditer(view.chart.text), _MOST_WORDS):
        row = CLAIMS[int((match.lastgroup or "c0")[1:])]
        values = _beside(view, match, by_name.get(row.quantity, []))
        if len({value.value for value in values}) == 1 and _plain(view, match):
            value = values[0]
            if _misses(row, value, view.patient) and not _paired_pressure(view, row, value):
                yield row.quantity, _raised(view, value, *match.span(), row.source)


def _beside(view: ValueView, match: re.Match[str], values: list[Measurement]) -> list[Measurement]:
    """The values of the sentence; for fever, which an examination states once, those of its division too.

    Two numbers that restate one value count as the first; values of several days as none.
    """
    start, end = _reach(view, match)
    inside = [value for value in values if start <= value.span.start < end]
    if not inside and view.chart.division_at(match.start()) is Division.EXAM:
        inside = [
            value
            for value in values
            if value.name == "temperature" and value.division is Division.EXAM
        ]
    apart = _without_repetitions(view, inside)
    return apart if len({value.date for value in apart}) == 1 else []


def _reach(view: ValueView, match: re.Match[str]) -> tuple[int, int]:
    """Its sentence, and the next one of a word that stands alone."""
    start, end = view.chart.sentence_at(match.start())
    if end - start - len(match.group()) <= _ALONE and end < len(view.chart.text):
        end = view.chart.sentence_at(end + 1)[1]
    return max(start, match.start() - _NEAR), min(end, match.end() + _NEAR)


def _without_repetitions(view: ValueView, values: list[Measurement]) -> list[Measurement]:
    """Without those that follow another in a parenthesis."""
    between = [
        view.chart.text[first.span.end : second.span.start].strip()
        for first, second in pairwise(values)
    ]
    return [value for value, gap in zip(values, ["", *between], strict=False) if gap != "("]


def _plain(view: ValueView, match: re.Match[str]) -> bool:
    """Whether the word is said of the patient, of now, and as it stands."""
    start, end = view.chart.sentence_at(match.start())
    sentence = view.chart.text[max(start, match.start() - _NEAR) : min(end, match.end() + _NEAR)]
    if _OTHER_TIME.search(sentence):
        return False
    assertion = context_at(view.chart, match.start(), match.end())
    denied = assertion.negated and not match.group().lower().startswith(("no ", "afebrile"))
    return not (denied and "없" not in match.group()) and not (
        assertion.uncertain or assertion.family or assertion.past or assertion.planned
    )


def _misses(row: ClaimRow, value: Measurement, patient: PatientFacts) -> bool:
    """Whether the value is clearly not what the word claims. The fixed limits are of adults, those of fever of all."""
    child = is_child(patient)
    if row.relative and (row.above is row.below or child):
        return _wrong_half(row.relative, value)
    if value.value is None or (child and row.quantity != "temperature"):
        return False
    lowest = float("-inf") if row.above is None else row.above
    highest = float("inf") if row.below is None else row.below
    return not lowest <= value.value <= highest


def _wrong_half(direction: int, value: Measurement) -> bool:
    """Whether a value called high is in the lower half of its range or below, or the other way round."""
    if value.value is None or value.high is None:
        return False
    middle = (value.high + (value.low if value.low is not None else 0.0)) / 2
    return (value.value < middle) if direction > 0 else (value.value > middle)


def _paired_pressure(view: ValueView, row: ClaimRow, value: Measurement) -> bool:
    """Whether the diastolic pressure beside it has what the word claims of a pressure."""
    if row.quantity != "systolic_pressure":
        return False
    for other in view.values:
        if (other.name, other.span) == ("diastolic_pressure", value.span) and other.value:
            high = row.above is not None and row.below is None and other.value >= _HIGH_DIASTOLIC
            low = row.below is not None and row.above is None and other.value < _LOW_DIASTOLIC
            return high or low
    return False


# ---- high, low, normal --------------------------------------------------------------------------


def _adjectives(view: ValueView) -> Iterator[tuple[str, LensPoint]]:
    for value in view.values:
        if value.value is None or not value.range_source or value.name == "diastolic_pressure":
            continue
        for match in _beside_value(view, value):
            if _denies(view, match, value):
                yield value.name, _raised(view, value, *match.span(), value.range_source)


def _beside_value(view: ValueView, value: Measurement) -> Iterator[re.Match[str]]:
    """The adjectives right before the name of a value, between it and the number, and right after."""
    text = view.chart.text
    start, end = view.chart.sentence_at(value.span.start)
    before = _BEFORE.search(text[max(start, value.span.start - 24) : value.span.start])
    first = value.span.start - (len(before.group()) if before else 0)
    after = _AFTER.match(text, value.span.end, min(end, value.span.end + 30))
    last = min(end, after.end()) if after else value.span.end
    sentence = text[max(start, value.span.start - 100) : min(end, value.span.end + 60)]
    if _OTHER_TIME.search(sentence):
        return
    for match in _ADJECTIVES.finditer(text, first, max(last, value.span.end)):
        inside = value.span.start <= match.start() < value.span.end
        joined = " and " not in text[match.end() : value.span.start]
        if (inside or joined) and not _NOT.search(text[max(0, match.start() - 12) : match.start()]):
            yield match


def _denies(view: ValueView, match: re.Match[str], value: Measurement) -> bool:
    if match["normal"]:
        return distance(value) > _FAR and not _loose(value)
    direction = 1 if match["high"] else -1
    if value.name == "systolic_pressure" and direction > 0:
        row = ClaimRow("", value.name, above=118)
        return _misses(row, value, view.patient) and not _paired_pressure(view, row, value)
    return _wrong_half(direction, value)


def _loose(value: Measurement) -> bool:
    """Saturations that are below the range and still called normal by many, in chronic disease of the lung."""
    lowest = 92
    return value.name == "oxygen_saturation" and (value.value or 0) >= lowest


# ---- "vital signs are normal" -------------------------------------------------------------------


def _normal_vitals(view: ValueView) -> Iterator[tuple[str, LensPoint]]:
    """Vital signs called normal or stable, with one of the same paragraph that by NEWS2 is neither (adults)."""
    vitals = [value for value in view.values if value.name in _VITALS]
    for match, least in _vitals_statements(view):
        for value in vitals:
            if not _same_paragraph(view, match.start(), value.span.start):
                continue
            row = reference_range(value.name, view.patient)
            if row is not None and _clear_points(value, view.patient) >= least:
                yield value.name, _raised(view, value, *match.span(), row.source)


def _vitals_statements(view: ValueView) -> Iterator[tuple[re.Match[str], int]]:
    """Statements of normal or stable vital signs, with the fewest points of NEWS2 that contradict each."""
    for pattern, least in ((_VITALS_NORMAL, _CLEAR), (_VITALS_STABLE, _UNSTABLE)):
        for match in islice(pattern.finditer(view.chart.text), _MOST_STATEMENTS):
            if not context_at(view.chart, *match.span()).negated:
                yield match, least


def _same_paragraph(view: ValueView, first: int, second: int) -> bool:
    start, end = sorted((first, second))
    return end - start <= _NEAR and "\n\n" not in view.chart.text[start:end]


def _clear_points(value: Measurement, patient: PatientFacts) -> int:
    score = news2(Inputs({value.name: value.value}, patient)) if value.value is not None else None
    return max(score.parts.values(), default=0) if score else 0

"""The scores of a chart, from its last vital signs and values and from what it says of oxygen and alertness."""

from __future__ import annotations

import re
from itertools import islice

from shared.models.case import Division, LensPoint, Measurement, Score
from shared.models.findings import Severity
from shared.models.notices import Notice, notice
from shared.patterns import regex
from workers.tools.clinical.measurements import quantity_of_measurement, sign_of
from workers.tools.clinical.mentions import context_at
from workers.tools.clinical.points import point
from workers.tools.clinical.scores import (
    Derived,
    Inputs,
    curb65,
    derived_values,
    news2,
    news2_is_red,
    qsofa,
)
from workers.tools.clinical.values import ValueView

_ON_AIR = regex(
    r"(?i)\b(?:on |breathing )?room air\b|\bRA\b|\bon air\b|대기 ?(?:중|호흡)|실내 ?공기"
)
_ON_OXYGEN = regex(
    r"(?i)\b\d{1,2}(?:\.\d)? ?(?:L|liters?)(?: ?/ ?min)?(?: of)?(?: (?:O2|oxygen|NC|nasal|via|by))"
    r"|\bnasal cannula\b|\bnon-?rebreather\b|\bon (?:supplemental )?(?:oxygen|O2)\b|\bFi ?O2\b"
    r"|\b(?:venturi|face) ?mask\b|\bBiPAP\b|\bHFNC\b|\bintubated\b|\bmechanical(?:ly)? ventilat"
    r"|산소 ?\d{1,2} ?L|비강 ?캐뉼라|산소 ?(?:투여|공급|마스크)|기관 ?(?:내 ?)?삽관"
)
_ALERT = regex(
    r"(?i)\balert\b(?! and oriented x ?[012]\b)|\bA&O ?x ?[34]\b|\boriented (?:to person, place|x ?[34])"
    r"|의식(?:은|이)? ?(?:명료|청명)|의식 ?alert"
)
_NOT_ALERT = regex(
    r"(?i)\b(?:confus(?:ed|ion)|disoriented|obtunded|stupor(?:ous)?|lethargic"
    r"|unresponsive|unconscious|comatose|delirious"
    r"|altered mental status|responds (?:only )?to (?:voice|pain|verbal|painful))\b"
    r"|의식 ?(?:저하|혼미|혼탁|소실)|혼돈|섬망|기면|혼수|지남력 ?(?:저하|상실)"
)
_SCALE_2 = regex(
    r"(?i)(?:target|goal|aim|maintain|목표)[^.\n]{0,40}88 ?[-–~] ?92 ?%"
    r"|88 ?[-–~] ?92 ?%[^.\n]{0,30}(?:target|goal|목표)"
)
_PNEUMONIA = regex(r"(?i)\bpneumonia\b|폐렴")
_VITALS = (
    "respiratory_rate",
    "oxygen_saturation",
    "systolic_pressure",
    "diastolic_pressure",
    "heart_rate",
    "temperature",
)
_GCS_ALERT = 15
_MOST_PLACES = 200
_LEAST_PARTS = 3
"""Parts of a score below which a chart is not told that the rest is missing: it has no set of vital signs."""
_URGENT = {"news2": 5, "qsofa": 2, "curb65": 2}
"""From these points on a source asks for an urgent review (NEWS2 table 2; Singer 2016; Lim 2003)."""

_EMERGENCY = {"news2": 7, "qsofa": 2}
"""From these points on a source asks for an emergency response (NEWS2 table 2; Singer 2016: suspect sepsis)."""
_RESPONSE = regex(
    r"(?i)admi(?:t|ssion)|\bICU\b|intensive care|critical care|step-?down|telemetry|sepsis|septic|shock|fluids?\b|bolus"
    r"|saline|ringer|vasopress|norepi|oxygen|\bO2\b|cannula|ventilat|intubat|bipap|cpap|resuscit|rapid response"
    r"|transfer|emergen|urgent|stat\b|hospitali|monitor|\bNEWS|qsofa|\bIV\b|intraven|transfus|deteriorat|palliat"
    r"|hospice|comfort care|cultures?\b|입원|중환자|패혈증|쇼크|수액|승압|산소|삽관|인공호흡|모니터|감시|전원|응급|활력"
    r"|정주|수혈|배양|완화"
)
"""Words of a plan that answers a score: the patient is moved, watched, or treated at once."""


def chart_scores(view: ValueView) -> tuple[tuple[Score, ...], list[LensPoint]]:
    """The scores that the chart allows, those included that lack a part, and what follows from them: risk factors."""
    current = _current(view)
    inputs = _inputs(view, current)
    scores = [news2(inputs), qsofa(inputs)]
    if _asserted(view, _PNEUMONIA):
        scores.append(curb65(inputs))
    kept = tuple(score for score in scores if score and len(score.parts) >= _least(score))
    points = [_of_score(view, score, current) for score in kept if _is_urgent(score)]
    return kept, [*points, *_of_derived(inputs, current)]


def _least(score: Score) -> int:
    return min(_LEAST_PARTS, len(score.parts) + len(score.missing) - 1)


def _is_urgent(score: Score) -> bool:
    """Whether a source asks for an urgent review, whatever the parts that are missing would add."""
    if score.points is None:
        return _known(score) >= _EMERGENCY.get(score.name, _URGENT[score.name])
    return _known(score) >= _URGENT[score.name] or (score.name == "news2" and news2_is_red(score))


def _known(score: Score) -> int:
    """The points of the parts that are known: no part takes any away."""
    return sum(score.parts.values())


def _current(view: ValueView) -> dict[str, Measurement]:
    """One value of each quantity, by the latest date, else the last set of the examination or the results.

    Values that are bounds, that have no unit, or that cannot be are none.
    """
    chosen: dict[str, Measurement] = {}
    for value in view.values:
        quantity = quantity_of_measurement(value)
        if quantity is None or value.value is None or sign_of(value):
            continue
        if not quantity.possible[0] <= value.value <= quantity.possible[1]:
            continue
        known = chosen.get(value.name)
        if known is None or (_rank(value) >= _rank(known) and not _repeats(view, known, value)):
            chosen[value.name] = value
    return chosen


def _rank(value: Measurement) -> tuple[int, str]:
    return (int(value.division in (Division.EXAM, Division.RESULTS)), value.date or "")


def _repeats(view: ValueView, first: Measurement, second: Measurement) -> bool:
    return view.chart.text[first.span.end : second.span.start].strip() == "("


def _inputs(view: ValueView, current: dict[str, Measurement]) -> Inputs:
    values = {name: value.value for name, value in current.items() if value.value is not None}
    return Inputs(
        values=values,
        patient=view.patient,
        oxygen=_oxygen(view, current),
        alert=_alertness(view, values),
        scale_2=_SCALE_2.search(view.chart.text) is not None,
    )


def _oxygen(view: ValueView, current: dict[str, Measurement]) -> bool | None:
    """What the sentence of the saturation says; else what the chart says once and asserts."""
    saturation = current.get("oxygen_saturation")
    if saturation is not None:
        start, end = view.chart.sentence_at(saturation.span.start)
        start, end = max(start, saturation.span.start - 120), min(end, saturation.span.end + 120)
        if _ON_OXYGEN.search(view.chart.text, start, end):
            return True
        if _ON_AIR.search(view.chart.text, start, end):
            return False
    return True if _asserted(view, _ON_OXYGEN) else None


def _alertness(view: ValueView, values: dict[str, float]) -> bool | None:
    """By the coma scale, else by words, of which those for less than alert count first."""
    if "coma_scale" in values:
        return values["coma_scale"] >= _GCS_ALERT
    if _asserted(view, _NOT_ALERT):
        return False
    return True if _asserted(view, _ALERT) else None


def _asserted(view: ValueView, pattern: re.Pattern[str]) -> bool:
    """Whether the chart says it of the patient and of now, in one of its first places."""
    for match in islice(pattern.finditer(view.chart.text), _MOST_PLACES):
        assertion = context_at(view.chart, match.start(), match.end())
        if not (
            assertion.negated
            or assertion.family
            or assertion.past
            or assertion.planned
            or assertion.uncertain
        ):
            return True
    return False


def _of_score(view: ValueView, score: Score, current: dict[str, Measurement]) -> LensPoint:
    """A risk factor, or grave where it asks for an emergency response and the plan has no answer to it."""
    spans = [
        value.span for name, value in current.items() if name in score.parts or name in _VITALS
    ]
    points = _known(score)
    grave = points >= _EMERGENCY.get(score.name, points + 1)
    left_out = grave and bool(view.plan) and not _RESPONSE.search(view.plan)
    return point(
        "early_warning_score",
        Severity.MAJOR if left_out else Severity.INFO,
        notice(
            "lens_score_open" if left_out else "lens_score",
            score=notice(f"score_{score.name}"),
            points=points if score.points is not None else notice("score_at_least", points=points),
        ),
        spans,
        category="risk",
        citation=score.citation,
    )


# ---- derived values -----------------------------------------------------------------------------

_USES = {
    "shock_index": ("heart_rate", "systolic_pressure"),
    "mean_pressure": ("systolic_pressure", "diastolic_pressure"),
    "anion_gap": ("sodium", "chloride", "bicarbonate"),
    "corrected_calcium": ("calcium", "albumin"),
    "egfr": ("creatinine",),
}
_NORMAL: dict[str, tuple[float, float]] = {
    "shock_index": (
        0.0,
        0.9,
    ),  # Allgower 1967; above 0.9: Rady MY et al., Ann Emerg Med 1994;24:685-690
    "mean_pressure": (65.0, 110.0),  # Evans L et al., Surviving Sepsis Campaign 2021: 65 mmHg
    "anion_gap": (0.0, 16.0),  # Kraut and Madias 2007: 12 +/- 4 mmol/L
    "corrected_calcium": (8.6, 10.2),
    "egfr": (60.0, 1000.0),  # KDIGO 2012: below 60 is reduced
}


def _of_derived(inputs: Inputs, current: dict[str, Measurement]) -> list[LensPoint]:
    """One point for all derived values that are outside what is normal."""
    outside = [derived for derived in derived_values(inputs) if _outside(derived)]
    if not outside:
        return []
    names = {name for derived in outside for name in _USES[derived.name]}
    return [
        point(
            "derived_value",
            Severity.INFO,
            notice("lens_derived_values", values=[_derived_notice(derived) for derived in outside]),
            [value.span for name, value in current.items() if name in names],
            category="risk",
            citation="; ".join(derived.citation for derived in outside),
        )
    ]


def _outside(derived: Derived) -> bool:
    low, high = _NORMAL[derived.name]
    return derived.value is not None and not low <= derived.value <= high


def _derived_notice(derived: Derived) -> Notice:
    return notice(
        "lens_derived" if derived.unit else "lens_derived_without_unit",
        name=notice(f"derived_{derived.name}"),
        value=f"{derived.value:.3g}",
        unit=derived.unit,
    )

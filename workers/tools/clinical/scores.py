"""Early-warning scores and derived values, from what was measured at one time.

Each score names its source, and what is missing for it: a score that is not whole has no points. Those for adults are
not computed for children, nor where no age is known and the chart speaks of an infant, a child or a newborn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from shared.models.case import PatientFacts, Score, Sex
from workers.tools.clinical.reference_ranges import is_child

NEWS2 = "Royal College of Physicians. National Early Warning Score (NEWS) 2. London: RCP, 2017"
QSOFA = "Singer M et al. JAMA 2016;315:801-810"
SHOCK_INDEX = "Allgower M, Burri C. Dtsch Med Wochenschr 1967;92:1947-1950"
CURB65 = "Lim WS et al. Thorax 2003;58:377-382"
MEAN_PRESSURE = "Mean arterial pressure = (systolic + 2 x diastolic) / 3"
ANION_GAP = "Kraut JA, Madias NE. Clin J Am Soc Nephrol 2007;2:162-174 (Na - Cl - HCO3)"
CORRECTED_CALCIUM = "Payne RB et al. Br Med J 1973;4:643-646 (Ca + 0.8 x (4.0 - albumin))"
EGFR = "Inker LA et al. N Engl J Med 2021;385:1737-1749 (CKD-EPI 2021, without race)"


@dataclass(frozen=True)
class Inputs:
    """What scores are computed from: values by the names of their quantities, in the units of these.

    `oxygen`: breathing oxygen (True), room air (False), or not told. `alert`: awake and oriented as before (True),
    new confusion or less (False), or not told. `scale_2`: the hypercapnic target of 88 to 92 % was prescribed.
    """

    values: Mapping[str, float]
    patient: PatientFacts
    oxygen: bool | None = None
    alert: bool | None = None
    scale_2: bool = False


@dataclass(frozen=True)
class Derived:
    """A value that a formula derives from others; `missing` names what it lacks, then `value` is None."""

    name: str
    value: float | None
    unit: str
    citation: str
    missing: tuple[str, ...] = ()


# ---- scores of points ---------------------------------------------------------------------------

Bands = tuple[tuple[float, int], ...]
"""Upper limits, inclusive, in order, with their points."""
_NEWS2_BANDS: dict[str, Bands] = {
    "respiratory_rate": ((8, 3), (11, 1), (20, 0), (24, 2), (math.inf, 3)),
    "oxygen_saturation": ((91, 3), (93, 2), (95, 1), (math.inf, 0)),
    "systolic_pressure": ((90, 3), (100, 2), (110, 1), (219, 0), (math.inf, 3)),
    "heart_rate": ((40, 3), (50, 1), (90, 0), (110, 1), (130, 2), (math.inf, 3)),
    "temperature": ((35.0, 3), (36.0, 1), (38.0, 0), (39.0, 1), (math.inf, 2)),
}
_SCALE_2_ON_AIR: Bands = ((83, 3), (85, 2), (87, 1), (math.inf, 0))
_SCALE_2_ON_OXYGEN: Bands = ((83, 3), (85, 2), (87, 1), (92, 0), (94, 1), (96, 2), (math.inf, 3))
_WORST = 3
_OXYGEN_POINTS = 2


def news2(inputs: Inputs) -> Score | None:
    """NEWS2 of an adult; None for a child, whom it was not made for.

    Scale 2 for oxygen saturation only where it was prescribed: on air nothing above 87 % scores, on oxygen too much
    scores as well.
    """
    if is_child(inputs.patient):
        return None
    parts = {
        name: _points(_bands(name, inputs), inputs.values[name])
        for name in _NEWS2_BANDS
        if name in inputs.values
    }
    if inputs.oxygen is not None:
        parts["oxygen"] = _OXYGEN_POINTS if inputs.oxygen else 0
    if inputs.alert is not None:
        parts["consciousness"] = 0 if inputs.alert else _WORST
    return _score("news2", parts, (*_NEWS2_BANDS, "oxygen", "consciousness"), NEWS2)


def news2_is_red(score: Score) -> bool:
    """Whether a single part has three points, which asks for an urgent review by itself."""
    return any(points == _WORST for points in score.parts.values())


def qsofa(inputs: Inputs) -> Score | None:
    """qSOFA of an adult: respiratory rate from 22, systolic pressure up to 100 mmHg, altered mentation (GCS < 15)."""
    if is_child(inputs.patient):
        return None
    tests: dict[str, Callable[[float], bool]] = {
        "respiratory_rate": lambda rate: rate >= 22,
        "systolic_pressure": lambda pressure: pressure <= 100,
    }
    parts = _tested(tests, inputs)
    if inputs.alert is not None:
        parts["consciousness"] = int(not inputs.alert)
    return _score("qsofa", parts, (*tests, "consciousness"), QSOFA)


def curb65(inputs: Inputs) -> Score | None:
    """CURB-65 of an adult: for a pneumonia, which the caller has to know of.

    New confusion, urea above 7 mmol/L (urea nitrogen above 19.6 mg/dL), respiratory rate from 30, systolic pressure
    below 90 or diastolic up to 60 mmHg, age from 65.
    """
    if is_child(inputs.patient):
        return None
    tests: dict[str, Callable[[float], bool]] = {
        "urea_nitrogen": lambda urea: urea > 19.6,
        "respiratory_rate": lambda rate: rate >= 30,
    }
    parts = _tested(tests, inputs)
    systolic = inputs.values.get("systolic_pressure")
    diastolic = inputs.values.get("diastolic_pressure")
    if systolic is not None and diastolic is not None:
        parts["blood_pressure"] = int(systolic < 90 or diastolic <= 60)
    if inputs.alert is not None:
        parts["consciousness"] = int(not inputs.alert)
    if inputs.patient.age_years is not None:
        parts["age"] = int(inputs.patient.age_years >= 65)
    return _score("curb65", parts, (*tests, "blood_pressure", "consciousness", "age"), CURB65)


def _bands(name: str, inputs: Inputs) -> Bands:
    if name == "oxygen_saturation" and inputs.scale_2:
        return _SCALE_2_ON_OXYGEN if inputs.oxygen else _SCALE_2_ON_AIR
    return _NEWS2_BANDS[name]


def _points(bands: Bands, value: float) -> int:
    return next(points for limit, points in bands if value <= limit)


def _tested(tests: Mapping[str, Callable[[float], bool]], inputs: Inputs) -> dict[str, int]:
    return {
        name: int(test(inputs.values[name]))
        for name, test in tests.items()
        if name in inputs.values
    }


def _score(name: str, parts: dict[str, int], needed: tuple[str, ...], citation: str) -> Score:
    """The sum, where nothing is missing for it."""
    missing = tuple(part for part in needed if part not in parts)
    points = None if missing else sum(parts.values())
    return Score(name=name, points=points, parts=parts, missing=missing, citation=citation)


# ---- derived values -----------------------------------------------------------------------------


def derived_values(inputs: Inputs) -> tuple[Derived, ...]:
    """Those that the values and the patient allow."""
    values = (
        shock_index(inputs),
        mean_pressure(inputs),
        anion_gap(inputs),
        corrected_calcium(inputs),
    )
    return tuple(derived for derived in (*values, egfr(inputs)) if derived.value is not None)


def shock_index(inputs: Inputs) -> Derived:
    """Heart rate by systolic pressure; healthy adults have 0.5 to 0.7."""
    if is_child(inputs.patient):
        return Derived("shock_index", None, "", SHOCK_INDEX, ("adult",))
    names = ("heart_rate", "systolic_pressure")
    return _derive("shock_index", inputs, names, "", SHOCK_INDEX, lambda rate, high: rate / high)


def mean_pressure(inputs: Inputs) -> Derived:
    """In mmHg."""
    names = ("systolic_pressure", "diastolic_pressure")
    return _derive(
        "mean_pressure",
        inputs,
        names,
        "mmHg",
        MEAN_PRESSURE,
        lambda high, low: (high + 2 * low) / 3,
    )


def anion_gap(inputs: Inputs) -> Derived:
    """In mmol/L, without potassium."""
    names = ("sodium", "chloride", "bicarbonate")
    return _derive(
        "anion_gap", inputs, names, "mmol/L", ANION_GAP, lambda na, cl, hco3: na - cl - hco3
    )


def corrected_calcium(inputs: Inputs) -> Derived:
    """Total calcium for an albumin of 4.0 g/dL, in mg/dL."""
    names = ("calcium", "albumin")
    return _derive(
        "corrected_calcium",
        inputs,
        names,
        "mg/dL",
        CORRECTED_CALCIUM,
        lambda calcium, albumin: calcium + 0.8 * (4.0 - albumin),
    )


def egfr(inputs: Inputs) -> Derived:
    """CKD-EPI 2021 in mL/min/1.73 m2, of an adult whose sex and age are known."""
    patient, creatinine = inputs.patient, inputs.values.get("creatinine")
    missing = [] if creatinine else ["creatinine"]
    missing += ["sex"] if patient.sex is None else []
    missing += ["age"] if patient.age_years is None else []
    missing += ["adult"] if is_child(inputs.patient) else []
    if missing or not creatinine or patient.age_years is None:
        return Derived("egfr", None, "mL/min", EGFR, tuple(missing))
    kappa, alpha, factor = (0.7, -0.241, 1.012) if patient.sex is Sex.FEMALE else (0.9, -0.302, 1.0)
    ratio = creatinine / kappa
    value = 142 * min(ratio, 1) ** alpha * max(ratio, 1) ** -1.200 * 0.9938**patient.age_years
    return Derived("egfr", value * factor, "mL/min", EGFR)


def _derive(
    name: str,
    inputs: Inputs,
    names: tuple[str, ...],
    unit: str,
    citation: str,
    formula: Callable[..., float],
) -> Derived:
    missing = tuple(needed for needed in names if needed not in inputs.values)
    if missing:
        return Derived(name, None, unit, citation, missing)
    try:
        return Derived(name, formula(*(inputs.values[needed] for needed in names)), unit, citation)
    except ZeroDivisionError:
        return Derived(name, None, unit, citation, names[-1:])

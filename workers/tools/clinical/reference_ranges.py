"""Reference ranges and critical limits of common measurements, by age and sex.

They serve where a chart states none of its own: laboratories differ, and a chart's own range always comes first.
Pregnancy moves many of them (creatinine, hemoglobin, pressures, leukocytes) and is not taken into account. A
laboratory row without an age is for adults: children have critical limits here, and ranges of vital signs alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from shared.models.case import PatientFacts, Sex

ABIM = "ABIM Laboratory Test Reference Ranges 2024"
KOST = "Kost GJ, JAMA 1990;263:704-707 (mean critical limits of US medical centers)"
KOST_CHILDREN = (
    "Kost GJ, Pediatrics 1991;88:597-603 (mean critical limits of US children's hospitals)"
)
PHOENIX = (
    "Phoenix Sepsis Score, Schlapbach LJ et al., JAMA 2024;331:665-674 (lactate from 5 mmol/L)"
)
PALS = "AHA Pediatric Advanced Life Support, vital signs in children"
NEWS2 = "RCP, National Early Warning Score (NEWS) 2, 2017"
HYPERTENSION = "ESC/ESH 2018 (hypertension from 140/90 mmHg); RCP NEWS2 2017 (hypotension)"
CONVENTION = "Walker HK et al., Clinical Methods, 3rd ed. 1990 (NCBI NBK201)"
ECHO = "Lang RM et al., J Am Soc Echocardiogr 2015;28:1-39"
CPS = "Canadian Paediatric Society, Temperature measurement in paediatrics, 2015"
WHO_BMI = "WHO Technical Report Series 894, 2000"
TEASDALE = "Teasdale G, Jennett B, Lancet 1974;2:81-84; from 8 downwards coma"

ADULT = 18.0
_OLDEST = 200.0


@dataclass(frozen=True)
class ReferenceRange:
    """`low` to `high` inclusive, in the quantity's unit; None is no limit. Ages in years, `to_age` excluded.

    From `critical_low` downwards and from `critical_high` upwards somebody is called at once.
    """

    name: str
    low: float | None
    high: float | None
    source: str
    critical_low: float | None = None
    critical_high: float | None = None
    critical_source: str = ""
    sex: Sex | None = None
    from_age: float = ADULT
    to_age: float = _OLDEST


def _lab(
    name: str,
    low: float | None,
    high: float | None,
    critical: tuple[float | None, float | None] = (None, None),
    sex: Sex | None = None,
    source: str = ABIM,
) -> ReferenceRange:
    return ReferenceRange(
        name, low, high, source, critical[0], critical[1], KOST if any(critical) else "", sex
    )


def _vital(
    name: str,
    low: float | None,
    high: float | None,
    source: str,
    critical: tuple[float | None, float | None] = (None, None),
) -> ReferenceRange:
    return ReferenceRange(name, low, high, source, critical[0], critical[1], NEWS2)


def _child(
    from_age: float,
    to_age: float,
    heart: tuple[float, float],
    breaths: tuple[float, float],
    systolic: tuple[float, float],
    diastolic: tuple[float, float],
    hypotension: float | None,
) -> tuple[ReferenceRange, ...]:
    """The rows of an age group; up to `hypotension` a systolic pressure is critical."""

    def row(
        name: str, limits: tuple[float, float], critical_low: float | None = None
    ) -> ReferenceRange:
        return ReferenceRange(
            name,
            limits[0],
            limits[1],
            PALS,
            critical_low,
            critical_source=PALS if critical_low else "",
            from_age=from_age,
            to_age=to_age,
        )

    return (
        row("heart_rate", heart),
        row("respiratory_rate", breaths),
        row("systolic_pressure", systolic, hypotension),
        row("diastolic_pressure", diastolic),
    )


def _level(drug: str, low: float, high: float, critical_high: float, source: str) -> ReferenceRange:
    return ReferenceRange(drug, low, high, source, None, critical_high, source, from_age=0)


def _childs_lab(
    name: str,
    low: float | None,
    high: float | None,
    from_age: float = 0,
    to_age: float = ADULT,
    source: str = KOST_CHILDREN,
) -> ReferenceRange:
    """A row of critical limits: what is ordinary goes by the child's age, which charts seldom say to the month."""
    return ReferenceRange(
        name, None, None, source, low, high, source, from_age=from_age, to_age=to_age
    )


_MONTH = 1 / 12
_CHILDREN = (
    # The 60 mmHg of a newborn are those of one born at term; charts seldom say it, and the preterm are below.
    _child(0, _MONTH, (100, 205), (30, 53), (67, 84), (35, 53), None),
    _child(_MONTH, 1, (100, 190), (30, 53), (72, 104), (37, 56), 69),
    _child(1, 3, (98, 140), (22, 37), (86, 106), (42, 63), 71),
    _child(3, 6, (80, 120), (20, 28), (89, 112), (46, 72), 75),
    _child(6, 10, (75, 118), (18, 25), (97, 115), (57, 76), 81),
    _child(10, 12, (75, 118), (18, 25), (102, 120), (61, 80), 89),
    _child(12, ADULT, (60, 100), (12, 20), (110, 131), (64, 83), 89),
)

RANGES = (
    # vital signs; their critical limits are the bands of three points of NEWS2
    _vital("heart_rate", 60, 100, CONVENTION, (40, 131)),
    _vital("respiratory_rate", 12, 20, NEWS2, (8, 25)),
    _vital("systolic_pressure", 91, 139, HYPERTENSION, (90, 220)),
    _vital("diastolic_pressure", 60, 89, HYPERTENSION),
    _vital("temperature", 36.1, 38.0, NEWS2, (35.0, None)),
    _vital("oxygen_saturation", 96, 100, NEWS2, (91, None)),
    _vital("body_mass_index", 18.5, 24.9, WHO_BMI),
    ReferenceRange("coma_scale", 15, 15, TEASDALE, 8, None, TEASDALE, from_age=0),
    *(row for group in _CHILDREN for row in group),
    ReferenceRange("temperature", 35.5, 38.0, CPS, from_age=0, to_age=ADULT),
    ReferenceRange("oxygen_saturation", 92, 100, CPS, from_age=_MONTH, to_age=ADULT),
    # chemistry
    _lab("sodium", 136, 145, (120, 158)),
    _lab("potassium", 3.5, 5.0, (2.8, 6.2)),
    _lab("chloride", 98, 106, (75, 126)),
    _lab("bicarbonate", 23, 28, (11, 40)),
    _lab("urea_nitrogen", 8, 20, (None, 104)),
    _lab("creatinine", 0.7, 1.3, (None, 7.4), Sex.MALE),
    _lab("creatinine", 0.5, 1.1, (None, 7.4), Sex.FEMALE),
    _lab("creatinine", 0.5, 1.3, (None, 7.4)),
    _lab(
        "glucose", 70, 139, (46, 484), source="ADA Standards of Care (not fasting: below 140 mg/dL)"
    ),
    _lab("calcium", 8.6, 10.2, (6.6, 12.9)),
    _lab("magnesium", 1.6, 2.6, (1.0, 4.9)),
    _lab("phosphate", 3.0, 4.5, (1.2, 8.9)),
    _lab("bilirubin", 0.3, 1.0),
    _lab("direct_bilirubin", None, 0.3),
    _lab("uric_acid", 2.5, 8.0),
    _lab(
        "lactate",
        0.5,
        2.0,
        (None, 3.4),
        source="Singer M et al., JAMA 2016;315:801-810 (above 2 mmol/L)",
    ),
    _lab("albumin", 3.5, 5.5),
    _lab("total_protein", 5.5, 9.0),
    _lab("ast", 10, 40),
    _lab("alt", 10, 40),
    _lab("alkaline_phosphatase", 30, 120),
    _lab("ldh", 80, 225),
    _lab("amylase", 25, 125),
    _lab("lipase", 10, 140),
    _lab("osmolality", 275, 295, (250, 326)),
    # blood count
    _lab("hemoglobin", 14, 18, (6.6, 19.9), Sex.MALE),
    _lab("hemoglobin", 12, 16, (6.6, 19.9), Sex.FEMALE),
    _lab("hemoglobin", 12, 18, (6.6, 19.9)),
    _lab("hematocrit", 42, 50, (18, 61), Sex.MALE),
    _lab("hematocrit", 37, 47, (18, 61), Sex.FEMALE),
    _lab("hematocrit", 37, 50, (18, 61)),
    _lab("leukocytes", 4.0, 11.0, (2.0, 37.0)),
    _lab("platelets", 150, 450, (37, 910)),
    _lab("mcv", 80, 98),
    # children
    _childs_lab("glucose", 32, 328, 0, _MONTH),
    _childs_lab("potassium", 2.8, 7.8, 0, _MONTH),
    _childs_lab("glucose", 46, 445, _MONTH),
    _childs_lab("potassium", 2.8, 6.4, _MONTH),
    _childs_lab("sodium", 121, 156),
    _childs_lab("calcium", 6.5, 12.7),
    _childs_lab("hemoglobin", 6.9, 20.8),
    _childs_lab("hematocrit", 20, 62),
    _childs_lab("platelets", 53, 916),
    _childs_lab("leukocytes", 2.1, 42.9),
    _childs_lab("ph", 7.21, 7.59),
    _childs_lab("pco2", 21, 66),
    _childs_lab("po2", 45, None),
    _childs_lab("lactate", None, 5.0, source=PHOENIX),
    # coagulation and blood gas
    ReferenceRange(
        "inr", 0.8, 1.2, CONVENTION, None, 5.0, "Mayo Clinic Laboratories, critical results list"
    ),
    _lab("prothrombin_time", 11, 13),
    _lab("aptt", 25, 35),
    _lab("ph", 7.35, 7.45, (7.21, 7.59), source=CONVENTION),
    _lab("pco2", 35, 45, (19, 67), source=CONVENTION),
    _lab("po2", 75, 100, (43, None)),
    # others
    _lab("crp", None, 8.0),
    _lab("esr", 0, 15, sex=Sex.MALE),
    _lab("esr", 0, 20, sex=Sex.FEMALE),
    _lab("esr", 0, 20),
    _lab("hba1c", 4.0, 5.6),
    _lab("tsh", 0.5, 4.0),
    _lab("bnp", None, 100),
    _lab("ejection_fraction", 52, 72, sex=Sex.MALE, source=ECHO),
    _lab("ejection_fraction", 54, 74, sex=Sex.FEMALE, source=ECHO),
    _lab("ejection_fraction", 52, 74, source=ECHO),
    # levels of drugs; the critical limit is where the source speaks of toxicity
    _level("lithium", 0.6, 1.2, 1.5, "FDA label of lithium carbonate (toxicity from 1.5 mEq/L)"),
    _level("digoxin", 0.5, 2.0, 2.01, "FDA label of digoxin (toxicity above 2 ng/mL)"),
    _level(
        "vancomycin", 10, 20, 20.1, "Rybak MJ et al., Am J Health Syst Pharm 2009;66:82-98 (trough)"
    ),
    _level("phenytoin", 10, 20, 30, "FDA label of phenytoin (ataxia from 30 mcg/mL)"),
    _level("theophylline", 5, 20, 20.1, "FDA label of theophylline (toxicity above 20 mcg/mL)"),
)


def is_child(patient: PatientFacts) -> bool:
    """Whether the patient is known to be younger than adults are."""
    return patient.age_years is not None and patient.age_years < ADULT


def reference_range(name: str, patient: PatientFacts) -> ReferenceRange | None:
    """The row for this patient, that of their sex before that of both; None where there is none.

    A patient of unknown age is taken as an adult: a chart of a child says so.
    """
    age = patient.age_years if patient.age_years is not None else ADULT
    rows = [
        row
        for row in RANGES
        if row.name == name and row.from_age <= age < row.to_age and row.sex in (None, patient.sex)
    ]
    return next((row for row in rows if row.sex is not None), rows[0] if rows else None)

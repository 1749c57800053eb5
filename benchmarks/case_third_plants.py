"""A third list of contradictions: shapes that neither of the others has, written before any rule was changed for them.

Most are slips that people make in hospital records: milligrams for micrograms, a decimal point that moved, an organ
that was taken out and is examined, a follow-up before the visit, an allergy list that says two things.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from random import Random

from benchmarks.case_second_plants import Plant, between_sentences, sentences, stated_patient

_GROWN, _YOUNG, _OLD = 18, 30, 55
_SMOKER = re.compile(
    r"\b(?:never smoke[rd]|does not smoke|denies (?:tobacco|smoking)|non-?smoker)\b", re.I
)


def word_for_age(text: str, chance: Random) -> str | None:
    """An old patient is called a teenager, a young one elderly."""
    patient = stated_patient(text)
    if patient is None or _YOUNG <= patient[0] <= _OLD:
        return None
    word = "elderly" if patient[0] < _YOUNG else "teenage"
    return between_sentences(text, f"This {word} patient was seen with family.", chance)


def examined_sex(text: str, chance: Random) -> str | None:
    """An examination that only the other sex can have had."""
    patient = stated_patient(text)
    if patient is None or patient[0] < _GROWN:
        return None
    of_men = (
        "The prostate is smooth and not enlarged.",
        "Testes are descended bilaterally.",
        "PSA was 1.1 ng/mL in March.",
    )
    of_women = (
        "The cervix is closed, with no discharge.",
        "Transvaginal ultrasound shows normal ovaries.",
        "She is G2P2 and currently breastfeeding.",
    )
    return between_sentences(text, chance.choice(of_men if patient[1] else of_women), chance)


def smoking(text: str, chance: Random) -> str | None:
    """A patient who never smoked smokes."""
    if not _SMOKER.search(text):
        return None
    return between_sentences(text, "Currently smokes one pack of cigarettes per day.", chance)


THIRD_PLANTS: Mapping[str, tuple[Plant, frozenset[str]]] = {
    "word for age": (
        word_for_age,
        frozenset({"age_contradicts_word", "two_ages", "not_at_that_age", "age_impossible"}),
    ),
    "examined sex": (examined_sex, frozenset({"organ_of_other_sex", "sex_contradicts"})),
    "smoking": (smoking, frozenset({"asserted_and_denied"})),
    "allergy list": (
        sentences(
            "No known drug allergies. Allergy list: penicillin (rash).",
            "NKDA. She is allergic to codeine, which caused hives.",
            "The patient has no allergies to medications. Allergies: sulfa drugs.",
        ),
        frozenset({"asserted_and_denied"}),
    ),
    "removed organ": (
        sentences(
            "Past surgical history: cholecystectomy in 2011. Ultrasound shows a gallbladder with several stones.",
            "Status post appendectomy as a child. CT shows acute appendicitis.",
            "Had a total thyroidectomy in 2015. The thyroid is enlarged with a nodule in its right lobe.",
            "Status post splenectomy after trauma. The spleen is palpable 3 cm below the costal margin.",
        ),
        frozenset({"removed_and_present"}),
    ),
    "milligrams": (
        sentences(
            "Levothyroxine 75 mg daily was continued.",
            "The patient takes digoxin 125 mg every morning.",
            "Fentanyl patch 50 mg every 72 hours.",
            "Vitamin B12 1000 g was given.",
        ),
        frozenset({"dose_over_maximum"}),
    ),
    "too often": (
        sentences(
            "Metformin 1000 mg six times a day was prescribed.",
            "Ibuprofen 800 mg every 2 hours was prescribed.",
            "Sertraline 200 mg four times daily was prescribed.",
        ),
        frozenset({"dose_over_maximum"}),
    ),
    "moved point": (
        sentences(
            "Potassium was 43 mEq/L.",
            "Arterial pH is 73.6.",
            "Temperature on arrival was 3.71 C.",
            "Sodium returned at 14.1 mmol/L.",
            "Platelets 250,000,000/uL.",
        ),
        frozenset({"impossible_value", "wrong_unit"}),
    ),
    "laboratory unit": (
        sentences(
            "Hemoglobin is 13.8 mEq/L.",
            "Serum creatinine of 1.1 mmHg was noted.",
            "INR was 2.3 mg/dL.",
            "Respiratory rate was 18 bpm/min Hg.",
        ),
        frozenset({"wrong_unit", "impossible_value"}),
    ),
    "stable": (
        sentences(
            "Vital signs are stable. Blood pressure 62/30 mmHg, heart rate 148.",
            "She is hemodynamically stable with a blood pressure of 58/34.",
            "Normotensive. BP 214/128.",
            "Breathing comfortably with a normal respiratory rate of 44.",
        ),
        frozenset({"word_against_value"}),
    ),
    "critical": (
        sentences(
            "Potassium 7.4 mEq/L.",
            "Glucose was 31 mg/dL.",
            "Serum sodium is 109 mEq/L.",
            "Hemoglobin came back at 3.9 g/dL.",
            "Lactate 11.2 mmol/L.",
        ),
        frozenset({"critical_value"}),
    ),
    "two weights": (
        sentences(
            "Weight is 70 kg (254 lb).",
            "Height 180 cm (5 ft 2 in).",
            "Glucose 180 mg/dL (5.0 mmol/L).",
        ),
        frozenset({"restated_differently"}),
    ),
    "operation after discharge": (
        sentences(
            "Admitted on 2023-06-20 and discharged on 2023-06-28. Surgery was performed on 2023-07-02 during this"
            " admission.",
            "Admission date: 2022-11-02. Discharge date: 2022-11-09. The drain was removed on 2022-11-15 on the ward.",
        ),
        frozenset({"dates_contradict"}),
    ),
    "follow-up before": (
        sentences(
            "Date of visit: 2023-05-10. Return to clinic on 2023-04-20.",
            "Seen on March 3, 2023. Follow-up appointment: February 1, 2023.",
        ),
        frozenset({"dates_contradict"}),
    ),
    "no such day": (
        sentences(
            "Last colonoscopy was on 2019-02-30.",
            "Symptoms began on April 31, 2023.",
            "Seen on 13/32/2022.",
        ),
        frozenset({"date_impossible"}),
    ),
    "brand of an allergen": (
        sentences(
            "Allergies: aspirin (angioedema). Toradol 30 mg IM was given.",
            "Allergy: sulfamethoxazole. Started on Septra DS twice daily.",
            "She reacts to penicillin with anaphylaxis. Unasyn 3 g every 6 hours was started.",
            "Allergic to cephalosporins. Rocephin 1 g daily was started.",
        ),
        frozenset({"drug_against_allergy", "drug_near_allergy"}),
    ),
    "bleeding twice": (
        sentences(
            "Apixaban 5 mg twice daily was continued. Enoxaparin 80 mg every 12 hours was started.",
            "Continue warfarin 5 mg daily and rivaroxaban 20 mg daily.",
            "Takes naproxen 500 mg twice daily and meloxicam 15 mg daily.",
        ),
        frozenset({"class_twice", "drugs_not_together", "drug_twice"}),
    ),
    "levels": (
        sentences(
            "Clozapine 300 mg at bedtime was continued.",
            "Continue lithium carbonate 900 mg daily.",
            "Continue warfarin 5 mg daily.",
        ),
        frozenset({"monitoring_missing"}),
    ),
}
"""Each with the kinds of points that count as having found it."""

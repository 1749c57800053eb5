"""A fourth list of contradictions, written after the causes of the third list's misses were mended, and tried once.

No rule was changed for them: their figure says what to expect of shapes that nobody has tried.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from benchmarks.case_second_plants import Plant, between_sentences, sentences, stated_patient

_YOUNG, _OLD = 40, 60


def decade(text: str, chance: Random) -> str | None:
    """A decade of life that is far off the age."""
    patient = stated_patient(text)
    if patient is None or _YOUNG <= patient[0] <= _OLD:
        return None
    words = "in the late eighties" if patient[0] < _YOUNG else "in the early twenties"
    return between_sentences(text, f"The patient is {words} and lives alone.", chance)


def relation(text: str, chance: Random) -> str | None:
    """A word for a parent that the patient cannot be."""
    patient = stated_patient(text)
    if patient is None or patient[0] < _YOUNG:
        return None
    word = "father" if patient[1] else "mother"
    return between_sentences(text, f"The patient is a {word} of three.", chance)


FOURTH_PLANTS: Mapping[str, tuple[Plant, frozenset[str]]] = {
    "decade of life": (
        decade,
        frozenset({"two_ages", "age_contradicts_word", "not_at_that_age"}),
    ),
    "father or mother": (relation, frozenset({"sex_contradicts", "organ_of_other_sex"})),
    "beyond its scale": (
        sentences(
            "Oxygen saturation is 108% on room air.",
            "GCS 18 on arrival.",
            "She rates the pain as 14/10.",
            "Ejection fraction was 130%.",
        ),
        frozenset({"impossible_value"}),
    ),
    "no fever": (
        sentences(
            "There is no fever; temperature 40.1 C.",
            "Bradycardic with a pulse of 122/min.",
            "Normal saturation of 71%.",
            "Normoglycemic, glucose 402 mg/dL.",
        ),
        frozenset({"word_against_value"}),
    ),
    "opposite disorder": (
        sentences(
            "Hyperkalemia (potassium 2.9 mEq/L) was corrected.",
            "Known hyponatremia, today sodium is 151 mEq/L.",
            "Leukopenia with 18,400 leukocytes/mm3.",
            "Thrombocytosis: platelets 62,000/mm3.",
        ),
        frozenset({"word_against_value"}),
    ),
    "class of an allergen": (
        sentences(
            "Statins cause a rash. Rosuvastatin 20 mg was started.",
            "Allergic to ACE inhibitors (angioedema). Ramipril 5 mg daily was started.",
            "History of anaphylaxis to ciprofloxacin. Levofloxacin 500 mg daily was prescribed.",
            "Allergies: NSAIDs. Takes celecoxib 200 mg daily.",
        ),
        frozenset({"drug_against_allergy", "drug_near_allergy"}),
    ),
    "pair": (
        sentences(
            "Methotrexate 15 mg weekly is continued; trimethoprim-sulfamethoxazole twice daily was started.",
            "Tranylcypromine 10 mg and meperidine 50 mg were given.",
            "Simvastatin 40 mg nightly and itraconazole 200 mg daily were continued.",
            "Lithium 600 mg daily and hydrochlorothiazide 25 mg daily were continued.",
        ),
        frozenset({"drugs_not_together"}),
    ),
    "expecting": (
        sentences(
            "She is in her second trimester. Isotretinoin 40 mg daily was continued.",
            "Intrauterine pregnancy of 14 weeks. Continue valproate 500 mg twice daily.",
            "G3P2 at 22w4d. Continue losartan 50 mg daily.",
        ),
        frozenset({"drug_in_pregnancy", "organ_of_other_sex"}),
    ),
    "death before": (
        sentences(
            "Admitted on 2023-03-14. Time of death: 2023-03-02 at 04:10.",
            "Date of admission 11/25/2022. The patient expired on 11/13/2022.",
        ),
        frozenset({"dates_contradict"}),
    ),
    "result of tomorrow": (
        sentences(
            "Seen on 2023-08-14. The biopsy of 2023-09-30 showed inflammation.",
            "Date of visit: 2022-01-10. MRI of 2022-03-02 was normal.",
        ),
        frozenset({"dates_contradict"}),
    ),
    "grams": (
        sentences(
            "Amlodipine 10 g daily was continued.",
            "Prednisone 500 mg by mouth twice daily at home.",
            "Zolpidem 100 mg at bedtime.",
            "Metoprolol succinate 2500 mg once a day.",
        ),
        frozenset({"dose_over_maximum"}),
    ),
    "weight and index": (
        sentences(
            "She is 165 cm tall and weighs 60 kg; her BMI is 31.",
            "Height 5'10\", weight 154 lb, BMI 15.",
        ),
        frozenset({"index_against_weight"}),
    ),
}
"""Each with the kinds of points that count as having found it."""

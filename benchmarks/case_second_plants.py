"""A second list of contradictions, written after the rules and by somebody who had not read how they look.

The shapes are others than those of `case_plants`: other words for the same slip, and slips of which that list has none
(a drug against the kidneys or a pregnancy, two drugs that are not taken together, blood groups, titles). Most are a
sentence that is put between two of the note; it says nothing wrong by itself where the note alone makes it wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from random import Random

Plant = Callable[[str, Random], str | None]
_STATED = re.compile(
    r"(\d+)[- ]year[- ]old (?:[A-Za-z-]+ ){0,3}?(woman|female|girl|man|male|boy)\b"
)
_FEMALE = ("woman", "female", "girl")
_GROWN, _OLD = 18, 50
_PARTS = re.compile(r"\b(left|right) (knee|shoulder|hip|ankle|elbow|wrist|breast|eye|ear|foot)\b")
_PROBLEM = re.compile(
    r"\b(?:has|with|history of) (hypertension|asthma|diabetes|type 2 diabetes mellitus|depression|gout)\b"
)


def between_sentences(text: str, sentence: str, chance: Random) -> str:
    """Between two sentences of the note, or at its end."""
    places = [match.end() for match in re.finditer(r"[a-z]\.(?= [A-Z])", text)]
    if not places:
        return f"{text.rstrip()} {sentence}"
    place = chance.choice(places)
    return f"{text[:place]} {sentence}{text[place:]}"


def stated_patient(text: str) -> tuple[int, bool] | None:
    """The age, and whether the patient is a woman, as first stated."""
    match = _STATED.search(text)
    return (int(match[1]), match[2] in _FEMALE) if match else None


def title(text: str, chance: Random) -> str | None:
    """The patient is called by the title of the other sex."""
    patient = stated_patient(text)
    if patient is None or patient[0] < _GROWN:
        return None
    word = chance.choice(("gentleman", "man")) if patient[1] else chance.choice(("lady", "woman"))
    return between_sentences(text, f"This pleasant {word} agreed with the plan.", chance)


def past_operation(text: str, chance: Random) -> str | None:
    """An operation or an event that only the other sex can have had."""
    patient = stated_patient(text)
    if patient is None or patient[0] < _GROWN:
        return None
    of_men = ("A vasectomy was done in 2009.", "Semen analysis was normal last year.")
    of_women = (
        "A hysterectomy was done in 2009.",
        "The last menstrual period was two weeks ago.",
        "The last Pap smear was normal.",
    )
    return between_sentences(text, chance.choice(of_men if patient[1] else of_women), chance)


def birth_date(text: str, _chance: Random) -> str | None:
    """A date of birth that is decades off the age, and the day of the visit."""
    patient = stated_patient(text)
    if patient is None:
        return None
    year = 2024 - patient[0] + (25 if patient[0] > _OLD else -25)
    return f"Date of visit: 03/02/2024\nDate of birth: 05/06/{year}\n{text}"


def other_side(text: str, chance: Random) -> str | None:
    """The plan is about the other side of what the note speaks of on one side only."""
    named = {(match[2], match[1]) for match in _PARTS.finditer(text)}
    single = sorted(part for part, side in named if len({s for p, s in named if p == part}) == 1)
    if not single:
        return None
    part = chance.choice(single)
    side = next(s for p, s in named if p == part)
    other = "left" if side == "right" else "right"
    sentence = chance.choice(
        (
            f"We will operate on the {other} {part} next week.",
            f"An MRI of the {other} {part} is scheduled.",
        )
    )
    return f"{text.rstrip()} {sentence}"


def stay(text: str, chance: Random) -> str | None:
    """A discharge before the admission, in written-out months."""
    return between_sentences(
        text,
        chance.choice(
            (
                "The patient was admitted on March 4, 2021 and discharged on February 20, 2021.",
                "Hospitalized on 12 June 2022, discharged on 3 June 2022.",
            )
        ),
        chance,
    )


def before_birth(text: str, chance: Random) -> str | None:
    """Something lasts for longer than the patient has lived."""
    patient = stated_patient(text)
    if patient is None or patient[0] > _OLD:
        return None
    years = patient[0] + 12
    return between_sentences(
        text,
        chance.choice(
            (
                f"Migraine was diagnosed {years} years ago.",
                f"The patient has smoked for {years} years.",
            )
        ),
        chance,
    )


def sentences(*choices: str) -> Plant:
    def plant(text: str, chance: Random) -> str | None:
        return between_sentences(text, chance.choice(choices), chance)

    return plant


def pregnant(text: str, chance: Random) -> str | None:
    """A drug that is forbidden in pregnancy."""
    patient = stated_patient(text)
    if patient is None or not patient[1] or not _GROWN <= patient[0] <= _OLD:
        return None
    drug = chance.choice(("lisinopril 10 mg", "isotretinoin 20 mg", "warfarin 5 mg"))
    return between_sentences(text, f"She is 20 weeks pregnant and takes {drug} daily.", chance)


def denied(text: str, chance: Random) -> str | None:
    """A disease that the note states is denied."""
    match = _PROBLEM.search(text)
    if match is None:
        return None
    name = match[1].removeprefix("type 2 ").removesuffix(" mellitus")
    form = chance.choice(("There is no history of {}.", "The patient denies {}.", "No known {}."))
    return f"{text.rstrip()} {form.format(name)}"


SECOND_PLANTS: Mapping[str, tuple[Plant, frozenset[str]]] = {
    "title": (title, frozenset({"sex_contradicts"})),
    "past operation": (past_operation, frozenset({"organ_of_other_sex", "sex_contradicts"})),
    "birth date": (birth_date, frozenset({"age_against_birth"})),
    "other side": (other_side, frozenset({"side_contradicts"})),
    "stay": (stay, frozenset({"dates_contradict"})),
    "before birth": (before_birth, frozenset({"longer_than_life"})),
    "impossible value": (
        sentences(
            "Oxygen saturation is 140% on room air.",
            "Serum potassium is 45 mEq/L.",
            "Arterial pH is 5.1.",
            "The respiratory rate is 300/min.",
        ),
        frozenset({"impossible_value"}),
    ),
    "crossed pressures": (
        sentences("Repeat blood pressure is 70/120 mm Hg.", "BP on discharge: 80/130."),
        frozenset({"crossed_pressures"}),
    ),
    "word against value": (
        sentences(
            "Serum potassium is 6.8 mEq/L, consistent with hypokalemia.",
            "Oxygen saturation is 99% on room air; the patient is hypoxic.",
            "Serum glucose is 38 mg/dL, consistent with hyperglycemia.",
            "The patient is afebrile with a temperature of 39.6 C.",
        ),
        frozenset({"word_against_value"}),
    ),
    "unit": (
        sentences("Serum sodium is 140 mg.", "Weight is 70 mg.", "Heart rate is 80 mm Hg."),
        frozenset({"wrong_unit", "impossible_value"}),
    ),
    "body mass index": (
        sentences("Height is 180 cm, weight is 60 kg, and BMI is 34 kg/m2."),
        frozenset({"index_against_weight"}),
    ),
    "allergy": (
        sentences(
            "The patient is allergic to sulfa drugs. Bactrim DS twice daily was started.",
            "Allergies: ibuprofen (hives). Ketorolac 30 mg was given intravenously.",
            "There was anaphylaxis to amoxicillin in childhood. Augmentin 875 mg twice daily was prescribed.",
        ),
        frozenset({"drug_against_allergy", "drug_near_allergy"}),
    ),
    "two of a class": (
        sentences(
            "Current medications include Lipitor 40 mg and rosuvastatin 20 mg daily.",
            "Home medications: Xarelto 20 mg daily, Eliquis 5 mg twice daily.",
            "The patient takes omeprazole 20 mg and Nexium 40 mg every morning.",
        ),
        frozenset({"class_twice", "drug_twice", "drugs_not_together"}),
    ),
    "dose": (
        sentences(
            "Current medications include metoprolol 5000 mg daily.",
            "Acetaminophen 2 g every 4 hours was prescribed.",
            "The patient takes amlodipine 100 mg daily.",
        ),
        frozenset({"dose_over_maximum"}),
    ),
    "weekly drug daily": (
        sentences("Methotrexate 15 mg daily was continued.", "Takes methotrexate 10 mg every day."),
        frozenset({"weekly_drug_daily"}),
    ),
    "not together": (
        sentences(
            "The patient takes sildenafil 50 mg and isosorbide mononitrate 30 mg daily.",
            "Phenelzine 15 mg and sertraline 50 mg daily were continued.",
        ),
        frozenset({"drugs_not_together"}),
    ),
    "kidneys": (
        sentences(
            "The eGFR is 15 mL/min. Metformin 1000 mg twice daily was continued.",
            "With an estimated GFR of 20 mL/min/1.73 m2 the patient takes metformin 500 mg daily.",
        ),
        frozenset({"drug_against_renal_function"}),
    ),
    "pregnant": (pregnant, frozenset({"drug_in_pregnancy"})),
    "blood group": (
        sentences("Blood type is A positive. The earlier record has blood group O negative."),
        frozenset({"blood_groups_contradict"}),
    ),
    "denied": (denied, frozenset({"asserted_and_denied"})),
}
"""Each with the kinds of points that count as having found it."""

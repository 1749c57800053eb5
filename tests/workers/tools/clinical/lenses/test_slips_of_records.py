"""Slips of hospital records: how a name, a label, a unit or a heading once hid them, and what must stay silent."""

from __future__ import annotations

import pytest

from benchmarks.case_notes import run_case_tools
from shared.models.case import LensPoint
from shared.models.findings import Severity

WOMAN = "A 50-year-old woman comes to the physician because of a rash. "


def _points(text: str) -> list[LensPoint]:
    return [raised.point for raised in run_case_tools(text)[1]]


def _kinds(text: str) -> set[str]:
    return {raised.kind for raised in _points(text)}


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        (
            "This elderly patient was once a teacher. This teenage patient is well.",
            "age_contradicts_word",
        ),
        ("The prostate is smooth and not enlarged.", "organ_of_other_sex"),
        ("PSA was 1.1 ng/mL in March.", "organ_of_other_sex"),
        (
            "She has never smoked. Currently smokes one pack of cigarettes per day.",
            "asserted_and_denied",
        ),
        ("Does not drink alcohol. Drinks four beers a day.", "asserted_and_denied"),
        ("No known drug allergies. Allergy list: penicillin (rash).", "asserted_and_denied"),
        (
            "Status post appendectomy as a child. CT shows acute appendicitis.",
            "removed_and_present",
        ),
        ("Cholecystectomy in 2011. Ultrasound shows gallbladder stones.", "removed_and_present"),
        ("과거력: 자궁절제술(2010). 초음파상 자궁 비대 소견.", "removed_and_present"),
        ("Metformin 1000 mg six times a day was prescribed.", "dose_over_maximum"),
        ("Ibuprofen 800 mg every 2 hours was prescribed.", "dose_over_maximum"),
        ("INR was 2.3 mg/dL.", "wrong_unit"),
        ("Hemoglobin is 13.8 mEq/L.", "wrong_unit"),
        (
            "Vital signs are stable. Blood pressure 62/30 mmHg, heart rate 148.",
            "word_against_value",
        ),
        ("Normotensive. BP 214/128.", "word_against_value"),
        ("Glucose 180 mg/dL (5.0 mmol/L).", "restated_differently"),
        ("Height 180 cm (5 ft 2 in).", "restated_differently"),
        (
            "Admitted on 2023-06-20 and discharged on 2023-06-28. Surgery was performed on 2023-07-02.",
            "dates_contradict",
        ),
        ("Date of visit: 2023-05-10. Return to clinic on 2023-04-20.", "dates_contradict"),
        ("입원일: 2024-05-10  퇴원일: 2024-05-02", "dates_contradict"),
        ("Admit date 9/3/2023; D/C date 9/1/2023.", "dates_contradict"),
        (
            "She reacts to penicillin with anaphylaxis. Unasyn 3 g was started.",
            "drug_against_allergy",
        ),
    ],
)
def test_a_slip_is_found(sentence: str, kind: str) -> None:
    assert kind in _kinds(WOMAN + sentence)
    assert kind not in _kinds(WOMAN)


@pytest.mark.parametrize(
    "sentence",
    [
        "This middle-aged patient was seen with family.",
        "No prostate cancer runs in her family.",
        "She denies smoking or living with anyone who smokes.",
        "She does not drink alcohol, but used to drink wine.",
        "Former smoker, smoked one pack per day until 2010. Does not smoke.",
        "No known drug allergies other than penicillin (rash).",
        "No known food allergies. Allergy list: penicillin (rash).",
        "Cholecystectomy in 2011. The gallbladder is surgically absent.",
        "Acute appendicitis in 1998. Appendectomy in 1998.",
        "Postoperative day 2 after cholecystectomy. Preoperative ultrasound showed gallbladder stones.",
        "Thyroid lobectomy in 2011. The thyroid is enlarged.",
        "Vital signs are stable. Blood pressure 104/66 mmHg, heart rate 88.",
        "INR was 2.3.",
        "Glucose 180 mg/dL (10.0 mmol/L).",
        "Creatinine 0.9 mg/dL (80 umol/L).",
        "Acetaminophen 500 mg every 6 hours was prescribed.",
        "Fentanyl 25 mcg every 72 hours.",
        "Admitted on 2023-06-20, discharged on 2023-06-28. Follow-up visit on 2023-07-02: the drain was removed.",
    ],
)
def test_what_is_no_slip_stays_silent(sentence: str) -> None:
    grave = [raised for raised in _points(WOMAN + sentence) if raised.severity is not Severity.INFO]
    assert [(raised.kind, [span.text for span in raised.spans]) for raised in grave] == []


@pytest.mark.parametrize("name", ["Ellison", "Johnson", "Patterson", "Motherwell", "Childers"])
def test_a_name_that_ends_or_begins_like_a_relative_hides_no_age(name: str) -> None:
    chart, _ = run_case_tools(
        f"DISCHARGE SUMMARY\nWard 7, bed 12\nPatient: Margaret {name}, 81-year-old woman\n"
    )
    assert (chart.patient.age_years, chart.patient.sex) == (81, "female")
    mother, _ = run_case_tools(
        "Ward 7, bed 12, the family history is long. Her mother, 81-year-old, is well."
    )
    assert mother.patient.age_years is None


def test_a_critical_laboratory_value_of_a_child_is_told() -> None:
    child = "A 6-year-old girl has vomited for a day. "
    assert "critical_value" in _kinds(child + "Potassium 7.4 mEq/L.")
    assert "critical_value" not in _kinds(child + "Potassium 5.9 mEq/L.")
    assert "critical_value" not in _kinds("A 3-day-old girl. Potassium 6.9 mEq/L.")
    assert not {"critical_value", "doubtful_unit"} & _kinds(child + "Urinalysis shows\npH 7.0")


def test_a_temperature_before_a_heart_rate_is_no_time_in_hours() -> None:
    chart, _ = run_case_tools("VS T 38.9 HR 118 BP 92/50 RR 26 sat 91% 3L NC")
    assert {value.name: value.value for value in chart.measurements} == {
        "temperature": 38.9,
        "heart_rate": 118,
        "systolic_pressure": 92,
        "diastolic_pressure": 50,
        "respiratory_rate": 26,
        "oxygen_saturation": 91,
    }


def test_a_korean_drug_list_below_the_family_history_is_the_patients() -> None:
    text = "가족력: 어머니 유방암\n약물: 와파린 5mg qd, 자렐토 20mg qd\n알레르기: 페니실린 (아나필락시스)\nPlan: 유지"
    chart, _ = run_case_tools(text)
    drugs = [mention for mention in chart.mentions if mention.kind == "drug"]
    assert [mention.family for mention in drugs] == [False, False]
    points = _points(text)
    assert "drugs_not_together" in {raised.kind for raised in points}
    assert "anaphylaxis" not in {raised.message.params.get("problem") for raised in points}


def test_headings_of_a_letter_with_an_angle_divide_a_korean_note() -> None:
    text = (
        "S> 갑상선암으로 2018년 갑상선전절제술 시행.\n   복용약: 와파린 3mg qd\n"
        "O> 갑상선 결절 촉지\nINR 5.8\nP> 와파린 유지"
    )
    chart, raised = run_case_tools(text)
    headings = [section.heading for section in chart.sections]
    assert headings == ["S", "복용약", "O", "P"]
    kinds = {item.point.kind: item.point.severity for item in raised}
    assert kinds["critical_value"] is Severity.CRITICAL
    assert kinds["removed_and_present"] is Severity.MAJOR
    assert "drug_twice" not in kinds


def test_a_heading_is_no_problem() -> None:
    chart, _ = run_case_tools(
        "HPI: sudden dyspnea, PE suspected.\nPE: lungs clear\nA/P: PE. Start heparin."
    )
    places = [
        mention.span.start for mention in chart.mentions if mention.concept == "pulmonary embolism"
    ]
    assert len(places) == 2


@pytest.mark.parametrize(
    ("drug", "potassium", "found"),
    [
        ("spironolactone 25 mg daily", "6.1", True),
        ("KCl 40 mEq BID", "5.8", True),
        ("spironolactone 25 mg daily", "5.1", False),
        ("furosemide 40 mg daily", "6.1", False),
        ("spironolactone, which was stopped", "6.1", False),
    ],
)
def test_a_drug_that_raises_potassium_goes_on_although_it_is_high(
    drug: str, potassium: str, found: bool
) -> None:
    text = f"MEDICATIONS\n{drug}\nLABS\nK {potassium} mmol/L\nPLAN\nReturn in a month."
    assert ("drug_against_potassium" in _kinds(text)) is found

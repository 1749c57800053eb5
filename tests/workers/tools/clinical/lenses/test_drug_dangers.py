"""What `lens_monitoring_response` raises of pregnancy, kidneys, pairs, weekly drugs and tests that were not done."""

from __future__ import annotations

import pytest

from shared.models.findings import Severity
from shared.models.notices import Notice
from tests.support.clinical_notes import kinds, raised

LENS = "lens_monitoring_response"


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("drug_in_pregnancy", "A 29-year-old woman, G3P1011 at 14w3d. Meds: enalapril 10 mg daily."),
        ("drug_in_pregnancy", "A 33-year-old woman, G2P1001, comes for a visit. She takes warfarin 5 mg daily."),
        ("drug_in_pregnancy", "PMH: asthma. Meds: valproate 500 mg BID. IUP at 22 weeks."),
        ("drug_in_pregnancy", "임신 12주인 30세 여성. 로사르탄 50 mg 하루 1회 복용 중."),
        ("drugs_not_together", "He takes lithium 300 mg TID. Naproxen 500 mg BID started today."),
        ("drugs_not_together", "She takes simvastatin 20 mg daily. Start clarithromycin 500 mg BID."),
        ("drugs_not_together", "Warfarin 5 mg daily. Add apixaban 5 mg BID."),
        ("drugs_not_together", "리튬 300 mg 하루 3회 복용 중. 이부프로펜 400 mg 하루 3회 처방함."),
        ("class_twice", "Home medications: dabigatran 150 mg BID, rivaroxaban 20 mg daily."),
        ("class_twice", "복용약: 암로디핀 5 mg, 펠로디핀 5 mg 하루 1회."),
        ("class_twice", "과거력: 고혈압\n약물: 암로디핀 5 mg 1일 1회, 니페디핀 30 mg 1일 1회\n"),
        ("class_twice", "PMH: AF. Meds: edoxaban 60 mg daily, apixaban 5 mg BID. Avoid NSAIDs with apixaban."),
        ("drug_against_renal_function", "A 70-year-old man takes metformin 500 mg BID. Creatinine 4.4 mg/dL."),
        ("drug_against_renal_function", "He takes metformin 500 mg twice daily. eGFR 21 mL/min."),
        ("drug_against_renal_function", "72세 남성. 메트포르민 500 mg 하루 2회 복용 중. 크레아티닌 4.1 mg/dL."),
        ("weekly_drug_daily", "We talked about methotrexate and she will start 15 mg once daily."),
        ("weekly_drug_daily", "Methotrexate 2.5 mg tablets, 6 tablets by mouth once daily."),
        ("weekly_drug_daily", "메토트렉세이트 15 mg 매일 복용."),
        ("monitoring_missing", "He takes warfarin 5 mg daily. Labs are normal. No recent INR is on file."),
        ("monitoring_missing", "She takes warfarin 5 mg daily. The INR was not checked."),
        ("monitoring_missing", "와파린 5 mg 하루 1회 복용 중. INR 검사는 미시행."),
    ],
)  # fmt: skip
def test_a_danger_of_the_drugs_is_raised(kind: str, text: str) -> None:
    assert kind in kinds(LENS, text)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("drug_in_pregnancy", "A 40-year-old woman, G2P2002, takes lisinopril 10 mg daily."),
        ("drug_in_pregnancy", "Baby girl, born at 30w1d. Her father takes lisinopril. Captopril 1 mg was begun."),
        ("drug_in_pregnancy", "G2P1001 at 28w2d. Lisinopril was stopped before she conceived. Takes labetalol."),
        ("drug_in_pregnancy", "지난 임신 20주에 유산함. 로사르탄 50 mg 하루 1회 복용 중. 현재 임신 아님."),
        ("drugs_not_together", "He takes lithium 300 mg TID. Avoid ibuprofen."),
        ("drugs_not_together", "Lisinopril was stopped, losartan 50 mg started."),
        ("drugs_not_together", "He takes warfarin 5 mg daily and acetaminophen as needed."),
        ("class_twice", "Simvastatin stopped, atorvastatin 40 mg started."),
        ("class_twice", "암로디핀 중단하고 니페디핀 30 mg 시작함."),
        ("drug_against_renal_function", "A 70-year-old man takes metformin 500 mg BID. Creatinine 1.1 mg/dL."),
        ("drug_against_renal_function", "Metformin 500 mg BID; stop if the eGFR falls below 30. eGFR 64."),
        ("drug_against_renal_function", "Creatinine 4.4 mg/dL, 70-year-old man. Metformin was stopped."),
        ("weekly_drug_daily", "We talked about methotrexate and she will start 15 mg once weekly. Folic acid daily."),
        ("monitoring_missing", "He takes warfarin 5 mg daily. No bleeding; INR 2.4."),
        ("monitoring_missing", "와파린 5 mg 복용 중, 출혈 없음. INR 2.3."),
    ],
)  # fmt: skip
def test_what_is_no_danger_is_left_alone(kind: str, text: str) -> None:
    assert kind not in kinds(LENS, text)


def _severities(kind: str, text: str) -> list[Severity]:
    return [point.severity for point in raised(LENS, text) if point.kind == kind]


def test_a_contraindicated_pair_is_graver_than_one_to_be_avoided() -> None:
    assert _severities("drugs_not_together", "Warfarin 5 mg daily. Add apixaban 5 mg BID.") == [
        Severity.MAJOR
    ]
    assert _severities("drugs_not_together", "Warfarin 5 mg daily. Add ibuprofen 400 mg TID.") == [
        Severity.MINOR
    ]


def test_a_general_panel_does_not_tell_the_level_of_a_drug_with_a_narrow_range() -> None:
    text = "He takes lithium 300 mg TID. The labs, with creatinine and TSH, are normal."
    points = [point for point in raised(LENS, text) if point.kind == "monitoring_missing"]
    assert [point.severity for point in points] == [Severity.MINOR]
    assert points[0].message.params["items"] == (Notice(code="monitored_lithium_level"),)
    assert not _severities("monitoring_missing", text + " Lithium level 0.8 mmol/L.")


def test_the_last_filtration_rate_counts() -> None:
    text = "He takes metformin 500 mg BID. eGFR 22 on Monday. eGFR 58 today."
    assert "drug_against_renal_function" not in kinds(LENS, text)


def test_of_two_drugs_in_a_clause_each_has_its_own_verb() -> None:
    text = "Allergies: penicillin. Amoxicillin stopped, azithromycin 250 mg started."
    assert "drug_against_allergy" not in kinds(LENS, text)
    text = "Allergies: penicillin. Amoxicillin 500 mg TID, metformin was stopped."
    assert "drug_against_allergy" in kinds(LENS, text)

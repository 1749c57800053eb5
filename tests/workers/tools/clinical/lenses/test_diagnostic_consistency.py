"""What `lens_diagnostic_consistency` raises where a chart contradicts itself, and what it leaves alone."""

from __future__ import annotations

import time

import pytest

from tests.support.clinical_notes import kinds, raised

LENS = "lens_diagnostic_consistency"


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("sex_contradicts", "A 50-year-old man has a cough. She denies fever. She smokes. She feels well."),
        ("sex_contradicts", "Mr. Kim is a 50-year-old female with a cough."),
        ("sex_contradicts", "50세 여성 환자.\n기침으로 내원한 50세 남성임."),
        ("organ_of_other_sex", "A 60-year-old woman has a cough. The prostate is enlarged."),
        ("organ_of_other_sex", "A 40-year-old man has pain. He is pregnant."),
        ("organ_of_other_sex", "45세 남성 환자로 복통이 있음.\n자궁이 커져 있음."),
        ("two_ages", "A 50-year-old man has a cough.\n\nASSESSMENT\n\nThe patient is a 63-year-old man with asthma."),
        ("two_ages", "58M with COPD.\n\nSUBJECTIVE\n\nThis 85-year-old man has a cough."),
        ("two_ages", "이OO, 여/34\n43세 여자로 두통을 주소로 내원함."),
        ("sex_contradicts", "34/F with a cough.\n\nASSESSMENT\n\nThis gentleman has asthma."),
        ("sex_contradicts", "남/71 기침으로 내원.\n71세 여자로 발열이 있음."),
        ("sex_contradicts", "A 67-year-old woman has a cough. This pleasant gentleman was given fluids."),
        ("age_against_birth", "DOB: 01/02/1950. Date of visit: 05/06/2020. A 45-year-old man with a cough."),
        ("age_against_birth", "DOB 14/06/1981\nClinic date: 22/01/2024\n\nThis 72 year old driver has a cough."),
        ("age_against_birth", "생년월일: 1981-06-14\n진료일: 2024-01-22\n72세 남성 환자로 기침이 있음."),
        ("age_contradicts_word", "A 45-year-old boy has a cough."),
        ("age_contradicts_word", "A 5-year-old man has a cough."),
        ("age_impossible", "A 245-year-old man has a cough."),
        ("longer_than_life", "A 24-year-old woman has a 36-year history of asthma."),
        ("longer_than_life", "24세 여성. 36년 전 천식을 진단받음."),
        ("not_at_that_age", "A 4-year-old boy has a cough. He is sexually active."),
        ("side_contradicts", "Left knee pain for a week. The left knee is swollen.\n\nPLAN\n\nMRI of the right knee."),
        ("sex_contradicts", "A 67-year-old woman with a cough. This gentleman has smoked for 30 years."),
        ("sex_contradicts", "Mr. Kim has a cough. This pleasant lady has smoked for years."),
        ("sex_contradicts", "이OO, 여/34. 복통으로 내원. 상기 남환은 어제부터 아팠음."),
        ("blood_groups_contradict", "Blood type: A positive.\n\nPLAN\n\nRh negative, so RhoGAM is given."),
        ("blood_groups_contradict", "Blood group O positive. Crossmatched as blood group B."),
        ("blood_groups_contradict", "혈액형 A형 Rh 양성. 수혈 준비: 혈액형 B형."),
        ("asserted_and_denied", "HPI: He had a stroke in 2015. He stopped smoking. He has no history of stroke."),
        ("asserted_and_denied", "She had a myocardial infarction in 2012. She walks daily. She denies prior MI."),
        ("asserted_and_denied", "과거력: 2015년 뇌경색.\n흡연하지 않음. 뇌졸중 과거력 없음."),
        ("side_contradicts", "CHEST X-RAY\n\nLeft lower lobe infiltrate.\n\nASSESSMENT\n\nRight lower lobe pneumonia."),
        ("side_contradicts", "RESULTS\n\nCXR: RLL consolidation.\n\nPLAN\n\nTreat the left lower lobe pneumonia."),
        ("side_contradicts", "HPI\n\nTwisted R ankle. R ankle is swollen.\n\nPLAN\n\nXR L ankle today."),
        ("side_contradicts", "HPI\n\nRt. knee pain. Rt knee swelling.\n\nPLAN\n\nMRI Lt. knee."),
        ("side_contradicts", "영상 소견\n\n흉부 X선: 우하엽 침윤.\n\n평가 및 계획\n\n좌하엽 폐렴으로 항생제 투여."),
        ("side_contradicts", "왼쪽 무릎 통증.\n왼쪽 무릎이 부어 있음.\n오른쪽 무릎 MRI 예정."),
        ("dates_contradict", "Admission date: 2024-03-12\nDischarge date: 2024-03-04\n\nHe has a cough."),
        ("dates_contradict", "Admitted on 08/12/2019 and discharged on 08/04/2019. He has a cough."),
        ("dates_contradict", "Date of service: 03/15/2024\n\nPLAN\n\nFollow-up appointment on 02/20/2024."),
        ("dates_contradict", "DATE: 2024-05-02\n\nPLAN\n\nContinue metformin. RTC 2023-08-01."),
        ("dates_contradict", "진료일: 2024-03-15\n\n평가\n고혈압\n\n계획\n2024-02-20 외래 예약."),
        ("date_impossible", "He was operated on 2024-02-31."),
        ("date_impossible", "He was operated on June 31, 2023."),
        ("asserted_and_denied", "He came because of chest pain. The patient denies chest pain."),
    ],
)  # fmt: skip
def test_a_contradiction_is_raised(kind: str, text: str) -> None:
    assert kind in kinds(LENS, text)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("sex_contradicts", "A 50-year-old man has a cough. His wife is well. She has no cough."),
        ("sex_contradicts", "A 50-year-old man has a cough. He denies fever."),
        ("sex_contradicts", "A 30-year-old transgender man has a cough. She was told to come."),
        ("organ_of_other_sex", "A 60-year-old woman has a cough. Her father had prostate cancer."),
        ("organ_of_other_sex", "A 1-month-old boy has a cough. The pregnancy was uneventful."),
        ("two_ages", "A 50-year-old man has a cough. His 20-year-old daughter is well."),
        ("two_ages", "이OO, 여/34\n체중은 2개월간 5 kg 감소."),
        ("not_at_that_age", "이OO, 여/34\n체중은 2개월간 5 kg 감소. 현재 임신 8주."),
        ("two_ages", "Baby girl, DOL 5. Born to a 29-year-old woman."),
        ("two_ages", "58M with COPD. He is a 58-year-old smoker."),
        ("two_ages", "A 50-year-old man has had asthma since he was 12 years old."),
        ("two_ages", "A 50-year-old man has a cough. The patient is a 51-year-old man."),
        ("age_against_birth", "DOB: 01/02/1975. Date of visit: 05/06/2020. A 45-year-old man with a cough."),
        ("age_contradicts_word", "A 17-year-old girl has a cough."),
        ("longer_than_life", "A 50-year-old man has smoked for 30 years."),
        ("not_at_that_age", "A 4-year-old boy has a cough. His parents smoke."),
        ("side_contradicts", "Left knee pain. The left knee is swollen. The right knee is normal."),
        ("sex_contradicts", "A 67-year-old woman with a cough. Her husband came along. This gentleman smokes."),
        ("sex_contradicts", "이OO, 여/34. 복통으로 내원. 상기 여환은 어제부터 아팠음."),
        ("blood_groups_contradict", "Blood type O negative, antibody screen negative. Rh negative: RhoGAM is given."),
        ("blood_groups_contradict", "Mother's blood type O positive. Baby's blood type A positive."),
        ("blood_groups_contradict", "Influenza A positive. Hepatitis B negative. Blood type O positive."),
        ("blood_groups_contradict", "혈액형 A형 Rh 양성. 남편은 혈액형 B형."),
        ("asserted_and_denied", "He had a stroke in 2015. His mother has no history of stroke."),
        ("asserted_and_denied", "He had a stroke in 2015. He has no history of heart attack."),
        ("side_contradicts", "HPI\n\nLeft knee pain.\n\nPLAN\n\nCompare with the right knee."),
        ("side_contradicts", "HPI\n\nL ankle pain after a fall. R ankle sprain years ago.\n\nPLAN\n\nXR L ankle."),
        ("side_contradicts", "RESULTS\n\n2 L chest drain. Rt chest tube.\n\nPLAN\n\nKeep the right chest tube."),
        ("side_contradicts", "영상 소견\n\n우하엽 침윤. 좌하엽은 정상.\n\n평가\n\n우하엽 폐렴."),
        ("side_contradicts", "Left knee pain. The left knee is swollen. He had surgery of the right knee years ago."),
        ("side_contradicts", "HPI\n\nL ankle pain.\n\nEXAM\n\nR ankle normal. R ankle FROM.\n\nPLAN\n\nXR L ankle."),
        ("side_contradicts", "HPI\n\nTwisted R ankle.\n\nEXAM\n\nR ankle swollen.\nL ankle without swelling.\n"),
        ("sex_contradicts", "32 yo F, G2P1, delivered at 39 weeks, male infant of 3.4 kg. She is well."),
        ("dates_contradict", "Date of service: 03/15/2024\n\nPLAN\n\nFollow-up appointment on 04/20/2024."),
        ("dates_contradict", "DATE: 2024-05-02\n\nPLAN\n\nLast follow-up was 2024-02-01. RTC 2024-08-01."),
        ("date_impossible", "Pulse and pressure: 98/60/72."),
        ("dates_contradict", "Admission date: 2024-03-04\nDischarge date: 2024-03-12\n\nHe has a cough."),
        ("dates_contradict", "Admitted on 05/03/2019 and discharged on 04/06/2019. He has a cough."),
        ("date_impossible", "He was operated on 2024-02-29."),
        ("asserted_and_denied", "He had chest pain yesterday. He currently denies chest pain."),
        ("asserted_and_denied", "His brother has chest pain. The patient denies chest pain."),
    ],
)  # fmt: skip
def test_what_agrees_is_left_alone(kind: str, text: str) -> None:
    assert kind not in kinds(LENS, text)


def test_one_wrong_date_is_one_contradiction() -> None:
    text = (
        "DOB: 2031-04-02\nAdmission date: 2024-03-01. Discharge date: 2024-03-05.\n"
        "A 50-year-old man with cellulitis. Surgery on 2024-03-02."
    )
    assert [point.kind for point in raised(LENS, text)] == ["dates_contradict"]


def test_a_contradiction_shows_both_places() -> None:
    points = raised(LENS, "Mr. Kim is a 50-year-old female with a cough.")
    assert [span.text.strip() for point in points for span in point.spans][:2] == [
        "Mr.",
        "50-year-old female",
    ]


@pytest.mark.parametrize(
    "unit",
    [
        "she he ",
        "left knee right knee ",
        "50-year-old man ",
        "for 90 years ",
        "2024-13-40 ",
        "bilateral ",
    ],
)
def test_a_text_without_sentences_takes_seconds(unit: str) -> None:
    started = time.process_time()
    raised(LENS, unit * (5_000 // len(unit)))
    assert time.process_time() - started < 2

"""Who the patient is, by the words of the chart."""

from __future__ import annotations

import pytest

from shared.models.case import PatientFacts, Sex
from workers.tools.clinical.chart import read_chart
from workers.tools.clinical.patient import find_patient


def patient(text: str) -> PatientFacts:
    facts = find_patient(read_chart(text))
    assert all(text[span.start : span.end] == span.text for span in facts.spans)
    return facts


@pytest.mark.parametrize(
    ("text", "age", "sex"),
    [
        ("A 54-year-old woman presents.", 54.0, Sex.FEMALE),
        ("67 yo M with cough.", 67.0, Sex.MALE),
        ("A 6-month-old boy.", 0.5, Sex.MALE),
        ("A 3-week-old girl.", 0.057, Sex.FEMALE),
        ("45세 남자 환자.", 45.0, Sex.MALE),
        ("환자: 홍OO, 62세/여", 62.0, Sex.FEMALE),
        ("생후 18개월 여아", 1.5, Sex.FEMALE),
        ("Sex: female\nAge: 31", 31.0, Sex.FEMALE),
        ("Her mother is a 70-year-old woman. Mr. A is a 40-year-old man.", 40.0, Sex.MALE),
        ("A sixty-two-year-old man.", 62.0, Sex.MALE),
    ],
)
def test_age_and_sex_are_read_in_both_languages(text: str, age: float, sex: Sex) -> None:
    facts = patient(text)
    assert (facts.age_years, facts.sex) == (age, sex)


def test_pronouns_count_only_where_all_agree() -> None:
    assert patient("She coughs. Her lungs are clear. She will return.").sex is Sex.FEMALE
    assert patient("She coughs. His lungs are clear. She will return.").sex is None
    assert patient("She coughs.").sex is None


@pytest.mark.parametrize(
    "text", ["DOB: 1979-03-02", "Date of birth: 3/2/1979", "생년월일: 1979년 3월 2일", "Born March 2, 1979"]
)  # fmt: skip
def test_the_date_of_birth_is_read(text: str) -> None:
    assert patient(text).birth_date == "1979-03-02"


@pytest.mark.parametrize("text", ["", "Pain for 3 years.", "He is fine.", "A 400-year-old tree."])
def test_what_is_not_said_is_not_known(text: str) -> None:
    assert patient(text) == PatientFacts()


@pytest.mark.parametrize("text", ["T 98.6F, HR 72 bpm", "Temp 101 F, pulse 80", "It was (98 F)."])
def test_a_temperature_in_fahrenheit_is_no_age_and_no_sex(text: str) -> None:
    facts = find_patient(read_chart(text))
    assert (facts.age_years, facts.sex) == (None, None)


@pytest.mark.parametrize(
    ("text", "age", "sex"),
    [
        ("F/34 with headache", 34.0, Sex.FEMALE),
        ("34/F, headache", 34.0, Sex.FEMALE),
        ("58M with COPD", 58.0, Sex.MALE),
        ("34 y/o F with pain", 34.0, Sex.FEMALE),
        ("34 y.o. F", 34.0, Sex.FEMALE),
        ("이OO, 여/34\n두통", 34.0, Sex.FEMALE),
        ("김OO 남/71세", 71.0, Sex.MALE),
        ("6개월 남아", 0.5, Sex.MALE),
    ],
)
def test_the_usual_headers_state_age_and_sex(text: str, age: float, sex: Sex) -> None:
    facts = patient(text)
    assert (facts.age_years, facts.sex) == (age, sex)


@pytest.mark.parametrize(
    "text",
    [
        "Baby girl, birth weight 1320 g, born to a 29-year-old mother.",
        "NICU PROGRESS NOTE",
        "DOL 5. Feeding well.",
        "Twin A, ex 30w1d.",
        "A term newborn was seen.",
        "신생아, 생후 3일",
        "생후 5일째",
    ],
)
def test_words_for_a_newborn_are_an_age(text: str) -> None:
    age = patient(text).age_years
    assert age is not None
    assert age < 1 / 12


@pytest.mark.parametrize(
    ("text", "age"),
    [
        ("She delivered a healthy newborn yesterday.", None),
        ("31 y/o G2P1 seen on day 2.\nBaby girl is well.", 31.0),
        ("Former 28-weeker, now an 8-year-old boy.", 8.0),
        ("Newborn screen was normal.", None),
    ],
)
def test_a_newborn_that_is_spoken_of_is_not_the_patient(text: str, age: float | None) -> None:
    assert patient(text).age_years == age


@pytest.mark.parametrize(
    "text",
    ["체중은 2개월간 5 kg 감소", "2개월 전부터 기침", "3개월 동안 복용", "Cough for 2 months."],
)
def test_a_duration_is_no_age(text: str) -> None:
    assert patient(text).age_years is None


@pytest.mark.parametrize("text", ["Strength 5/5 M", "BP 120/80 M", "98F with chills", "2/6 murmur"])
def test_other_numbers_beside_letters_are_no_headers(text: str) -> None:
    assert patient(text) == PatientFacts()


@pytest.mark.parametrize(
    ("text", "age"), [("Age: 14 months. Fever.", 14 / 12), ("Age 3 weeks.", 0.057)]
)
def test_an_age_behind_its_label_has_its_unit(text: str, age: float) -> None:
    assert find_patient(read_chart(text)).age_years == pytest.approx(age, abs=0.001)


@pytest.mark.parametrize(
    ("text", "birth"),
    [
        ("DOB 14/06/1951.", "1951-06-14"),
        ("DOB 06/14/1951.", "1951-06-14"),
        ("DOB 14/16/1951.", None),
    ],
)
def test_a_date_of_birth_is_a_date_of_the_calendar(text: str, birth: str | None) -> None:
    assert find_patient(read_chart(text)).birth_date == birth


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("This toddler is brought in by his mother for cough.", 2.0),
        ("HPI: Infant brought in for poor feeding.", 0.5),
        ("A schoolboy presents with sore throat.", 8.0),
        ("영아, 발열로 내원.", 0.5),
        ("신생아 황달로 내원.", 0.0),
        ("환아는 어제부터 기침함.", 5.0),
        ("7mo F w/ diarrhea", 0.583),
        ("A three-month-old with cough", 0.25),
        ("An 18 month-old boy", 1.5),
    ],
)
def test_words_for_children_are_ages(text: str, years: float) -> None:
    assert patient(text).age_years == years


@pytest.mark.parametrize(
    "text",
    [
        "She has a child with asthma.",
        "Lives with her toddler.",
        "A woman with a cough. The infant was not seen.",
        "소아과 전문의.",
        "소아마비 과거력.",
    ],
)
def test_children_of_others_are_no_age_of_the_patient(text: str) -> None:
    assert patient(text).age_years is None


def test_an_age_in_figures_comes_before_a_word() -> None:
    assert patient("This boy is 14 years old.").age_years == 14.0


@pytest.mark.parametrize(
    "text",
    [
        "32 yo G2P1. Delivered a viable male, Apgars 8 and 9.",
        "32 years old, G2P1. 3.4 kg male by SVD.",
        "32세, 39주. 3.4 kg 남아 자연분만함.",
    ],
)
def test_the_sex_of_a_newborn_is_not_that_of_its_mother(text: str) -> None:
    assert patient(text).sex is None
    assert patient(text).age_years == 32.0

"""Numbers beside names, as English and Korean notes write them."""

from __future__ import annotations

import time

import pytest

from workers.tools.clinical.reading import read_number
from workers.tools.clinical.readings import find_readings


def _read(text: str) -> list[tuple[str, float, str]]:
    return [(r.quantity.name, r.number, r.unit.name if r.unit else "") for r in find_readings(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Potassium of 5.9 mEq/L.", ("potassium", 5.9, "mEq/L")),
        ("K 5.9", ("potassium", 5.9, "")),
        ("K+ 5,9", ("potassium", 5.9, "")),
        ("Hgb: 9.1 g/dL", ("hemoglobin", 9.1, "g/dL")),
        ("혈색소는 9.1 g/dL였다", ("hemoglobin", 9.1, "g/dL")),
        ("칼륨 수치가 5.9 mmol/L로 상승", ("potassium", 5.9, "mmol/L")),
        ("WBC 12,000/mm3", ("leukocytes", 12_000, "/uL")),
        ("a leukocyte count of 12.0 x 10^9/L", ("leukocytes", 12.0, "10^9/L")),
        ("혈소판 25만", ("platelets", 25, "10^4/uL")),
        ("aspartate aminotransferase (AST) 110 IU/L", ("ast", 110, "U/L")),
        ("Hemoglobin A1c is elevated at 8.", ("hba1c", 8, "")),
        ("tachycardia of 130/min", ("heart_rate", 130, "/min")),
        ("febrile to 39.2 C", ("temperature", 39.2, "C")),
        ("체온 38.5도", ("temperature", 38.5, "C")),
        ("맥박 88회/분", ("heart_rate", 88, "/min")),
        ("산소포화도는 94%", ("oxygen_saturation", 94, "%")),
        ("| Potassium | 5.9 | mmol/L |", ("potassium", 5.9, "mmol/L")),
        ("pain is 7/10", ("pain", 7, "")),
        ("GCS 14/15", ("coma_scale", 14, "")),
        ("Pulse ox 98%", ("oxygen_saturation", 98, "%")),
        ("T bili 0.6", ("bilirubin", 0.6, "")),
        ("His temperature this morning was 101 F", ("temperature", 101, "F")),
    ],
)
def test_a_value_is_read_in_its_many_spellings(text: str, expected: tuple[str, float, str]) -> None:
    assert _read(text) == [expected]


def test_both_numbers_of_a_pressure_are_read() -> None:
    expected = [("systolic_pressure", 120, "mmHg"), ("diastolic_pressure", 80, "mmHg")]
    for text in (
        "BP 120/80 mm Hg",
        "혈압은 120/80 mmHg",
        "it was 120/80 mmHg",
        "BP: 120 over 80 mmHg",
    ):
        assert _read(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "potassium chloride 20 mEq twice daily",
        "calcium 500 mg daily",
        "vitamin K 5 mg",
        "heart rate 60-80",
        "BP 120-130/70-80",
        "fever for 3 days",
        "fever of 3 days",
        "pulses are 2+ and symmetric",
        "weight loss of 10 kg",
        "weight is down 5 pounds",
        "hemoglobin dropped 2 g/dL",
        "sodium chloride 0.9% was given",
        "creatinine clearance of 45",
        "hypertension, 10 years",
        "P 0.05",
        "염화칼륨 20 mEq",
        "체온을 3회 측정",
    ],
)
def test_a_dose_a_duration_a_range_and_a_grade_are_no_values(text: str) -> None:
    assert [reading for reading in _read(text) if reading[2] != "/min"] == []


def test_a_list_without_units_is_read_to_its_end() -> None:
    assert [(name, number) for name, number, _ in _read("BP 120/80, P 80, R 18, T 37.2")] == [
        ("systolic_pressure", 120),
        ("diastolic_pressure", 80),
        ("heart_rate", 80),
        ("respiratory_rate", 18),
        ("temperature", 37.2),
    ]
    assert [n for _, n, _ in _read("V/S 120/80 - 80 - 20 - 36.5")] == [120, 80, 80, 20, 36.5]


def test_joined_names_and_columns_get_their_numbers() -> None:
    electrolytes = [("sodium", 140), ("potassium", 4.1), ("chloride", 102)]
    for text in (
        "Na/K/Cl 140/4.1/102",
        "Na K Cl\n140 4.1 102",
        "| Na | K | Cl |\n|--|--|--|\n| 140 | 4.1 | 102 |",
    ):
        assert [(name, number) for name, number, _ in _read(text)] == electrolytes


def test_values_that_follow_each_other_are_all_read() -> None:
    assert [n for _, n, _ in _read("K 5.9 -> 5.1 → 4.1")] == [5.9, 5.1, 4.1]
    assert _read("creatinine rose from 1.2 to 1.9 mg/dL") == [
        ("creatinine", 1.2, ""),
        ("creatinine", 1.9, "mg/dL"),
    ]


def test_a_range_beside_the_value_is_kept_with_it() -> None:
    for text in (
        "K 5.9 (3.5-5.0)",
        "K 5.9 H 3.5-5.0 mmol/L".replace("H ", "H  "),
        "칼륨 5.9 (정상 3.5~5.0)",
    ):
        (reading,) = find_readings(text)
        assert (reading.number, reading.low, reading.high) == (5.9, 3.5, 5.0)
    (bound,) = find_readings("CRP 8 mg/dL (<0.5)")
    assert (bound.low, bound.high) == (None, 0.5)


def test_a_flag_may_stand_between_a_value_and_its_range_or_before_the_value() -> None:
    (flagged,) = find_readings("Sodium 132 (L) 136 - 145 mmol/L")
    assert (flagged.number, flagged.low, flagged.high) == (132, 136, 145)
    assert [n for _, n, _ in _read("BP: (!) 162/94")] == [162, 94]


def test_a_value_that_went_from_one_to_another_is_read_twice() -> None:
    assert [n for _, n, _ in _read("Hemoglobin A1c went from 9.2% to 7.1%")] == [9.2, 7.1]


def test_a_bound_keeps_its_sign_and_a_repetition_in_another_unit_is_told() -> None:
    (bound,) = find_readings("troponin <0.01 ng/mL")
    assert (bound.sign, bound.number) == ("<", 0.01)
    celsius, fahrenheit = find_readings("temperature is 38.1 C (100.6 F)")
    assert not celsius.second
    assert (fahrenheit.number, fahrenheit.second) == (100.6, True)


def test_a_letter_that_is_also_a_unit_is_none_of_another_quantity() -> None:
    assert _read("BNP had been 3000 in March") == [("bnp", 3000, "")]
    assert _read("heart rate in the 60s") == []
    assert _read("Heart rate: 60s") == []


def test_a_weight_in_pounds_and_ounces_is_not_read_as_pounds_alone() -> None:
    assert _read("He weighs 4000 g (8 lb 13 oz).") == [("weight", 4000, "g")]


def test_carbon_dioxide_is_bicarbonate_in_a_panel_and_a_tension_in_a_blood_gas() -> None:
    assert _read("CO2 is 19 mEq/L") == [("bicarbonate", 19, "mEq/L")]
    assert _read("pCO2 50 mm Hg") == [("pco2", 50, "mmHg")]


def test_commas_part_thousands_or_decimals() -> None:
    assert [read_number(text) for text in ("12,000", "1,234,567.5", "5,9", "7,25")] == [
        12_000,
        1_234_567.5,
        5.9,
        7.25,
    ]


@pytest.mark.parametrize(
    "piece", ["K 5.9 ", "120/80 mmHg ", "(", " ", "1", "1,111", "Na/K/", "K: ", "K 1->", "| K "]
)
def test_a_hostile_text_takes_time_in_proportion_to_its_length(piece: str) -> None:
    started = time.process_time()
    find_readings(piece * (50_000 // len(piece)))
    assert time.process_time() - started < 3

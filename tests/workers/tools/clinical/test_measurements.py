"""Values in the unit of their range, with their range, their date and whose they are."""

from __future__ import annotations

import pytest

from shared.models.case import Measurement, PatientFacts, Sex
from workers.tools.clinical.chart import read_chart
from workers.tools.clinical.measurements import (
    CHART_RANGE,
    assumed_unit,
    find_measurements,
    sign_of,
    written_units,
)
from workers.tools.clinical.quantities import BY_NAME

WOMAN = PatientFacts(age_years=40, sex=Sex.FEMALE)


def _values(text: str, patient: PatientFacts = WOMAN) -> tuple[Measurement, ...]:
    return find_measurements(read_chart(text), patient)


def _only(text: str, patient: PatientFacts = WOMAN) -> Measurement:
    (value,) = _values(text, patient)
    return value


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("Glucose 5.5 mmol/L.", 99.1, "mg/dL"),
        ("Creatinine 150 umol/L.", 1.7, "mg/dL"),
        ("WBC 12,000/mm3.", 12.0, "10^3/uL"),
        ("혈소판 25만/μL.", 250, "10^3/uL"),
        ("Hb 91 g/L.", 9.1, "g/dL"),
        ("Her temperature is 102.5 F.", 39.2, "C"),
        ("체중 60 kg.", 60, "kg"),
        ("Weight: 132 lb.", 59.9, "kg"),
        ("HbA1c 53 mmol/mol.", 7.0, "%"),
    ],
)
def test_a_value_is_converted_into_the_unit_of_its_range(
    text: str, value: float, unit: str
) -> None:
    measured = _only(text)
    assert measured.value == pytest.approx(value, abs=0.06)
    assert measured.unit == unit


@pytest.mark.parametrize(
    ("name", "number", "unit"),
    [
        ("temperature", 37.2, "C"),
        ("temperature", 98.6, "F"),
        ("creatinine", 1.2, "mg/dL"),
        ("creatinine", 88, "umol/L"),
        ("glucose", 5.5, "mmol/L"),
        ("glucose", 110, "mg/dL"),
        ("calcium", 2.3, "mmol/L"),
        ("calcium", 9.0, "mg/dL"),
        ("hemoglobin", 9.1, "g/dL"),
        ("hemoglobin", 91, "g/L"),
        ("leukocytes", 12.0, "10^3/uL"),
        ("leukocytes", 12_000, "/uL"),
        ("potassium", 59, "mmol/L"),
        ("crp", 8, None),
        ("weight", 150, None),
        ("glucose", 31, None),
    ],
)
def test_a_missing_unit_is_assumed_only_where_one_alone_is_plausible(
    name: str, number: float, unit: str | None
) -> None:
    assert assumed_unit(BY_NAME[name], number) == unit


def test_a_value_whose_unit_is_unknown_has_no_value() -> None:
    missing = _only("CRP 8.")
    assert (missing.value, missing.unit) == (None, None)
    assert written_units(missing) == frozenset()
    wrong = _only("Hemoglobin 9.1 mmHg.")
    assert (wrong.value, wrong.unit) == (None, "mmHg")
    assert written_units(wrong) == {"mmHg"}


def test_the_charts_own_range_comes_before_that_of_the_tables() -> None:
    own = _only("Potassium 5.2 mmol/L (3.6-5.5)")
    assert (own.low, own.high, own.range_source) == (3.6, 5.5, CHART_RANGE)
    table = _only("Potassium 5.2 mmol/L")
    assert (table.low, table.high) == (3.5, 5.0)
    assert table.range_source not in ("", CHART_RANGE)
    converted = _only("Glucose 6.1 mmol/L (3.9-5.6)")
    assert converted.low == pytest.approx(70.3, abs=0.1)


def test_a_stated_range_in_another_unit_than_the_table_is_converted_with_the_assumed_unit() -> None:
    measured = _only("WBC 12000 (4000-10000)")
    assert (measured.value, measured.low, measured.high) == (12.0, 4.0, 10.0)


def test_ranges_follow_age_and_sex() -> None:
    assert _only("Hemoglobin 13 g/dL").low == 12
    assert _only("Hemoglobin 13 g/dL", PatientFacts(age_years=40, sex=Sex.MALE)).low == 14
    assert _only("Pulse 150/min", PatientFacts(age_years=0.5)).high == 190


@pytest.mark.parametrize(
    "text",
    [
        "Urine sodium was 20 mEq/L.",
        "Cerebrospinal fluid analysis shows a glucose of 30 mg/dL.",
        "Urine:\nSodium 20 mEq/L\n",
        "소변 나트륨 20 mEq/L",
        "The fetal heart rate is 150/min.",
    ],
)
def test_values_of_other_fluids_and_of_the_unborn_have_no_range_of_the_patients_blood(
    text: str,
) -> None:
    measured = _only(text)
    assert measured.name.startswith("other_")
    assert (measured.low, measured.high) == (None, None)


@pytest.mark.parametrize(
    "text",
    [
        "Goal blood pressure below 130/80 mmHg.",
        "Call if temperature is above 38.5 C.",
        "Hold metoprolol if HR < 60.",
        "목표 혈압 130/80 mmHg 미만",
        "체온 38.5도 이상이면 연락",
    ],
)
def test_goals_and_conditions_are_no_values(text: str) -> None:
    assert _values(text) == ()


def test_a_value_has_the_date_of_its_sentence_or_of_the_heading_above_it() -> None:
    assert _only("On 2024-03-04 the potassium was 5.9 mmol/L.").date == "2024-03-04"
    listed = _values("Labs 2024-03-04:\nSodium 140 mmol/L\nPotassium 4.1 mmol/L\n")
    assert [value.date for value in listed] == ["2024-03-04", "2024-03-04"]
    assert _only("Seen on 2024-03-04.\n\nPotassium 4.1 mmol/L").date is None


def test_the_span_is_what_stands_in_the_chart_and_a_bound_keeps_its_sign() -> None:
    text = "내원 당시 칼륨은 5.9 mmol/L였다."
    measured = _only(text)
    assert measured.span.text == "칼륨은 5.9 mmol/L"
    assert text[measured.span.start : measured.span.end] == measured.span.text
    assert sign_of(_only("Troponin <0.01 ng/mL")) == "<"
    assert sign_of(measured) == ""
    assert sign_of(_only("CRP 8 mg/L (<5)")) == ""
    assert sign_of(_values("BP 120 over 80 mmHg")[0]) == ""

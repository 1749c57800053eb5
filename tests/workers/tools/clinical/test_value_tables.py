"""Values in tables of days, in rows of blood gases, levels of drugs, and heights in feet."""

from __future__ import annotations

import time

import pytest

from shared.models.findings import Severity
from tests.workers.tools.clinical.charts import MAN, severity_of
from workers.tools.clinical.chart import read_chart
from workers.tools.clinical.measurements import find_measurements

NOTE = """PROGRESS NOTE
Date: 2024-05-14

RESULTS

Labs         05/12    05/13    05/14
Hgb          {hemoglobin}
K            {potassium}
BP           148/84   136/80   132/78

ASSESSMENT AND PLAN

Ankle sprain. {plan}
"""


def _values(text: str) -> list[tuple[str, float | None, str | None]]:
    measured = find_measurements(read_chart(text), MAN)
    return [(value.name, value.value, value.date) for value in measured]


def _grave(text: str) -> dict[str, Severity]:
    points = severity_of(text).points
    return {item.kind: item.severity for item in points if item.severity is not Severity.INFO}


def _note(
    hemoglobin: str = "14.1     13.8     14.2",
    potassium: str = "4.2      3.8      4.0",
    plan: str = "Rest.",
) -> str:
    return NOTE.format(hemoglobin=hemoglobin, potassium=potassium, plan=plan)


def test_a_value_of_a_table_has_the_day_of_its_column() -> None:
    values = _values(_note())
    assert ("potassium", 3.8, "2024-05-13") in values
    assert ("hemoglobin", 14.2, "2024-05-14") in values
    assert ("systolic_pressure", 132.0, "2024-05-14") in values
    assert ("diastolic_pressure", 84.0, "2024-05-12") in values
    assert len(values) == 12


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2024-03-12\n| 검사 | 3/10 | 3/11 |\n|---|---|---|\n| 칼륨 | 4.2 | 6.9 |", ("potassium", 6.9, "2024-03-11")),
        ("2024년 3월 12일\n검사   3월 10일   3월 11일\n혈색소   13.1   9.2", ("hemoglobin", 9.2, "2024-03-11")),
        ("2024-03-12\n       06:00   14:00\nK      4.2     6.1", ("potassium", 6.1, "2024-03-12T14:00")),
        ("\t1/2/2024\t1/3/2024\nK (mmol/L)\t4.2\t6.1", ("potassium", 6.1, "2024-01-03")),
        ("2024-01-03\n     12/30   1/2\nNa   130   128", ("sodium", 130.0, "2023-12-30")),
        ("        Day 1   Day 2\nNa      130     128 L", ("sodium", 128.0, None)),
    ],
)  # fmt: skip
def test_heads_of_tables_have_many_forms(text: str, value: tuple[str, float, str | None]) -> None:
    assert value in _values(text)


def test_a_trend_and_a_critical_value_of_a_table_are_told() -> None:
    assert _grave(_note()) == {}
    assert _grave(_note(potassium="4.2      3.8      6.9"))["critical_value"] is Severity.CRITICAL
    assert "worsening_trend" in _grave(_note(hemoglobin="14.1     11.0     7.2"))


def test_a_critical_value_that_is_over_is_no_error() -> None:
    assert _grave(_note(potassium="6.9      3.8      4.0")) == {}


def test_grades_of_strength_are_no_days() -> None:
    values = _values("2024-05-14\nStrength  5/5  4/5\nK  3.1  2.9")
    assert values
    assert "2024-05-05" not in {day for _, _, day in values}


def test_a_row_of_gases_is_read_in_its_order() -> None:
    values = [("ph", 7.36, None), ("pco2", 38.0, None), ("po2", 88.0, None), ("bicarbonate", 22.0, None)]  # fmt: skip
    assert _values("ABG 7.36/38/88/22.") == values
    assert _values("동맥혈 가스 분석: 7.36-38-88-22") == values
    assert "po2" not in [name for name, _, _ in _values("VBG 7.36/38/48/22")]
    assert "impossible_value" in _grave("ABG 5.16/38/88/22")


@pytest.mark.parametrize(
    ("level", "plan"),
    [
        ("lithium 2.8 mmol/L", "Continue lithium. Repeat lithium level in 6 months."),
        ("Digoxin level 3.4 ng/mL", "Continue digoxin."),
        ("vancomycin trough 34 mcg/mL", "Continue vancomycin."),
        ("phenytoin level 41", "Return in a month."),
        ("theophylline 28 mg/L", "Return in a month."),
        ("리튬 농도 2.8 mmol/L", "리튬 유지. 6개월 후 추적."),
    ],
)
def test_a_toxic_level_is_not_taken_up_by_going_on_with_the_drug(level: str, plan: str) -> None:
    text = "LABS\n\n{}\n\nASSESSMENT AND PLAN\n\n{}\n"
    assert _grave(text.format(level, plan)) == {"critical_value": Severity.CRITICAL}
    assert _grave(text.format(level, f"Hold {level.split(maxsplit=1)[0]}; toxic.")) == {}


@pytest.mark.parametrize(
    "text", ["lithium 900 mg nightly", "digoxin 0.25 daily", "vancomycin 1500 mg", "리튬 900 mg"]
)
def test_a_dose_is_no_level(text: str) -> None:
    assert _values(text) == []


def test_inspired_oxygen_is_a_share() -> None:
    assert _values("FiO2 0.4") == _values("FiO2 40%") == [("inspired_oxygen", 40.0, None)]
    assert "impossible_value" in _grave("FiO2 400%")


@pytest.mark.parametrize("text", ["Ht 5'7\"", "Height: 5’7”", "height 5 ft 7 in", "키 5'7\""])
def test_a_height_in_feet_and_inches_is_read(text: str) -> None:
    ((name, value, _),) = _values(text)
    assert (name, value) == ("height", pytest.approx(170.18))


def test_a_hostile_table_takes_no_time() -> None:
    started = time.process_time()
    _values("Labs " + "05/12 " * 2_000 + "\n" + "K 4.1 " * 2_000)
    _values("05/12 05/13\n" + "K (" * 5_000)
    assert time.process_time() - started < 2

"""Scores against the tables and examples that their sources print."""

from __future__ import annotations

import pytest

from shared.models.case import PatientFacts, Sex
from workers.tools.clinical.scores import (
    Inputs,
    anion_gap,
    corrected_calcium,
    curb65,
    egfr,
    mean_pressure,
    news2,
    news2_is_red,
    qsofa,
    shock_index,
)

ADULT = PatientFacts(age_years=60, sex=Sex.MALE)
WELL = {
    "respiratory_rate": 16.0,
    "oxygen_saturation": 97.0,
    "systolic_pressure": 120.0,
    "heart_rate": 70.0,
    "temperature": 37.0,
}


def _news2(
    *, oxygen: bool = False, alert: bool = True, scale_2: bool = False, **values: float
) -> int | None:
    score = news2(Inputs({**WELL, **values}, ADULT, oxygen, alert, scale_2))
    return score.points if score else None


# every boundary of chart 1 of the report of 2017: a value and its points
CHART_1 = {
    "respiratory_rate": "8:3 9:1 11:1 12:0 20:0 21:2 24:2 25:3",
    "oxygen_saturation": "91:3 92:2 93:2 94:1 95:1 96:0",
    "systolic_pressure": "90:3 91:2 100:2 101:1 110:1 111:0 219:0 220:3",
    "heart_rate": "40:3 41:1 50:1 51:0 90:0 91:1 110:1 111:2 130:2 131:3",
    "temperature": "35.0:3 35.1:1 36.0:1 36.1:0 38.0:0 38.1:1 39.0:1 39.1:2",
}


@pytest.mark.parametrize(
    ("name", "value", "points"),
    [
        (name, *(float(part) for part in cell.split(":")))
        for name, cells in CHART_1.items()
        for cell in cells.split()
    ],
)
def test_news2_has_the_points_of_its_chart(name: str, value: float, points: int) -> None:
    assert _news2(**{name: value}) == points


def test_news2_counts_oxygen_and_consciousness() -> None:
    assert _news2() == 0
    assert _news2(oxygen=True) == 2
    assert _news2(alert=False) == 3


@pytest.mark.parametrize(
    ("saturation", "on_air", "on_oxygen"),
    [
        (83, 3, 3),
        (84, 2, 2),
        (86, 1, 1),
        (88, 0, 0),
        (92, 0, 0),
        (93, 0, 1),
        (95, 0, 2),
        (97, 0, 3),
    ],
)
def test_the_second_scale_of_news2_also_counts_too_much_oxygen(
    saturation: float, on_air: int, on_oxygen: int
) -> None:
    assert _news2(scale_2=True, oxygen_saturation=saturation) == on_air
    assert _news2(scale_2=True, oxygen=True, oxygen_saturation=saturation) == on_oxygen + 2


def test_a_score_that_lacks_something_has_no_points_and_names_it() -> None:
    score = news2(Inputs({"heart_rate": 135.0, "temperature": 39.5}, ADULT))
    assert score is not None
    assert score.points is None
    assert score.parts == {"heart_rate": 3, "temperature": 2}
    assert score.missing == (
        "respiratory_rate",
        "oxygen_saturation",
        "systolic_pressure",
        "oxygen",
        "consciousness",
    )
    assert news2_is_red(score)


def test_children_have_no_scores_of_adults() -> None:
    child = Inputs(WELL, PatientFacts(age_years=6), oxygen=False, alert=True)
    assert news2(child) is None
    assert qsofa(child) is None
    assert curb65(child) is None
    assert shock_index(child).value is None
    assert egfr(child).value is None


def test_qsofa_counts_its_three_criteria() -> None:
    ill = {"respiratory_rate": 22.0, "systolic_pressure": 100.0}
    score = qsofa(Inputs(ill, ADULT, alert=False))
    assert score is not None
    assert score.points == 3
    well = qsofa(Inputs({"respiratory_rate": 21.0, "systolic_pressure": 101.0}, ADULT, alert=True))
    assert well is not None
    assert well.points == 0


def test_curb65_counts_its_five_criteria() -> None:
    values = {
        "urea_nitrogen": 20.0,
        "respiratory_rate": 30.0,
        "systolic_pressure": 120.0,
        "diastolic_pressure": 60.0,
    }
    score = curb65(Inputs(values, PatientFacts(age_years=65), alert=False))
    assert score is not None
    assert score.points == 5
    younger = curb65(Inputs(values, PatientFacts(age_years=64), alert=True))
    assert younger is not None
    assert younger.points == 3


@pytest.mark.parametrize(
    ("creatinine", "age", "sex", "expected"),
    # worked from table S1 of the paper, whose rows are written out by sex and by creatinine at most or above kappa:
    # 142 x (1.0/0.9)^-1.2 x 0.9938^50, 142 x (1.0/0.7)^-1.2 x 0.9938^50 x 1.012, 142 x (0.5/0.7)^-0.241 x ...
    [
        (1.0, 50, Sex.MALE, 92),
        (1.0, 50, Sex.FEMALE, 69),
        (0.5, 20, Sex.FEMALE, 138),
        (2.0, 70, Sex.MALE, 35),
    ],
)
def test_egfr_is_that_of_ckd_epi_2021(
    creatinine: float, age: float, sex: Sex, expected: int
) -> None:
    value = egfr(Inputs({"creatinine": creatinine}, PatientFacts(age_years=age, sex=sex))).value
    assert value is not None
    assert round(value) == expected


def test_egfr_names_what_it_lacks() -> None:
    assert egfr(Inputs({"creatinine": 1.0}, PatientFacts())).missing == ("sex", "age")


def test_derived_values_follow_their_formulas() -> None:
    inputs = Inputs(
        {
            "heart_rate": 120,
            "systolic_pressure": 80,
            "diastolic_pressure": 50,
            "sodium": 140,
            "chloride": 100,
            "bicarbonate": 10,
            "calcium": 8.0,
            "albumin": 2.0,
        },
        ADULT,
    )
    assert shock_index(inputs).value == pytest.approx(1.5)
    assert mean_pressure(inputs).value == pytest.approx(60)
    assert anion_gap(inputs).value == pytest.approx(30)
    assert corrected_calcium(inputs).value == pytest.approx(9.6)


def test_a_pressure_of_zero_gives_no_shock_index() -> None:
    assert shock_index(Inputs({"heart_rate": 120, "systolic_pressure": 0}, ADULT)).value is None

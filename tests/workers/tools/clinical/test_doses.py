"""Doses as charts write them."""

from __future__ import annotations

import pytest

from workers.tools.clinical.doses import read_dose


@pytest.mark.parametrize(
    ("written", "daily_mg"),
    [
        ("500 mg BID", 1000),
        ("40 mg once a day", 40),
        ("1,000 mg three times a day", 3000),
        ("500mg 하루 3회", 1500),
        ("500mg 1정씩 하루 두 번", 1000),
        ("2 tablets of 500 mg twice daily", 2000),
        ("1 g q8h", 3000),
        ("50 mcg daily", 0.05),
        ("10-20 mg daily", 20),
        ("81 mg", 81),
        ("15 mg once a week", 15 / 7),
    ],
)
def test_a_dose_is_milligrams_a_day(written: str, daily_mg: float) -> None:
    assert read_dose(written).daily_mg == pytest.approx(daily_mg)


@pytest.mark.parametrize("written", ["5/325 mg q6h", "10 units at bedtime", "two puffs", ""])
def test_what_is_no_single_mass_has_no_milligrams(written: str) -> None:
    assert read_dose(written).mg is None


def test_a_dose_that_is_taken_as_needed_says_so() -> None:
    assert read_dose("650 mg every 6 hours as needed").as_needed
    assert not read_dose("650 mg every 6 hours").as_needed

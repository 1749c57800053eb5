"""Which range applies to whom."""

from __future__ import annotations

from itertools import pairwise

from shared.models.case import PatientFacts, Sex
from workers.tools.clinical.quantities import BY_NAME
from workers.tools.clinical.reference_ranges import ADULT, RANGES, reference_range


def test_the_row_of_the_patients_sex_comes_before_that_of_both() -> None:
    woman = reference_range("hemoglobin", PatientFacts(age_years=40, sex=Sex.FEMALE))
    man = reference_range("hemoglobin", PatientFacts(age_years=40, sex=Sex.MALE))
    unknown = reference_range("hemoglobin", PatientFacts(age_years=40))
    assert [row and row.low for row in (woman, man, unknown)] == [12, 14, 12]
    assert [row and row.high for row in (woman, man, unknown)] == [16, 18, 18]


def test_a_childs_pulse_is_judged_by_its_age() -> None:
    infant = reference_range("heart_rate", PatientFacts(age_years=0.5))
    adult = reference_range("heart_rate", PatientFacts(age_years=30))
    assert [row and row.high for row in (infant, adult)] == [190, 100]


def test_who_has_no_age_is_an_adult_and_a_child_has_no_adult_laboratory_range() -> None:
    assert reference_range("sodium", PatientFacts()) is not None
    child = reference_range("sodium", PatientFacts(age_years=7))
    assert child is not None
    assert (child.low, child.high, child.critical_low, child.critical_high) == (
        None,
        None,
        121,
        156,
    )


def test_the_age_groups_of_children_leave_no_gap() -> None:
    rows = sorted(
        (row.from_age, row.to_age)
        for row in RANGES
        if row.name == "heart_rate" and row.from_age < ADULT
    )
    assert rows[0][0] == 0
    assert all(earlier[1] == later[0] for earlier, later in pairwise(rows))
    assert rows[-1][1] == ADULT


def test_every_row_is_of_a_known_quantity_has_a_source_and_lies_within_what_can_exist() -> None:
    for row in RANGES:
        lowest, highest = BY_NAME[row.name].possible
        limits = [row.critical_low, row.low, row.high, row.critical_high]
        stated = [limit for limit in limits if limit is not None]
        assert stated == sorted(stated), row
        assert lowest <= stated[0], row
        assert stated[-1] <= highest, row
        assert row.source, row
        assert (row.critical_low is None and row.critical_high is None) or row.critical_source, row

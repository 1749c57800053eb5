"""Units as notes write them, and what converts into what."""

from __future__ import annotations

import pytest

from workers.tools.clinical.quantities import BY_NAME
from workers.tools.clinical.units import UNITS, convert, read_unit


@pytest.mark.parametrize(
    ("written", "name"),
    [
        (" mm Hg", "mmHg"),
        ("mmHg였다", "mmHg"),
        (" g/dL", "g/dL"),
        ("g/dL였다", "g/dL"),
        (" mEq/L", "mEq/L"),
        (" µmol/L", "umol/L"),
        ("/mm3", "/uL"),
        (" cells/μL", "/uL"),
        (" x 10^9/L", "10^9/L"),
        (" ×10³/µL", "10^3/uL"),
        (" K/uL", "10^3/uL"),
        ("만", "10^4/uL"),
        ("℃", "C"),
        (" degrees Fahrenheit", "F"),
        ("도였다", "C"),
        (" beats per minute", "/min"),
        ("회/분", "/min"),
        ("%", "%"),
        (" kg/m2", "kg/m2"),
        (" kg", "kg"),
        (" mg daily", "mg"),
    ],
)
def test_a_unit_is_read_in_its_many_spellings(written: str, name: str) -> None:
    unit = read_unit(written, 0)
    assert unit is not None
    assert unit[0].name == name


@pytest.mark.parametrize("written", [" kgs of", " Cl 102", " mgx", " and", " gallop", " Leukocyte"])
def test_a_word_that_begins_like_a_unit_is_none(written: str) -> None:
    assert read_unit(written, 0) is None


@pytest.mark.parametrize(
    ("quantity", "value", "from_", "into", "expected"),
    [
        # the factors of laboratory tables of conventional and SI units (AMA Manual of Style, table of SI conversion)
        ("glucose", 100, "mg/dL", "mmol/L", 5.55),
        ("creatinine", 1.0, "mg/dL", "umol/L", 88.4),
        ("urea_nitrogen", 10, "mg/dL", "mmol/L", 3.57),
        ("calcium", 10, "mg/dL", "mmol/L", 2.495),
        ("calcium", 5, "mEq/L", "mg/dL", 10.02),
        ("bilirubin", 1.0, "mg/dL", "umol/L", 17.1),
        ("hemoglobin", 10, "g/dL", "mmol/L", 6.206),
        ("hemoglobin", 91, "g/L", "g/dL", 9.1),
        ("potassium", 4.1, "mEq/L", "mmol/L", 4.1),
        ("leukocytes", 12_000, "/uL", "10^3/uL", 12.0),
        ("platelets", 25, "10^4/uL", "10^3/uL", 250),
        ("temperature", 98.6, "F", "C", 37.0),
        ("temperature", 37.0, "C", "F", 98.6),
        ("weight", 150, "lb", "kg", 68.04),
        ("pco2", 5.3, "kPa", "mmHg", 39.75),
        ("hba1c", 53, "mmol/mol", "%", 7.0),
        ("hba1c", 7.0, "%", "mmol/mol", 53.0),
        ("crp", 2.5, "mg/dL", "mg/L", 25),
    ],
)
def test_values_convert_by_the_published_factors(
    quantity: str, value: float, from_: str, into: str, expected: float
) -> None:
    converted = convert(value, from_, into, BY_NAME[quantity].substance)
    assert converted == pytest.approx(expected, rel=0.003)


def test_what_measures_something_else_does_not_convert() -> None:
    assert convert(9.1, "mmHg", "g/dL") is None
    assert convert(5.0, "%", "mmol/L", BY_NAME["sodium"].substance) is None
    assert convert(3.5, "g/dL", "mmol/L", BY_NAME["albumin"].substance) is None


def test_every_unit_of_every_quantity_is_in_the_table_and_converts_into_its_own() -> None:
    names = {unit.name for unit in UNITS}
    for quantity in BY_NAME.values():
        for unit in filter(None, quantity.all_units):
            assert unit in names, (quantity.name, unit)
            assert convert(1.0, unit, quantity.unit, quantity.substance) is not None or unit in (
                "mm",
            ), (quantity.name, unit)

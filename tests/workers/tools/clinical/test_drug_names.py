"""Drugs are found by every name of theirs, and only where they are drugs."""

from __future__ import annotations

import time

import pytest

from shared.clinical.drug_tables import classes_of, drugs, korean_names, latin_names
from workers.tools.clinical.drug_names import find_names


def concepts(text: str) -> list[str]:
    return [name.concept for name in find_names(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("She takes Lasix 40 mg once a day.", ["furosemide"]),
        (
            "FUROSEMIDE, metformin; TMP-SMX.",
            ["furosemide", "metformin", "sulfamethoxazole/trimethoprim"],
        ),
        ("insulin glargine at bedtime", ["insulin glargine"]),
        ("아목시실린 500mg 하루 3회, 아스피린을 복용", ["amoxicillin", "aspirin"]),
        ("타이레놀정과 리튬을 복용", ["acetaminophen", "lithium"]),
    ],
)
def test_drugs_are_found_by_generic_brand_and_korean_names(text: str, found: list[str]) -> None:
    assert concepts(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "signs of insulin resistance",
        "lithium level 0.8 mmol/L",
        "heparin-induced thrombocytopenia",
        "E. coli resistant to ampicillin",
        "인슐린 저항성이 있음",
        "aspirinlike and prometformin are no words",
        "조코리아는 회사 이름",
    ],
)
def test_a_level_a_resistance_or_a_part_of_a_word_is_no_drug(text: str) -> None:
    assert concepts(text) == []


def test_a_combination_has_the_classes_of_its_ingredients() -> None:
    assert {"ace inhibitor", "thiazide"} <= classes_of("lisinopril/hydrochlorothiazide")
    assert classes_of("latex") == {"latex"}


def test_every_name_belongs_to_one_drug_and_every_drug_has_a_class() -> None:
    names = [name.lower() for drug in drugs().values() for name in {drug.name, *drug.names}]
    korean = [name for drug in drugs().values() for name in drug.korean]
    assert len({*names}) == len(latin_names())
    assert len(korean) == len(korean_names())
    assert all(drug.classes for drug in drugs().values())


def test_a_megabyte_of_names_is_read_in_seconds() -> None:
    text = "aspirin 아스피린 lisinopril, resistant to x. " * 25_000
    started = time.process_time()
    assert sum(1 for _ in find_names(text)) == 75_000
    assert time.process_time() - started < 10

"""Who the patient is, by the chart and by what the input states beside it."""

from __future__ import annotations

import pytest

from shared.models.case import Case, PatientFacts, Sex
from shared.tools.case_inputs import CaseInput
from workers.tools.clinical.stages import structure
from workers.tools.registry import MemoryDocuments, ToolContext


def patient_of(text: str, sex: Sex | None = None, birth_date: str | None = None) -> PatientFacts:
    documents = MemoryDocuments()
    case = Case(title="a", chart=documents.put(text.encode()), sex=sex, birth_date=birth_date)
    subject = documents.put(case.model_dump_json().encode())
    context = ToolContext(documents=documents, deadline_s=60)
    return structure.run(CaseInput(subject=subject), context).patient


def test_what_the_input_states_counts_where_the_text_does_not_say_it() -> None:
    patient = patient_of("2024-03-02: hemoglobin 12.4 g/dL", Sex.FEMALE, "1954-03-02")
    assert (patient.sex, patient.birth_date) == (Sex.FEMALE, "1954-03-02")
    assert patient.age_years == pytest.approx(70, abs=0.01)


def test_what_the_text_says_comes_before_what_the_input_states() -> None:
    patient = patient_of("A 54-year-old man, seen on 2024-03-02.", Sex.FEMALE, "1990-01-01")
    assert (patient.sex, patient.age_years) == (Sex.MALE, 54)


@pytest.mark.parametrize(
    ("text", "birth_date"),
    [
        ("No date here.", "1954-03-02"),
        ("Seen on 2024-03-02.", "2030-01-01"),
        ("Seen on 2024-03-02.", "1954"),
        ("Seen on 2024-03-02.", "1954-02-31"),
    ],
)
def test_no_age_comes_of_a_birth_date_without_a_day_to_count_to(text: str, birth_date: str) -> None:
    assert patient_of(text, birth_date=birth_date).age_years is None


def test_a_child_of_a_fhir_text_has_its_ranges_by_its_birth_date() -> None:
    patient = patient_of("Date of birth: 2023-01-10\n2024-03-02: heart rate 128 /min")
    assert patient.age_years == pytest.approx(1.14, abs=0.02)

"""Diagnoses, treatments, and what is done about which problem."""

from __future__ import annotations

from shared.models.case import InterventionCoverage
from shared.models.critique import DiagnosisAnalysis, TreatmentAnalysis
from tests.support.clinical_notes import ToolsOfNote

NOTE = """HISTORY OF PRESENT ILLNESS

The patient is a 50-year-old female with hypertension and depression. She denies asthma. Pneumonia is suspected.
Her mother has diabetes. She takes lisinopril 10 mg daily. Metoprolol was stopped.

ASSESSMENT AND PLAN

Hypertension.
Continue lisinopril. Start amlodipine 5 mg daily.

Depression.
"""


def diagnosis(text: str) -> DiagnosisAnalysis:
    note = ToolsOfNote(text)
    reply = note.run("diagnosis.extract", chart=note.structured())
    assert isinstance(reply, DiagnosisAnalysis)
    return reply


def treatment(text: str) -> TreatmentAnalysis:
    note = ToolsOfNote(text)
    reply = note.run("treatment.extract", chart=note.structured())
    assert isinstance(reply, TreatmentAnalysis)
    return reply


def coverage(text: str) -> dict[str, str]:
    note = ToolsOfNote(text)
    reply = note.run("interventions.check", chart=note.structured())
    assert isinstance(reply, InterventionCoverage)
    return {item.concept: item.status for item in reply.items}


def test_diagnoses_are_told_with_their_status_and_sentences_of_the_note() -> None:
    analysis = diagnosis(NOTE)
    told = {
        point.statement: point.status for point in (*analysis.diagnoses, *analysis.differentials)
    }
    assert told["hypertension"] == "present"
    assert told["asthma"] == "excluded"
    assert told["pneumonia"] == "suspected"
    assert not any("diabetes" in concept for concept in told)
    assert all(quote in NOTE for point in analysis.diagnoses for quote in point.quotes)


def test_treatments_are_told_with_dose_and_status() -> None:
    told = {point.statement: point.status for point in treatment(NOTE).treatments}
    assert told["lisinopril 10 mg daily"] == "given"
    assert told["metoprolol"] == "stopped"
    assert told["amlodipine 5 mg daily"] == "planned"


def test_a_problem_is_covered_by_the_paragraph_under_its_heading_and_open_without_one() -> None:
    told = coverage(NOTE)
    assert told["hypertension"] == "covered"
    assert told["depression"] == "open"


def test_without_a_plan_no_problem_is_open() -> None:
    assert "open" not in coverage("A 50-year-old woman has hypertension and a cough.").values()


def test_a_drug_without_any_reason_in_the_chart_is_unfounded() -> None:
    assert coverage("He takes allopurinol 100 mg daily.")["allopurinol"] == "unfounded"
    assert "allopurinol" not in coverage("He takes allopurinol 100 mg daily for gout.")

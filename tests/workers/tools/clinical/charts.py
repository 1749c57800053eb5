"""Charts as tools are given them, for tests."""

from __future__ import annotations

from shared.models.case import (
    Case,
    EvidenceSpans,
    LensResult,
    PatientFacts,
    RecordGaps,
    Sex,
    StructuredChart,
    Timeline,
)
from shared.tools.case_inputs import ChartInput, LensInput
from workers.tools.clinical.chart import read_chart
from workers.tools.clinical.lenses import severity_risk
from workers.tools.clinical.measurements import find_measurements
from workers.tools.registry import MemoryDocuments, ToolContext

MAN = PatientFacts(age_years=54, sex=Sex.MALE)


def chart_input(text: str, patient: PatientFacts = MAN) -> tuple[ChartInput, ToolContext]:
    """The chart with its values, and documents that hold it."""
    documents = MemoryDocuments()
    case = Case(title="a case", chart=documents.put(text.encode()))
    subject = documents.put(case.model_dump_json().encode())
    chart = read_chart(text)
    structured = StructuredChart(
        language=chart.language,
        sections=chart.sections,
        patient=patient,
        measurements=find_measurements(chart, patient),
    )
    context = ToolContext(documents=documents, deadline_s=60)
    return ChartInput(subject=subject, chart=structured), context


def severity_of(text: str, patient: PatientFacts = MAN) -> LensResult:
    """What the lens of severity and risk finds in a text."""
    given, context = chart_input(text, patient)
    inputs = LensInput(
        subject=given.subject,
        chart=given.chart,
        timeline=Timeline(),
        evidence=EvidenceSpans(),
        gaps=RecordGaps(),
    )
    return severity_risk.run(inputs, context)

"""A case that was judged, as the store would give it: every part of its result has something in it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from orchestrator.presentation.report import RunReport
from orchestrator.workflows.case.result import (
    Abstention,
    CaseConfidence,
    CaseIteration,
    CaseResult,
    CaseRouting,
    ConfidencePart,
    CritiqueEntry,
    RoutedTool,
    SolutionEntry,
    TraceEntry,
)
from shared.models.case import (
    Case,
    CaseEvidence,
    ChartSpan,
    CoverageItem,
    EvidenceQuery,
    InterventionCoverage,
    LensResult,
    Measurement,
    Passage,
    RecordGap,
    RecordGaps,
    Score,
    SourceText,
    StructuredChart,
    Support,
    Timeline,
    TimelineEvent,
)
from shared.models.critique import AnalysisPoint, DiagnosisAnalysis
from shared.models.findings import Finding, FindingStatus, Place, Position, Severity
from shared.models.notices import Notice, verbatim
from shared.models.outcomes import Verdict
from shared.models.rows import StepRow
from tests.support.case_cast import submitted_case
from tests.support.reports import make_report, make_step

CHART = """HISTORY OF PRESENT ILLNESS
Mrs. Kim is a 72-year-old woman with fever and confusion for 3 days.
Type 2 diabetes since 2009, on metformin 1000 mg twice daily. Hypertension since 2015.
She is allergic to penicillin (rash, 2011).

EXAM on 2024-03-07
BP 84/46, HR 128, RR 26, T 39.4 C, SpO2 91 %.

RESULTS
2024-03-05: Potassium 4.9 mmol/L, Creatinine 1.2 mg/dL, Lactate 1.6 mmol/L.
2024-03-06: Potassium 5.6 mmol/L, Creatinine 1.9 mg/dL.
2024-03-07: Potassium 6.1 mmol/L, Creatinine 2.8 mg/dL, Lactate 4.2 mmol/L.

ASSESSMENT AND PLAN
1. Sepsis, likely urinary. Start amoxicillin 500 mg three times a day.
2. Diabetes: continue metformin.
"""


def chart_span(words: str, text: str = CHART, nth: int = 1, source: str = "chart") -> ChartSpan:
    """The `nth` place of these words in a text."""
    start = -1
    for _ in range(nth):
        start = text.index(words, start + 1)
    line = text.count("\n", 0, start) + 1
    return ChartSpan(source=source, start=start, end=start + len(words), line=line, text=words)


def case_finding(
    identity: str, words: str, severity: Severity, told: Notice, **changes: Any
) -> Finding:
    """A finding of the lenses at these words."""
    values: dict[str, Any] = {
        "id": identity,
        "title": "code: parameters",
        "detail": "",
        "severity": severity,
        "category": "safety",
        "rule": "allergy_conflict",
        "place": Place(path="chart", line=chart_span(words).line),
        "quote": words,
        "raised_by": ("lenses",),
        "raised_in_round": 1,
        "status": FindingStatus.ACCEPTED,
        "stances": {"lenses": Position.AGREE},
        "message": told,
    }
    return Finding.model_validate({**values, **changes})


ALLERGY = verbatim("Amoxicillin is given although an allergy to penicillin is recorded")
POTASSIUM = verbatim("Potassium rises to 6.1 mmol/L")
METFORMIN = verbatim("Metformin goes on while creatinine rises")
SWITCH = verbatim("Choose a drug of another class")
FINDINGS = (
    case_finding("F1", "amoxicillin 500 mg", Severity.CRITICAL, ALLERGY, advice=SWITCH),
    case_finding("F2", "Potassium 6.1 mmol/L", Severity.MAJOR, POTASSIUM, rule="trend"),
    case_finding("F3", "continue metformin", Severity.MAJOR, METFORMIN, rule="renal_dose"),
)
_NAMES = {
    "potassium": (3.5, 5.1, "mmol/L"),
    "creatinine": (0.5, 1.1, "mg/dL"),
    "lactate": (0.5, 2.0, "mmol/L"),
}
_READ = (
    *(("potassium", "Potassium 4.9 mmol/L", 4.9, "05"), ("potassium", "Potassium 5.6 mmol/L", 5.6, "06")),
    *(("potassium", "Potassium 6.1 mmol/L", 6.1, "07"), ("creatinine", "Creatinine 1.2 mg/dL", 1.2, "05")),
    *(("creatinine", "Creatinine 1.9 mg/dL", 1.9, "06"), ("creatinine", "Creatinine 2.8 mg/dL", 2.8, "07")),
    *(("lactate", "Lactate 1.6 mmol/L", 1.6, "05"), ("lactate", "Lactate 4.2 mmol/L", 4.2, "07")),
)  # fmt: skip
_EVENTS = (
    ("onset", "Type 2 diabetes since 2009", "2009", None),
    ("drug", "metformin 1000 mg twice daily", "2009", None),
    ("other", "rash, 2011", "2011", None),
    ("onset", "Hypertension since 2015", "2015", None),
    ("onset", "fever and confusion for 3 days", None, -3.0),
    ("result", "2024-03-05: Potassium 4.9 mmol/L", "2024-03-05", None),
    ("result", "2024-03-06: Potassium 5.6 mmol/L", "2024-03-06", None),
    ("visit", "EXAM on 2024-03-07", "2024-03-07", None),
    ("result", "2024-03-07: Potassium 6.1 mmol/L", "2024-03-07", None),
    ("drug", "Start amoxicillin 500 mg", "2024-03-07T15:00", None),
)


def _measurement(name: str, words: str, value: float, day: str) -> Measurement:
    low, high, unit = _NAMES[name]
    span = chart_span(words)
    return Measurement(
        span=span,
        name=name,
        value=value,
        unit=unit,
        low=low,
        high=high,
        date=f"2024-03-{day}",
        range_source="ABIM 2024",
    )


def _critique() -> tuple[CritiqueEntry, ...]:
    allergy = (chart_span("amoxicillin 500 mg"), chart_span("allergic to penicillin"))
    rising = (chart_span("Potassium 6.1 mmol/L"), chart_span("Potassium 5.6 mmol/L"))
    common = {"category": "safety", "by": ("lenses",), "lens": "lens_monitoring_response"}
    return tuple(
        CritiqueEntry.model_validate({**common, **fields})
        for fields in (
            {"finding": "F1", "issue": ALLERGY, "severity": "CRITICAL", "action": SWITCH, "priority": "high",
             "citation": 'chart:15 "amoxicillin 500 mg"', "spans": allergy},
            {"finding": "F2", "issue": POTASSIUM, "severity": "MAJOR", "citation": "chart:12", "spans": rising,
             "reference": "Royal College of Physicians, NEWS2, 2017"},
            {"finding": "F3", "issue": METFORMIN, "severity": "MAJOR", "citation": "chart:16",
             "spans": (chart_span("continue metformin"),), "cohort": "2 of 3 similar cases stopped it (similar/1)"},
        )
    )  # fmt: skip


def _trace() -> tuple[TraceEntry, ...]:
    why = verbatim("no model takes part")
    slow = verbatim("it took too long")
    return (
        TraceEntry(node="chart_structurer", step="chart_structurer", by="chart.structure"),
        TraceEntry(
            node="evidence", step="evidence", by="evidence.retrieve", state="failed", why=slow
        ),
        TraceEntry(node="diagnosis", step="", by="analyst", state="abstained", why=why),
        TraceEntry(
            node="lens_severity_risk", step="lens/1", by="lens_severity_risk", iteration=1, points=2
        ),
    )


def case_result(**changes: Any) -> CaseResult:
    """Every part of a result, of `CHART`."""
    plan = chart_span("Start amoxicillin 500 mg three times a day")
    parts = (ConfidencePart(name="spans", value=1.0, weight=0.4, count=6, total=6),)
    confidence = CaseConfidence(value=0.86, parts=parts)
    values: dict[str, Any] = {
        "patient_case": Case(
            title="chart.txt",
            chart="0" * 64,
            similar=(SourceText(name="similar/1", text="1" * 64, origin="cohort.jsonl:1", similarity=0.71),),
        ),
        "text": CHART,
        "structured_chart": StructuredChart(
            language="en", measurements=tuple(_measurement(*read) for read in _READ)
        ),
        "timeline": Timeline(
            events=tuple(
                TimelineEvent(span=chart_span(words), kind=kind, date=day, offset_days=offset)
                for kind, words, day, offset in _EVENTS
            )
        ),
        "record_gaps": RecordGaps(
            gaps=(RecordGap(what="weight", message=verbatim("No weight is recorded"), spans=()),)
        ),
        "diagnosis_analysis": DiagnosisAnalysis(
            diagnoses=(AnalysisPoint(statement="sepsis", quotes=("Sepsis, likely urinary",), status="suspected"),)
        ),
        "evidence": CaseEvidence(
            queries=(EvidenceQuery(text="sepsis antibiotics"),),
            passages=(
                Passage(span=plan, query="sepsis antibiotics", relevance=0.8, support=Support.SUPPORTS),
            ),
            weak=("urine culture",),
        ),
        "intervention_coverage": InterventionCoverage(
            items=(
                CoverageItem(
                    concept="sepsis",
                    status="covered",
                    problem=(chart_span("Sepsis"),),
                    interventions=(plan,),
                ),
                CoverageItem(concept="hypertension", status="open", problem=(chart_span("Hypertension"),)),
            )
        ),
        "lens_results": {
            "lens_severity_risk": LensResult(
                scores=(
                    Score(
                        name="NEWS2",
                        points=13,
                        parts={"respiration": 3, "blood_pressure": 3},
                        missing=("consciousness",),
                        citation="Royal College of Physicians, 2017",
                    ),
                )
            )
        },
        "behavior_results": {
            "behavior_topk_direct_compare": LensResult(abstains=(verbatim("no similar case"),))
        },
        "router": (
            CaseRouting(
                by="heuristic",
                max_tools=4,
                tools=(
                    RoutedTool(tool="lens_severity_risk", run=True, reason=verbatim("vital signs are there")),
                    RoutedTool(tool="behavior_topk_direct_compare", run=False, reason=verbatim("no case")),
                ),
            ),
        ),
        "trace": _trace(),
        "critique": _critique(),
        "solutions": (
            SolutionEntry(
                finding="F1",
                issue=ALLERGY,
                severity=Severity.CRITICAL,
                category="safety",
                action=SWITCH,
                priority="high",
                citation="chart:15",
                by="lenses",
            ),
        ),
        "iterations": (
            CaseIteration(
                number=1,
                confidence=CaseConfidence(value=0.6),
                points=2,
                again=verbatim("two points had no place"),
                memory=(verbatim("name the place of F2"),),
            ),
            CaseIteration(number=2, confidence=confidence, points=3, ended=verbatim("confident enough")),
        ),
        "abstentions": (Abstention(node="diagnosis", by="analyst", why=verbatim("no model takes part")),),
    }  # fmt: skip
    return CaseResult.model_validate({**values, **changes})


def case_report(
    findings: tuple[Finding, ...] = FINDINGS,
    result: CaseResult | None = None,
    steps: tuple[StepRow, ...] = (),
    language: str = "en",
) -> RunReport:
    """The run that came to that result."""
    run = submitted_case(language=language)
    report = make_report(
        verdict=Verdict.NEEDS_FIX,
        findings=findings,
        detail=(result or case_result()).model_dump(mode="json"),
        assessments=(),
        steps=steps or (make_step("chart_structurer", participant="chart.structure"),),
    )
    row = replace(
        report.run,
        workflow="case",
        title="chart.txt",
        spec=run.spec.model_dump(mode="json"),
        phase="Complete",
    )
    return replace(report, run=row)

"""The result of a case: the critique with its grounds, what was measured, and how it was arrived at.

The names of the state are those of the clinical critic's design (seed 002). What the panel says is in the run's
`findings`; `critique` and `solutions` say the same in the form of that design's report.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from orchestrator.core.results import FindingsResult, RunSpending
from shared.models.case import (
    Case,
    CaseEvidence,
    ChartSpan,
    EvidenceSpans,
    InterventionCoverage,
    LensResult,
    RecordGaps,
    StructuredChart,
    Timeline,
)
from shared.models.critique import DiagnosisAnalysis, TreatmentAnalysis
from shared.models.findings import Severity
from shared.models.notices import NoticeOrNone, StoredNotice
from shared.models.wire import Verbatim, Wire

Priority = Literal["high", "medium", "low"]


class CritiqueEntry(Wire):
    """A point of the critique: `finding` is its id among the run's findings, `by` who raised it.

    `citation` says in one line where it stands (`chart:12 "BP 80/40"`) and `reference` the source of a formula or a
    range; `spans` are the places in the chart, `sources` those in similar cases and documents, `cohort` the comparison
    with similar cases. `lens` is the tool whose result it rests on.
    """

    finding: str
    issue: StoredNotice
    severity: Severity
    category: str
    action: NoticeOrNone = None
    citation: str = ""
    priority: Priority = "medium"
    reference: str = ""
    spans: tuple[ChartSpan, ...] = ()
    sources: tuple[ChartSpan, ...] = ()
    cohort: str = ""
    lens: str | None = None
    by: tuple[str, ...] = ()


class SolutionEntry(Wire):
    """What is to be done about a point: `finding` is its id, `by` who proposes it, `citation` names its places.

    `sources` are those of the places that code has found.
    """

    finding: str
    issue: StoredNotice
    severity: Severity
    category: str
    action: StoredNotice
    citation: str = ""
    priority: Priority = "medium"
    sources: tuple[ChartSpan, ...] = ()
    by: str = ""


class RoutedTool(Wire):
    """A tool of the registry, whether it was picked, and why."""

    tool: str
    run: bool
    reason: StoredNotice


class CaseRouting(Wire):
    """A choice of tools: by the `heuristic` or by a participant, in which iteration; `feedback` rounds count from 1.

    Round 0 is the router's own choice.
    """

    by: str
    iteration: int = 1
    feedback: int = 0
    max_tools: int
    tools: tuple[RoutedTool, ...] = ()


class TraceEntry(Wire):
    """A tool run or a turn of the run: `step` is its key in the journal.

    `node` is the part of the graph (`chart_structurer`, `lens_severity_risk`, `critic`, ...), `state` is `done`,
    `failed` or `abstained`, `why` says it where it is not done; `points` is how much it brought. `lines` are those of
    the chart that a turn was shown, first and last, where it was not shown all of it.
    """

    node: str
    step: str
    by: str
    iteration: int = 0
    state: Literal["done", "failed", "abstained"] = "done"
    why: NoticeOrNone = None
    points: int | None = None
    lines: tuple[tuple[int, int], ...] = ()


class ConfidencePart(Wire):
    """A share of the confidence, 0 to 1 (None: nothing to measure it by), with its weight and what was counted.

    Without a weight it multiplies the mean of the others.
    """

    name: str
    value: float | None
    weight: float | None
    count: int | None = None
    total: int | None = None


Basis = Literal["critics", "lenses", "nobody"]
"""Who judged the chart: critics that read it, the lenses alone, or nobody."""


class CaseConfidence(Wire):
    """How far the critique is to be believed, computed from what code can check (docs/design/case.md).

    `basis` says whose critique it is: on that of `lenses` alone it is a confidence in what was computed, and none that
    the chart was understood. Nobody's is 0.
    """

    value: float
    basis: Basis = "critics"
    parts: tuple[ConfidencePart, ...] = ()


class CaseIteration(Wire):
    """One pass of the critic. `again` says why another one was needed, `ended` why none was; `memory` is what that one
    must improve. `feedback` are the instructions that were open within the pass.
    """

    number: int
    confidence: CaseConfidence
    points: int
    again: NoticeOrNone = None
    ended: NoticeOrNone = None
    memory: tuple[StoredNotice, ...] = ()
    feedback: tuple[StoredNotice, ...] = ()


class Abstention(Wire):
    """What nobody said because it takes a model, a similar case or another language: a part of the graph, and why."""

    node: str
    by: str
    why: StoredNotice


class ChartReading(Wire):
    """Who was to read the chart, in how many portions, and which lines nobody of that name has read."""

    by: str
    portions: int
    unread: tuple[tuple[int, int], ...] = ()


class CaseResult(FindingsResult):
    """`text` is the chart as it was captured: all places count its characters.

    `lens_results` and `behavior_results` are by the tool's name; `verified_by` says by which of the design's options
    (A, B, C) the solutions were made.
    """

    patient_case: Case
    text: Verbatim
    structured_chart: StructuredChart | None = None
    timeline: Timeline = Timeline()
    evidence_spans: EvidenceSpans = EvidenceSpans()
    record_gaps: RecordGaps = RecordGaps()
    diagnosis_analysis: DiagnosisAnalysis = DiagnosisAnalysis()
    treatment_analysis: TreatmentAnalysis = TreatmentAnalysis()
    evidence: CaseEvidence = CaseEvidence()
    intervention_coverage: InterventionCoverage = InterventionCoverage()
    lens_results: dict[str, LensResult] = Field(default_factory=dict)
    behavior_results: dict[str, LensResult] = Field(default_factory=dict)
    router: tuple[CaseRouting, ...] = ()
    trace: tuple[TraceEntry, ...] = ()
    readings: tuple[ChartReading, ...] = ()
    critique: tuple[CritiqueEntry, ...] = ()
    solutions: tuple[SolutionEntry, ...] = ()
    analysis: str = ""
    risk_factors: tuple[str, ...] = ()
    recommendations: tuple[str, ...] = ()
    verified_by: str = ""
    iterations: tuple[CaseIteration, ...] = ()
    abstentions: tuple[Abstention, ...] = ()
    usage: RunSpending | None = None

    @property
    def iteration(self) -> int:
        """How many times the critic was run."""
        return len(self.iterations)

    @property
    def confidence(self) -> CaseConfidence | None:
        """That of the last pass."""
        return self.iterations[-1].confidence if self.iterations else None

    @property
    def memory(self) -> tuple[StoredNotice, ...]:
        """What was to be improved, of all passes."""
        return tuple(item for iteration in self.iterations for item in iteration.memory)

"""The state of the design: what has come of the nodes of the graph so far."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from shared.models.case import (
    CaseEvidence,
    EvidenceSpans,
    InterventionCoverage,
    LensResult,
    RecordGaps,
    StructuredChart,
    Timeline,
)
from shared.models.critique import DiagnosisAnalysis, TreatmentAnalysis


@dataclass(frozen=True)
class Preprocessing:
    """What the critic always begins with."""

    timeline: Timeline = field(default_factory=Timeline)
    evidence: EvidenceSpans = field(default_factory=EvidenceSpans)
    gaps: RecordGaps = field(default_factory=RecordGaps)


@dataclass(frozen=True)
class GraphState:
    """The state of the design, as far as the graph has come."""

    chart: StructuredChart
    evidence: CaseEvidence = field(default_factory=CaseEvidence)
    diagnosis: DiagnosisAnalysis = field(default_factory=DiagnosisAnalysis)
    treatment: TreatmentAnalysis = field(default_factory=TreatmentAnalysis)
    coverage: InterventionCoverage = field(default_factory=InterventionCoverage)
    preprocessing: Preprocessing = field(default_factory=Preprocessing)
    results: dict[str, LensResult] = field(default_factory=dict)

    def without_failed(self) -> GraphState:
        """The same, as if the tools that failed had not run: they may run again."""
        kept = {name: each for name, each in self.results.items() if each.looked or each.abstains}
        return replace(self, results=kept)

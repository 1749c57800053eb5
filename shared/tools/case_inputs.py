"""What the tools of the workflow `case` are given. Large values travel as documents, without a line for it here."""

from __future__ import annotations

from pydantic import Field

from shared.models.case import (
    CaseEvidence,
    EvidenceQuery,
    EvidenceSpans,
    InterventionCoverage,
    RecordGaps,
    StructuredChart,
    Timeline,
)
from shared.models.critique import DiagnosisAnalysis, TreatmentAnalysis
from shared.models.embeddings import KnownVectors
from shared.models.wire import Wire
from shared.tools.inputs import Hash


class CaseInput(Wire):
    """The captured case (`shared.models.case.Case`)."""

    subject: Hash


class ChartInput(CaseInput):
    """The case with its chart as it was structured."""

    chart: StructuredChart


class EvidenceInput(CaseInput):
    """What is looked for, and what earlier passes found: nothing is looked for twice."""

    queries: tuple[EvidenceQuery, ...]
    earlier: CaseEvidence = Field(default_factory=CaseEvidence)
    passages: int = Field(default=3, ge=1, le=20)
    known: KnownVectors = Field(default_factory=KnownVectors)


class EmbeddingInput(CaseInput):
    """The model whose vectors are asked for, and how many passages may lack them at most."""

    space: str
    most: int = Field(ge=1)


class InterventionInput(ChartInput):
    """The same with both analyses."""

    diagnosis: DiagnosisAnalysis = Field(default_factory=DiagnosisAnalysis)
    treatment: TreatmentAnalysis = Field(default_factory=TreatmentAnalysis)


class LensInput(ChartInput):
    """What a lens looks at: the preprocessing, what is done about which problem, and how many neighbours count."""

    timeline: Timeline
    evidence: EvidenceSpans
    gaps: RecordGaps
    coverage: InterventionCoverage = Field(default_factory=InterventionCoverage)
    neighbours: int = Field(default=3, ge=1, le=20)

"""Every tool, one row each. A new one is a module in `workers/tools/` and a row here (docs/design/analysers.md)."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from shared.delivery.contracts import QUEUE_APPLY
from shared.errors import ToolError
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
from shared.models.embeddings import UnembeddedPassages
from shared.models.review_replies import Applied, CheckedFixes, SuiteReport, Undone
from shared.tools.agent_cards import AGENT_CARDS
from shared.tools.analyser_cards import ANALYSER_CARDS
from shared.tools.card import ToolCard, ToolCost, ToolKind, ToolLimits
from shared.tools.case_inputs import (
    CaseInput,
    ChartInput,
    EmbeddingInput,
    EvidenceInput,
    InterventionInput,
    LensInput,
)
from shared.tools.examiner_cards import EXAMINER_CARDS
from shared.tools.graph_cards import GRAPH_CARDS
from shared.tools.inputs import (
    ApplyInput,
    FixCheckInput,
    SuiteInput,
    UndoInput,
)

_CLINICAL = ToolLimits(timeout_s=60.0, memory_mb=1024)

_CARDS = (
    *ANALYSER_CARDS.values(),
    ToolCard(
        name="fixes.check",
        purpose="Tries proposed fixes on the captured state and puts those that apply together.",
        kind=ToolKind.CHECK,
        module="workers.tools.fixes.check_fixes",
        inputs=FixCheckInput,
        reply=CheckedFixes,
        cost=ToolCost(seconds=0.5),
        packages=("ruff",),
    ),
    ToolCard(
        name="tests.run",
        purpose="Runs the project's tests in the sandbox, as it was reviewed and with each patch, where switched on.",
        kind=ToolKind.CHECK,
        module="workers.tools.fixes.suite",
        inputs=SuiteInput,
        reply=SuiteReport,
        cost=ToolCost(seconds=60),
        limits=ToolLimits(timeout_s=600.0),
        command="command",
    ),
    ToolCard(
        name="apply",
        purpose="Applies the patch that a person approved, on a branch or in the working tree.",
        kind=ToolKind.FIX,
        module="workers.tools.fixes.apply",
        inputs=ApplyInput,
        reply=Applied,
        cost=ToolCost(seconds=0.8),
        packages=("ruff",),
        queue=QUEUE_APPLY,
        read_only=False,
    ),
    ToolCard(
        name="undo",
        purpose="Takes an applied fix back, if the branch or the files are still as it left them.",
        kind=ToolKind.FIX,
        module="workers.tools.fixes.undo",
        inputs=UndoInput,
        reply=Undone,
        cost=ToolCost(seconds=0.1),
        queue=QUEUE_APPLY,
        read_only=False,
    ),
    ToolCard(
        name="chart.structure",
        purpose="Divides a chart, and finds who the patient is, what is mentioned and what was measured.",
        kind=ToolKind.STAGE,
        module="workers.tools.clinical.stages.structure",
        inputs=CaseInput,
        reply=StructuredChart,
        cost=ToolCost(seconds=0.2),
        limits=_CLINICAL,
    ),
    ToolCard(
        name="preprocess.timeline",
        purpose="Puts what has a date, or a time relative to the visit, in order.",
        kind=ToolKind.STAGE,
        module="workers.tools.clinical.stages.timeline",
        inputs=ChartInput,
        reply=Timeline,
        cost=ToolCost(seconds=0.1),
        limits=_CLINICAL,
    ),
    ToolCard(
        name="preprocess.evidence",
        purpose="Marks the sentences that hold clinical statements.",
        kind=ToolKind.STAGE,
        module="workers.tools.clinical.stages.spans",
        inputs=ChartInput,
        reply=EvidenceSpans,
        cost=ToolCost(seconds=0.1),
        limits=_CLINICAL,
    ),
    ToolCard(
        name="preprocess.record_gaps",
        purpose="Lists what a chart of its kind should hold and this one does not.",
        kind=ToolKind.STAGE,
        module="workers.tools.clinical.stages.record_gaps",
        inputs=ChartInput,
        reply=RecordGaps,
        cost=ToolCost(seconds=0.1),
        limits=_CLINICAL,
    ),
    ToolCard(
        name="diagnosis.extract",
        purpose="Collects the diagnoses that a chart names, and how sure it is of each.",
        kind=ToolKind.STAGE,
        module="workers.tools.clinical.stages.diagnosis",
        inputs=ChartInput,
        reply=DiagnosisAnalysis,
        cost=ToolCost(seconds=0.1),
        limits=_CLINICAL,
    ),
    ToolCard(
        name="treatment.extract",
        purpose="Collects the treatments that a chart names: given, planned and stopped.",
        kind=ToolKind.STAGE,
        module="workers.tools.clinical.stages.treatment",
        inputs=ChartInput,
        reply=TreatmentAnalysis,
        cost=ToolCost(seconds=0.1),
        limits=_CLINICAL,
    ),
    ToolCard(
        name="evidence.retrieve",
        purpose="Finds passages for queries in the chart, in similar cases and in documents, and grades them.",
        kind=ToolKind.STAGE,
        module="workers.tools.clinical.stages.evidence",
        inputs=EvidenceInput,
        reply=CaseEvidence,
        cost=ToolCost(seconds=0.3),
        limits=_CLINICAL,
    ),
    ToolCard(
        name="evidence.unembedded",
        purpose="Names the passages of a case that no vector of an embedding model is stored for.",
        kind=ToolKind.STAGE,
        module="workers.tools.clinical.stages.unembedded",
        inputs=EmbeddingInput,
        reply=UnembeddedPassages,
        cost=ToolCost(seconds=0.2),
        limits=_CLINICAL,
    ),
    ToolCard(
        name="interventions.check",
        purpose="Compares the problems of a chart with what is done about them.",
        kind=ToolKind.STAGE,
        module="workers.tools.clinical.stages.interventions",
        inputs=InterventionInput,
        reply=InterventionCoverage,
        cost=ToolCost(seconds=0.1),
        limits=_CLINICAL,
    ),
    ToolCard(
        name="lens_severity_risk",
        purpose="Looks for values outside their reference ranges, early-warning scores and grave findings.",
        kind=ToolKind.LENS,
        module="workers.tools.clinical.lenses.severity_risk",
        inputs=LensInput,
        reply=LensResult,
        cost=ToolCost(seconds=0.1),
        limits=_CLINICAL,
    ),
    ToolCard(
        name="lens_diagnostic_consistency",
        purpose="Looks for contradictions: dates, side, sex, age, values, and diagnoses without support.",
        kind=ToolKind.LENS,
        module="workers.tools.clinical.lenses.diagnostic_consistency",
        inputs=LensInput,
        reply=LensResult,
        cost=ToolCost(seconds=0.1),
        limits=_CLINICAL,
    ),
    ToolCard(
        name="lens_monitoring_response",
        purpose="Looks for drugs against allergies, doubled drugs, doses, missing monitoring, problems without plans.",
        kind=ToolKind.LENS,
        module="workers.tools.clinical.lenses.monitoring_response",
        inputs=LensInput,
        reply=LensResult,
        cost=ToolCost(seconds=0.1),
        limits=_CLINICAL,
    ),
    ToolCard(
        name="behavior_topk_direct_compare",
        purpose="Compares what is done with the most similar cases.",
        kind=ToolKind.LENS,
        module="workers.tools.clinical.lenses.topk_direct_compare",
        inputs=LensInput,
        reply=LensResult,
        cost=ToolCost(seconds=0.2),
        limits=_CLINICAL,
    ),
    *AGENT_CARDS,
    *EXAMINER_CARDS,
    *GRAPH_CARDS,
)
CARDS: Mapping[str, ToolCard] = {card.name: card for card in _CARDS}


def find_card(name: str) -> ToolCard:
    """The card of that name; raises `ToolError` for an unknown one."""
    try:
        return CARDS[name]
    except KeyError:
        known = ", ".join(sorted(CARDS))
        raise ToolError(
            "There is no tool called {name!r}; known are: {known}.", name=name, known=known
        ) from None


def cards(
    *,
    kind: ToolKind | None = None,
    read_only: bool | None = None,
    applies_to: Collection[str] | None = None,
) -> tuple[ToolCard, ...]:
    """The cards in their order, narrowed: of one kind, that write or do not, that can read one of these paths."""
    return tuple(
        card
        for card in _CARDS
        if kind in (None, card.kind)
        and read_only in (None, card.read_only)
        and (applies_to is None or card.scope.reads_any(applies_to))
    )

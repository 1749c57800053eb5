"""What participants and tools answer: the models by the names that steps ask for."""

from __future__ import annotations

from shared.models.agent import AGENT_REPLIES
from shared.models.case import (
    CaseEvidence,
    EvidenceSpans,
    InterventionCoverage,
    LensResult,
    RecordGaps,
    StructuredChart,
    Timeline,
)
from shared.models.code_answers import CODE_REPLIES
from shared.models.critique import CASE_REPLIES
from shared.models.deliberation import DELIBERATION_REPLIES
from shared.models.embeddings import EMBEDDING_REPLIES
from shared.models.planning import PLANNING_REPLIES
from shared.models.review_replies import (
    Applied,
    CheckedFixes,
    Clarification,
    FixProposal,
    RedTeamCritique,
    RedTeamRebuttal,
    ReviewCritique,
    ReviewRebuttal,
    SuiteReport,
    Synthesis,
    Undone,
)
from shared.models.wire import ForeignWire

REPLY_MODELS: dict[str, type[ForeignWire]] = {
    "critique.review": ReviewCritique,
    "critique.red-team": RedTeamCritique,
    "rebuttal.review": ReviewRebuttal,
    "rebuttal.red-team": RedTeamRebuttal,
    "clarification": Clarification,
    "synthesis": Synthesis,
    "fix": FixProposal,
    "fixes.checked": CheckedFixes,
    "tests.ran": SuiteReport,
    "applied": Applied,
    "undone": Undone,
    "case.chart": StructuredChart,
    "case.timeline": Timeline,
    "case.spans": EvidenceSpans,
    "case.gaps": RecordGaps,
    "case.evidence": CaseEvidence,
    "case.coverage": InterventionCoverage,
    "case.lens": LensResult,
    **AGENT_REPLIES,
    **CODE_REPLIES,
    **CASE_REPLIES,
    **DELIBERATION_REPLIES,
    **EMBEDDING_REPLIES,
    **PLANNING_REPLIES,
}


def reply_name(model: type[ForeignWire]) -> str:
    """The name of a reply's model, as steps ask for it."""
    return next(name for name, known in REPLY_MODELS.items() if known is model)

"""What participants of the workflow `case` answer. Every quotation in them is checked against the chart by code."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, field_validator

from shared.models.findings import Severity, StatedStance
from shared.models.wire import ForeignWire


class AnalysisPoint(ForeignWire):
    """A statement and the words of the chart that carry it; `status` is `present`, `suspected`, `excluded`, `past`
    or, of a treatment, `given`, `planned`, `stopped`.
    """

    statement: str = Field(min_length=1)
    quotes: tuple[str, ...] = ()
    status: str = ""
    concern: str = ""


class DiagnosisAnalysis(ForeignWire):
    """`diagnosis_analysis`."""

    diagnoses: tuple[AnalysisPoint, ...] = ()
    differentials: tuple[AnalysisPoint, ...] = ()
    analysis: str = ""
    queries: tuple[str, ...] = ()


class TreatmentAnalysis(ForeignWire):
    """`treatment_analysis`."""

    treatments: tuple[AnalysisPoint, ...] = ()
    analysis: str = ""
    queries: tuple[str, ...] = ()


class CritiquePoint(ForeignWire):
    """One point. `spans` are ids of `preprocessing.evidence`; `quote` words of the chart; `cohort` the comparison
    with similar cases, which are named in it (`similar/2`). `lens` is the tool whose result it rests on, if any.
    """

    point: str = Field(min_length=1)
    spans: tuple[str, ...] = ()
    quote: str | None = None
    severity: Severity = Severity.MINOR
    category: str = "general"
    cohort: str = ""
    lens: str | None = None
    action: str = ""

    @field_validator("severity", mode="before")
    @classmethod
    def _any_case(cls, value: object) -> object:
        return value.strip().upper() if isinstance(value, str) else value


class CaseCritique(ForeignWire):
    """The CritiqueBuilder's output; `stances` are positions on points that are known already."""

    critique_points: tuple[CritiquePoint, ...] = ()
    risk_factors: tuple[str, ...] = ()
    recommendations: tuple[str, ...] = ()
    analysis: str = ""
    stances: tuple[StatedStance, ...] = ()


class ToolChoice(ForeignWire):
    """A tool of the registry, whether it is to run, and why."""

    tool: str
    run: bool = True
    reason: str = ""


class Routing(ForeignWire):
    """The router's choice, as a model makes it."""

    tools: tuple[ToolChoice, ...] = ()


class CritiqueFeedback(ForeignWire):
    """Whether a critique will do; if not, which tools are to run besides and what is to be mended."""

    ok: bool
    requested_tools: tuple[str, ...] = ()
    patch_instructions: tuple[str, ...] = ()


class Solution(ForeignWire):
    """What is to be done about a point. `citations` name places: span ids, `similar/2`, `documents/guideline.md`."""

    point: str
    action: str = Field(min_length=1)
    citations: tuple[str, ...] = ()
    priority: Literal["high", "medium", "low"] = "medium"


class Solutions(ForeignWire):
    """The verifier's answer."""

    solutions: tuple[Solution, ...] = ()


class RewrittenQueries(ForeignWire):
    """A weak query in other words, by the words of the first."""

    queries: dict[str, str] = Field(default_factory=dict)


CASE_REPLIES: dict[str, type[ForeignWire]] = {
    "case.diagnosis": DiagnosisAnalysis,
    "case.treatment": TreatmentAnalysis,
    "case.routing": Routing,
    "case.critique": CaseCritique,
    "case.feedback": CritiqueFeedback,
    "case.solutions": Solutions,
    "case.queries": RewrittenQueries,
}

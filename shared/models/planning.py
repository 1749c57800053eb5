"""What participants answer in `plan` (seed 000) and `panel` (seed 003, multi-agent debate).

Scores and confidences are second opinions: a proportion or nothing. A reply that says "no" and does not say why
is no reply; it is asked for once more and then missing.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, ValidationError, model_validator

from shared.models.deliberation import SpokenReply
from shared.models.findings import RaisedFinding, StatedStance
from shared.models.proportions import Proportion
from shared.models.sections import (
    OBJECTIONS,
    TITLE_CHARS,
    DefendedPoint,
    Disagreement,
    Risk,
    entries_of,
    objection,
)
from shared.models.wire import ForeignWire

MAX_POINTS = 3

_lower = BeforeValidator(lambda value: value.strip().lower() if isinstance(value, str) else value)
_upper = BeforeValidator(lambda value: value.strip().upper() if isinstance(value, str) else value)


# ---- plan ---------------------------------------------------------------------------------------


class Plan(SpokenReply):
    """A plan, as Markdown. `answers` says what became of each objection that a revision had to answer."""

    plan: str = Field(min_length=1)
    assumptions: tuple[str, ...] = ()
    answers: tuple[DefendedPoint, ...] = ()

    @classmethod
    def from_text(cls, text: str) -> Self | None:
        """All of it is the plan."""
        try:
            return cls.model_validate({"plan": text})
        except ValidationError:
            return None


class PlanCritique(ForeignWire):
    """What every critic of a plan says: a verdict, objections (findings), positions on the known ones."""

    verdict: Annotated[Literal["ACCEPT", "REVISE"], _upper]
    summary: str = ""
    findings: tuple[RaisedFinding, ...] = ()
    stances: tuple[StatedStance, ...] = ()

    def raised(self) -> tuple[RaisedFinding, ...]:
        """The findings; where there are none, the sections' entries, so that no objection is lost for its form."""
        if self.findings:
            return self.findings
        entries = entries_of(self, OBJECTIONS)
        if not entries and self.verdict == "REVISE" and not self.stances:
            entries = [("summary", self.summary or "It says REVISE, and not why")]
        return tuple(objection(*entry) for entry in entries)

    @model_validator(mode="after")
    def _says_why(self) -> Self:
        # Whatever stands in a section will do: stored replies must stay readable.
        why = (self.findings, self.stances, *(getattr(self, name, ()) for name in OBJECTIONS))
        if self.verdict == "REVISE" and not any(why):
            raise ValueError("REVISE needs at least one entry in `findings` or `stances`")
        return self


class _Concerns(PlanCritique):
    """The sections of seed 000's DebateFeedback."""

    security_risks: tuple[Risk, ...] = ()
    edge_cases: tuple[str, ...] = ()
    scalability_concerns: tuple[str, ...] = ()
    maintenance_burden: tuple[str, ...] = ()


class Challenge(_Concerns):
    """Strategy `debate`, odd rounds."""


class RiskAnalysis(_Concerns):
    """Strategy `perspectives`, the risk lens; `mitigations` are what would lower the risks."""

    mitigations: tuple[str, ...] = ()


class InnovationAnalysis(PlanCritique):
    """Strategy `perspectives`, the innovation lens."""

    opportunities: tuple[str, ...] = ()
    alternatives: tuple[str, ...] = ()
    missed_simplifications: tuple[str, ...] = ()


class CrossReview(PlanCritique):
    """Strategy `perspectives`: one lens reviews the other."""

    points_of_agreement: tuple[str, ...] = ()
    points_of_disagreement: tuple[Disagreement, ...] = ()


class Defense(ForeignWire):
    """Strategy `debate`, even rounds: the planner answers. `revised_plan` is a proposal, not the plan yet."""

    conceded_points: tuple[str, ...] = ()
    defended_points: tuple[DefendedPoint, ...] = ()
    revised_plan: str = ""
    stances: tuple[StatedStance, ...] = ()

    @model_validator(mode="after")
    def _answers_something(self) -> Self:
        if not any((self.conceded_points, self.defended_points, self.revised_plan, self.stances)):
            raise ValueError("an answer needs `stances`, or points conceded or defended")
        return self


class PlanSynthesis(ForeignWire):
    """The merged text of a debate: consensus points, divergences (`remaining_concerns`), and the chair's own score."""

    summary: str = Field(min_length=1)
    consensus: tuple[str, ...] = ()
    resolved_issues: tuple[str, ...] = ()
    remaining_concerns: tuple[str, ...] = ()
    convergence_score: Proportion = None


# ---- panel --------------------------------------------------------------------------------------


class Point(ForeignWire):
    """A claim that an argument rests on; `quote` is text from the question, its files or another argument."""

    claim: str = Field(min_length=1, max_length=TITLE_CHARS)
    evidence: str = ""
    quote: str | None = None


class Argument(ForeignWire):
    """A debater's turn: its position in one sentence (or the id of a known one), and why.

    Positions on known points are stated in `stances`; `changed_because` names the evidence for another position
    than before. Only the first three `points` are taken.
    """

    position: str = Field(min_length=1, max_length=TITLE_CHARS)
    argument: str = Field(min_length=1)
    confidence: Proportion = None
    points: tuple[Point, ...] = ()
    stances: tuple[StatedStance, ...] = ()
    changed_because: str = ""
    quote: str | None = None


class OpeningVote(ForeignWire):
    """A debater's position before it has heard anybody."""

    position: str = Field(min_length=1, max_length=TITLE_CHARS)
    confidence: Proportion = None
    reason: str = ""


class Moderation(ForeignWire):
    """The moderator's second opinion. Code decides: `should_continue` ends nothing."""

    consensus_score: Proportion = None
    should_continue: bool = True
    reasoning: str = ""
    feedback: str = ""
    open_questions: tuple[str, ...] = ()


class ChoiceBallot(ForeignWire):
    """A secret vote: the id of the position that a debater holds, and ids that say the same in other words.

    `choice` is `NONE` when it holds none of them.
    """

    choice: Annotated[str, _upper] = Field(min_length=1)
    same: tuple[str, ...] = ()
    confidence: Proportion = None
    reason: str = ""
    quote: str | None = None


class Judgement(ForeignWire):
    """The judge's verdict; `choice` is the id of the position that it amounts to, if it is one of them."""

    verdict: str = Field(min_length=1)
    choice: str | None = None
    confidence: Proportion = None
    reasoning: str = ""
    consensus_points: tuple[str, ...] = ()
    dissenting_opinions: tuple[str, ...] = ()


PLANNING_REPLIES: dict[str, type[ForeignWire]] = {
    "plan": Plan,
    "challenge": Challenge,
    "defense": Defense,
    "risk-analysis": RiskAnalysis,
    "innovation-analysis": InnovationAnalysis,
    "cross-review": CrossReview,
    "synthesis.plan": PlanSynthesis,
    "argument": Argument,
    "opening": OpeningVote,
    "moderation": Moderation,
    "ballot.choice": ChoiceBallot,
    "judgement": Judgement,
}

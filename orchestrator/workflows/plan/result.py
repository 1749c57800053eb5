"""The result of a plan run: the plan, its versions with what was said about each, and whether somebody accepted it."""

from __future__ import annotations

from pydantic import Field

from orchestrator.core.results import FindingsResult, RunSpending
from shared.models.assessment import Assessment
from shared.models.decision import DecisionAnswer
from shared.models.findings import Finding
from shared.models.outcomes import Ending
from shared.models.planning import PlanSynthesis
from shared.models.review_replies import Synthesis
from shared.models.wire import Wire


class PlanContribution(Wire):
    """What somebody said in a round about a version of the plan."""

    round: int
    role: str
    participant: str
    verdict: str | None
    content: str


class PlanLabels(Wire):
    """Which letter stood for whom: in the rounds, and for the chair."""

    rounds: dict[str, dict[str, str]] = Field(default_factory=dict)
    synthesis: dict[str, str] = Field(default_factory=dict)


class PlanRevision(Wire):
    """A version of the plan and its debate; `by` is None for the plan that was given."""

    number: int
    by: str | None
    text: str
    assumptions: tuple[str, ...] = ()
    answers: tuple[dict[str, str], ...] = ()
    ending: Ending | None
    findings: tuple[Finding, ...]
    rounds: tuple[PlanContribution, ...]
    synthesis: PlanSynthesis
    synthesised_by: str
    decision: DecisionAnswer | None
    labels: PlanLabels = PlanLabels()


class VersionAssessment(Assessment):
    """A round's figures, of the debate of a `version`."""

    version: int


class PlanResult(FindingsResult):
    """Without a `plan` nobody wrote one; `plan_by` is None where it was given."""

    question: str = ""
    strategy: str | None = None
    plan: str | None
    plan_by: str | None = None
    accepted: bool
    revisions: tuple[PlanRevision, ...]
    synthesis: PlanSynthesis | None = None
    assessments: tuple[VersionAssessment, ...] = ()
    usage: RunSpending

    @property
    def refused(self) -> bool:
        """A plan that nobody accepted is no result yet."""
        return not self.accepted

    @property
    def merged(self) -> Synthesis | None:
        """The chair's text, without its score."""
        if self.synthesis is None:
            return None
        return Synthesis.model_validate(self.synthesis.model_dump())

    @property
    def decided_version(self) -> int | None:
        """The version that the last answer was about, where later ones were not decided on."""
        if not self.revisions or self.revisions[-1].decision:
            return None
        decided = (past.number for past in reversed(self.revisions) if past.decision)
        return next(decided, None)

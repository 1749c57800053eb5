"""The result of a panel run: the verdict with its reasons and its dissent, votes, rounds (seed 003: DebateResult)."""

from __future__ import annotations

from pydantic import Field, JsonValue

from orchestrator.core.results import (
    NO_VOTE,
    AskedQuestion,
    DebateImpact,
    RunSpending,
    StanceChange,
    VoteSupport,
    WorkflowResult,
)
from shared.models.assessment import Assessment
from shared.models.findings import Finding
from shared.models.notices import StoredReason
from shared.models.planning import Moderation
from shared.models.wire import Wire

NO_POSITION = "none of the positions"
"""How an outcome says, in English, that a voter wants none of them."""


class ConsensusPoint(Wire):
    """Something agreed: by the `ledger` of stances (with its `id`), or because the `judge` says so."""

    text: str
    by: str
    id: str | None = None


class PanelDissent(Wire):
    """An opinion that differs from the verdict: by a `vote`, or in the account of the `judge`."""

    by: str
    participant: str | None
    position: str | None = None
    text: str
    reason: str | None = None
    confidence: float | None = None


class PanelStatement(Wire):
    """What a debater said in a round; `holds` is its position's id, `heard` whose arguments it had been shown."""

    participant: str
    round: int
    position: str
    holds: str
    argument: str
    confidence: float | None
    changed_because: str = ""
    quote: str | None = None
    heard: tuple[str, ...] = ()


class PanelRound(Wire):
    """A round: what was said, who was missing, and how it was judged."""

    number: int
    statements: tuple[PanelStatement, ...]
    missing: tuple[str, ...] = ()
    moderation: Moderation | None = None
    assessment: Assessment


class PanelVote(Wire):
    """A debater's vote; `same` are the positions that it calls the same as its own."""

    participant: str
    voted: bool
    position: str | None
    same: tuple[str, ...] = ()
    confidence: float | None
    reason: str = ""


class PanelAgreement(Wire):
    """The leading position, whether the votes agree, and whether on what the verdict amounts to (None: unknown)."""

    leading: str | None
    converged: bool
    on_verdict: bool | None = None
    positions: dict[str, VoteSupport] = Field(default_factory=dict)


class HeldPosition(Wire):
    """What a debater held before the debate."""

    position: str
    confidence: float | None


class PositionsImpact(DebateImpact):
    """The impact of a debate of positions: the first leading one against the last, and the verdict."""

    first_votes: dict[str, HeldPosition] = Field(default_factory=dict)
    first_leading: str | None = None
    final_leading: str | None = None
    verdict: str | None = None
    changes: tuple[StanceChange, ...] = ()
    changed_findings: int = 0
    cost_per_changed_finding: float | None = None


class PanelLabels(Wire):
    """Which letter stood for whom: in the rounds, on each ballot, for the judge."""

    rounds: dict[str, dict[str, str]] = Field(default_factory=dict)
    ballots: dict[str, dict[str, str]] = Field(default_factory=dict)
    judge: dict[str, str] = Field(default_factory=dict)


class PanelResult(WorkflowResult):
    """`decided_by` is the judge, or `votes`; `choice` the position that the verdict amounts to."""

    question: AskedQuestion
    strategy: str
    verdict: str | None
    confidence: float | None
    reasoning: str = ""
    consensus_points: tuple[ConsensusPoint, ...] = ()
    dissenting_opinions: tuple[PanelDissent, ...] = ()
    total_tokens: int | None
    total_cost: float | None
    decided_by: str | None
    choice: str | None
    reason: StoredReason = None
    points: tuple[Finding, ...]
    rounds: tuple[PanelRound, ...]
    votes: tuple[PanelVote, ...]
    votes_secret: bool
    agreement: PanelAgreement
    effective_votes: int | None = None
    receipt: PositionsImpact | None = None
    labels: PanelLabels = PanelLabels()
    usage: RunSpending

    @property
    def agrees_on_verdict(self) -> bool | None:
        """Whether the votes agree on what the verdict amounts to."""
        return self.agreement.on_verdict

    def title_of(self, position: str | None) -> str | None:
        """A position's own words."""
        return next((point.title for point in self.points if point.id == position), None)

    @property
    def votes_cast(self) -> dict[str, str]:
        """The votes for positions."""
        return {
            vote.participant: (self.title_of(vote.position) or NO_POSITION)
            if vote.voted
            else NO_VOTE
            for vote in self.votes
        }

    @property
    def vote_figures(self) -> dict[str, JsonValue]:
        """The chosen and the leading position, and the support of each."""
        support = {name: count.support for name, count in self.agreement.positions.items()}
        agreement = self.agreement.model_dump(include={"converged", "leading"})
        return {"choice": self.choice, **agreement, "support": support}

    @property
    def chosen(self) -> str | None:
        """The position that the verdict amounts to."""
        return self.title_of(self.choice)

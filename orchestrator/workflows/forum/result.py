"""The result of a forum run: the conclusion, who stands where, what stayed open, and how the floor went round."""

from __future__ import annotations

from pydantic import Field, JsonValue

from orchestrator.core.results import (
    NO_VOTE,
    AskedQuestion,
    DebateImpact,
    RunSpending,
    VoteSupport,
    WorkflowResult,
)
from shared.models.notices import NoticeOrNone, StoredReason
from shared.models.wire import Wire


class ForumParticipant(Wire):
    """How often somebody was given the floor, and spoke."""

    name: str
    floors: int
    speeches: int


REQUEST, PASS = "REQUEST", "PASS"
BY_RULE = "rule"


class RecordedBid(Wire):
    """An answer to "do you want the floor?": REQUEST or PASS; `missing` says why there is none: that counts as a pass.

    While it is open `action` is empty.
    """

    participant: str
    action: str
    reason: str = ""
    missing: NoticeOrNone = None

    @property
    def asks(self) -> bool:
        """Whether the floor is wanted."""
        return self.action == REQUEST

    @property
    def sign(self) -> str:
        """A raised hand, a sleeper, a warning, or nothing yet."""
        if self.missing is not None:
            return "⚠"
        return {REQUEST: "✋", PASS: "💤"}.get(self.action, "…")


class FloorRound(Wire):
    """Who asked, who was selected by whom and why, and what was said; `reminded` that nobody had asked before."""

    number: int
    reminded: bool = False
    bids: tuple[RecordedBid, ...]
    selected: str | None = None
    selected_by: str | None = None
    why: str | None = None
    wished: str | None = None
    orchestrator_said: str = ""
    speech: str | None = None

    @property
    def asking(self) -> tuple[str, ...]:
        """Those who asked for the floor."""
        return tuple(bid.participant for bid in self.bids if bid.asks)

    @property
    def present(self) -> int:
        """How many were there to answer."""
        return sum(bid.missing is None for bid in self.bids)

    @property
    def signs(self) -> str:
        """`Claude: ✋  Gemini: 💤`"""
        return "  ".join(f"{bid.participant}: {bid.sign}" for bid in self.bids)


class UnheardRequest(Wire):
    """A participant that still wanted to speak when the discussion was ended."""

    participant: str
    reason: str = ""


class CastBallot(Wire):
    """A ballot on the conclusion; no `position`: it did not vote."""

    participant: str
    position: str | None
    confidence: float | None
    reason: str = ""


class BallotDissent(Wire):
    """A vote that is not for the conclusion as it is."""

    by: str = "vote"
    participant: str
    position: str
    text: str
    confidence: float | None


class BallotAgreement(VoteSupport):
    """What the ballots on the conclusion add up to."""

    converged: bool


class OpeningPosition(Wire):
    """What somebody held at first; `on_conclusion` is how that would have voted."""

    position: str
    confidence: float | None
    reason: str = ""
    on_conclusion: str | None = None


class ConclusionImpact(DebateImpact):
    """The impact of a forum: the conclusion's support before and after it."""

    first_votes: dict[str, OpeningPosition] = Field(default_factory=dict)
    first_support: float | None = None
    final_support: float | None = None


class ForumResult(WorkflowResult):
    """`reason` explains the ending, `stopped_by` what ended the rounds."""

    question: AskedQuestion
    orchestrator: str
    participants: tuple[ForumParticipant, ...]
    conclusion: str | None
    concluded_by: str | None
    conclusion_reason: str = ""
    open_points: tuple[str, ...] = ()
    stopped_by: str | None = None
    reason: StoredReason = None
    rounds: tuple[FloorRound, ...]
    unheard: tuple[UnheardRequest, ...] = ()
    ballots: tuple[CastBallot, ...] = ()
    dissenting_opinions: tuple[BallotDissent, ...] = ()
    agreement: BallotAgreement | None = None
    effective_votes: int | None = None
    receipt: ConclusionImpact | None = None
    labels: dict[str, str] = Field(default_factory=dict)
    usage: RunSpending

    @property
    def votes_cast(self) -> dict[str, str]:
        """The ballots on the conclusion."""
        return {cast.participant: cast.position or NO_VOTE for cast in self.ballots}

    @property
    def vote_figures(self) -> dict[str, JsonValue]:
        """What the ballots add up to."""
        if self.agreement is None:
            return {}
        return self.agreement.model_dump(include={"converged", "support", "threshold"})

"""What a panel run knows: its context, and the debate so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from orchestrator.core.consensus.convergence import ConvergenceRule
from orchestrator.core.discussion.labels import shuffled_labels
from orchestrator.core.discussion.turn_results import TurnResult
from orchestrator.core.rounds import RoundTaken
from orchestrator.workflows.panel.options import PanelOptions
from orchestrator.workflows.panel.prompts import PanelPrompts
from orchestrator.workflows.panel.strategies import PanelStrategy, strategy_named
from shared.models.assessment import Assessment
from shared.models.findings import Finding, Severity, Stance
from shared.models.notices import Notice
from shared.models.panel import Participant
from shared.models.planning import Moderation
from shared.models.run import RunSpec

POSITION, POINT = "position", "point"  # the categories of what is debated
# A dispute about the answer itself is not drowned by agreement on claims.
WEIGHTS = {POSITION: Severity.MAJOR, POINT: Severity.MINOR}

DEBATER_TEMPERATURE = 0.7
JUDGE_TEMPERATURE = 0.3


@dataclass(frozen=True)
class PanelTerms:
    """Who debates by which strategy, for how long."""

    spec: RunSpec
    options: PanelOptions

    @property
    def strategy(self) -> PanelStrategy:
        """How the debate is held. Raises ConfigurationError for an unknown one."""
        return strategy_named(self.options.strategy)

    @property
    def debaters(self) -> tuple[Participant, ...]:
        """Who debates: participants that follow rules hold no position."""
        return tuple(one for one in self.spec.panel.critics if not one.rule_based)

    @property
    def judge(self) -> Participant:
        """Who gives the verdict and takes no part in the debate."""
        return self.spec.panel.chair

    @property
    def moderator(self) -> Participant | None:
        """Who gives a second opinion after each round, if anybody does."""
        return self.options.moderator if self.strategy.moderated else None

    @property
    def rounds(self) -> int:
        """The last round's number."""
        return self.strategy.rounds(self.options.max_rounds)

    @property
    def has_opening(self) -> bool:
        """Whether a blind vote precedes the first round."""
        return self.strategy.opening and self.options.opening_vote

    @property
    def has_ballot(self) -> bool:
        """Whether a secret vote follows the last one."""
        return self.strategy.ballot and self.options.ballot


@dataclass(frozen=True)
class PanelContext(PanelTerms):
    """One question to one panel. `document` gives a stored text by its hash."""

    prompts: PanelPrompts
    document: Callable[[str], str] = field(compare=False, repr=False)

    @property
    def rule(self) -> ConvergenceRule:
        """How rounds are judged."""
        return ConvergenceRule(thresholds=self.options.thresholds, quorum=self.options.quorum)

    def labels(self, reader: str) -> dict[str, str]:
        """Letters to debaters, in an order of that reader's own."""
        return shuffled_labels(self.spec.seed, reader, [one.name for one in self.debaters])


@dataclass(frozen=True)
class Statement:
    """What a debater said in a round; `holds` is the id of its position, `heard` whose arguments it had been shown."""

    participant: str
    round: int
    position: str
    holds: str
    argument: str
    confidence: float | None
    changed_because: str = ""
    quote: str | None = None
    heard: tuple[str, ...] = ()


@dataclass(frozen=True)
class FirstVote:
    """What a debater held before the debate could move it."""

    holds: str
    confidence: float | None


@dataclass(frozen=True)
class RoundHeld:
    """A round as a report shows it."""

    number: int
    statements: tuple[Statement, ...]
    missing: tuple[str, ...]
    moderation: Moderation | None
    assessment: Assessment


@dataclass(frozen=True)
class PanelDebate:
    """The debate so far. `first` are the first votes, `first_heard` and `heard` the bills of before and since."""

    rounds: tuple[RoundTaken, ...] = ()
    held: tuple[RoundHeld, ...] = ()
    points: tuple[Finding, ...] = ()
    ledger: tuple[Stance, ...] = ()
    unwritten: tuple[Stance, ...] = ()
    first: Mapping[str, FirstVote] = field(default_factory=dict)
    first_heard: tuple[TurnResult, ...] = ()
    heard: tuple[TurnResult, ...] = ()
    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    warnings: tuple[Notice, ...] = ()
    refused: bool = False

    @property
    def statements(self) -> tuple[Statement, ...]:
        """Everything that was said, in order."""
        return tuple(one for held in self.held for one in held.statements)

    @property
    def latest(self) -> dict[str, Statement]:
        """Everybody's last statement."""
        return {one.participant: one for one in self.statements}

    @property
    def holds(self) -> dict[str, str]:
        """Whose position is which, as last stated."""
        last = {name: vote.holds for name, vote in self.first.items()}
        return last | {name: one.holds for name, one in self.latest.items()}

    @property
    def assessment(self) -> Assessment | None:
        """The last round's figures."""
        return self.held[-1].assessment if self.held else None

    @property
    def feedback(self) -> Moderation | None:
        """What the moderator said last."""
        return self.held[-1].moderation if self.held else None

    @property
    def candidates(self) -> tuple[Finding, ...]:
        """All positions, those given up among them: a secret vote may go back to one."""
        return tuple(one for one in self.points if one.category == POSITION)

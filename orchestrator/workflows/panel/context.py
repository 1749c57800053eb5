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
from orchestrator.workflows.panel.result import HeldPosition, PanelRound, PanelStatement
from orchestrator.workflows.panel.strategies import PanelStrategy, strategy_named
from shared.models.assessment import Assessment
from shared.models.findings import Finding, Severity, Stance
from shared.models.notices import Notice
from shared.models.outcomes import Ending
from shared.models.panel import Participant
from shared.models.planning import Moderation
from shared.models.run import RulesVersion, RunSpec

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
        """Those who debate: participants that follow rules hold no position."""
        return tuple(critic for critic in self.spec.panel.critics if not critic.rule_based)

    @property
    def judge(self) -> Participant:
        """The one who gives the verdict and takes no part in the debate."""
        return self.spec.panel.chair

    @property
    def moderator(self) -> Participant | None:
        """The one who gives a second opinion after each round, if anybody does."""
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
        """How rounds are judged: what is debated are answers that are voted on, not defects of a severity."""
        return ConvergenceRule(
            thresholds=self.options.thresholds,
            quorum=self.options.quorum,
            rules=RulesVersion.ORIGINAL,
        )

    def labels(self, reader: str) -> dict[str, str]:
        """Letters to debaters, in an order of that reader's own."""
        return shuffled_labels(self.spec.seed, reader, [debater.name for debater in self.debaters])


@dataclass(frozen=True)
class PanelDebate:
    """The debate so far: its rounds, and what was `taken` of them and of the opening vote for the detectors.

    `first` are the first votes, `first_turns` and `turns` the bills of before and since. `unwritten` are the ledger's
    lines that no record holds yet.
    """

    rounds: tuple[PanelRound, ...] = ()
    taken: tuple[RoundTaken, ...] = ()
    points: tuple[Finding, ...] = ()
    ledger: tuple[Stance, ...] = ()
    unwritten: tuple[Stance, ...] = ()
    first: Mapping[str, HeldPosition] = field(default_factory=dict)
    first_turns: tuple[TurnResult, ...] = ()
    turns: tuple[TurnResult, ...] = ()
    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    warnings: tuple[Notice, ...] = ()
    refused: bool = False

    @property
    def statements(self) -> tuple[PanelStatement, ...]:
        """Everything that was said, in order."""
        return tuple(statement for past in self.rounds for statement in past.statements)

    @property
    def latest(self) -> dict[str, PanelStatement]:
        """Everybody's last statement."""
        return {statement.participant: statement for statement in self.statements}

    @property
    def holds(self) -> dict[str, str]:
        """The position that each holds, as last stated."""
        first = {name: vote.position for name, vote in self.first.items()}
        return first | {name: statement.holds for name, statement in self.latest.items()}

    @property
    def assessment(self) -> Assessment | None:
        """The last round's figures."""
        return self.rounds[-1].assessment if self.rounds else None

    @property
    def ending(self) -> Ending | None:
        """How the rounds ended."""
        return None if self.assessment is None else self.assessment.ending

    @property
    def feedback(self) -> Moderation | None:
        """What the moderator said last."""
        return self.rounds[-1].moderation if self.rounds else None

    @property
    def candidates(self) -> tuple[Finding, ...]:
        """All positions, those given up among them: a secret vote may go back to one."""
        return tuple(point for point in self.points if point.category == POSITION)

    @property
    def candidate_ids(self) -> list[str]:
        """Their ids."""
        return [candidate.id for candidate in self.candidates]

    def point(self, identity: str | None) -> Finding | None:
        """The point of that id."""
        return next((point for point in self.points if point.id == identity), None)

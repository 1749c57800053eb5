"""What a plan run knows: its context, the versions of the plan, and what was said about each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from orchestrator.core.consensus.convergence import ConvergenceRule
from orchestrator.core.discussion.cycles import finding_prefix, step_key
from orchestrator.core.discussion.labels import shuffled_labels
from orchestrator.core.discussion.loop import History
from orchestrator.core.discussion.strategies import Strategies, Strategy
from orchestrator.core.discussion.turn_results import TurnResult
from orchestrator.workflows.plan.options import PlanOptions
from orchestrator.workflows.plan.prompts import PlanPrompts
from shared.models.decision import DecisionAnswer
from shared.models.notices import Notice
from shared.models.panel import Participant
from shared.models.planning import PlanSynthesis
from shared.models.run import RunSpec


@dataclass(frozen=True)
class PlanContext:
    """One task or plan, debated by one panel. `document` gives a stored text by its hash."""

    spec: RunSpec
    options: PlanOptions
    strategy: Strategy
    strategies: Strategies
    prompts: PlanPrompts
    document: Callable[[str], str] = field(compare=False, repr=False)

    @property
    def planner(self) -> Participant:
        """Who plans and defends."""
        return self.spec.panel.author

    @property
    def critics(self) -> tuple[Participant, ...]:
        """Who challenges: participants that follow rules read changes and no plans."""
        return tuple(one for one in self.spec.panel.critics if not one.rule_based)

    @property
    def rule(self) -> ConvergenceRule:
        """How rounds are judged."""
        return ConvergenceRule.of(self.options)

    @property
    def rounds(self) -> int:
        """The last round's number."""
        return max(self.options.rounds, self.strategy.fewest_rounds)

    def labels(self, version: int, reader: str) -> dict[str, str]:
        """Letters to critics, in an order of that reader's own."""
        names = [one.name for one in self.critics]
        return shuffled_labels(self.spec.seed, f"{version}/{reader}", names)


@dataclass(frozen=True)
class PlanVersion:
    """The plan as it stood; `by` is None for the one that was given."""

    number: int
    text: str
    by: str | None
    assumptions: tuple[str, ...] = ()
    answers: tuple[Mapping[str, str], ...] = ()

    def key(self, *parts: object) -> str:
        """A step's name, unique in the run."""
        return step_key("plan", self.number, *parts)

    @property
    def prefix(self) -> str:
        """What makes this version's findings unique in the run."""
        return finding_prefix(self.number)

    def label(self, finding: str) -> str:
        """A finding's name in the whole run."""
        return self.prefix + finding


@dataclass(frozen=True)
class DebatedVersion:
    """What came of one version of the plan."""

    plan: PlanVersion
    history: History
    synthesis: PlanSynthesis
    synthesised_by: str
    answer: DecisionAnswer | None = None
    heard: tuple[TurnResult, ...] = ()
    warnings: tuple[Notice, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)

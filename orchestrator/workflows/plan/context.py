"""What a plan run knows: its context, the versions of the plan, and what was said about each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from orchestrator.core.consensus.convergence import ConvergenceRule
from orchestrator.core.discussion.cycles import Cycle
from orchestrator.core.discussion.labels import shuffled_labels
from orchestrator.core.discussion.loop import History
from orchestrator.core.discussion.strategies import Strategies, Strategy
from orchestrator.core.discussion.synthesis import Synthesised
from orchestrator.core.discussion.turn_results import TurnResult
from orchestrator.workflows.plan.choices import ACCEPT, REVISE
from orchestrator.workflows.plan.options import PlanOptions
from orchestrator.workflows.plan.prompts import PlanPrompts
from shared.models.decision import DecisionAnswer
from shared.models.findings import Finding
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
        """The participant that plans and defends."""
        return self.spec.panel.author

    @property
    def critics(self) -> tuple[Participant, ...]:
        """Those that challenge: participants that follow rules read changes, not plans."""
        return tuple(critic for critic in self.spec.panel.critics if not critic.rule_based)

    @property
    def rule(self) -> ConvergenceRule:
        """How rounds are judged."""
        return ConvergenceRule.of(self.options, self.spec.rules_version)

    @property
    def rounds(self) -> int:
        """The last round's number."""
        return max(self.options.rounds, self.strategy.fewest_rounds)

    def labels(self, version: int, reader: str) -> dict[str, str]:
        """Letters to critics, in an order of that reader's own."""
        names = [critic.name for critic in self.critics]
        return shuffled_labels(self.spec.seed, f"{version}/{reader}", names)


@dataclass(frozen=True)
class PlanVersion:
    """The plan as it stood; `by` is None for the one that was given."""

    number: int
    text: str
    by: str | None
    assumptions: tuple[str, ...] = ()
    answers: tuple[Mapping[str, str], ...] = ()

    @property
    def cycle(self) -> Cycle:
        """What makes the names of its steps and findings unique in the run."""
        return Cycle("plan", self.number)


@dataclass(frozen=True)
class DebatedVersion:
    """What came of one version of the plan; `undecided` says why nobody was asked about it."""

    plan: PlanVersion
    history: History
    synthesis: Synthesised[PlanSynthesis]
    answer: DecisionAnswer | None = None
    undecided: tuple[Notice, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The objections under their names in the whole run."""
        return tuple(map(self.plan.cycle.labelled, self.history.findings))

    @property
    def turns(self) -> tuple[TurnResult, ...]:
        """What the debate and its synthesis cost."""
        return (*self.history.blind, *self.history.debate, *self.synthesis.turns)

    @property
    def warnings(self) -> tuple[Notice, ...]:
        """What a reader must know."""
        contradictions = self.history.contradictions(self.plan.cycle)
        return (
            *self.history.warnings,
            *contradictions,
            *self.synthesis.warnings,
            *self.undecided,
        )

    @property
    def is_accepted(self) -> bool:
        """Whether somebody accepted it."""
        return self.answer is not None and self.answer.choice == ACCEPT

    @property
    def wants_revision(self) -> bool:
        """Whether somebody asked for another version."""
        return self.answer is not None and self.answer.choice == REVISE

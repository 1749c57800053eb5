"""What a forum run knows, and what has happened in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from orchestrator.core.consensus.convergence import ConvergenceRule
from orchestrator.core.discussion.turn_results import TurnResult
from orchestrator.workflows.forum.options import ForumOptions
from orchestrator.workflows.forum.prompts import ForumPrompts, NumberedSpeech
from orchestrator.workflows.forum.result import FloorRound
from shared.models.deliberation import Opening
from shared.models.notices import Notice
from shared.models.outcomes import FailureKind
from shared.models.panel import Participant
from shared.models.run import RunSpec

SHORTEST_TURN_S = 30.0
CLOSING_TURN_S = 120.0


class StopReason(StrEnum):
    """Why the rounds ended."""

    CONCLUDED = "concluded"
    ALL_PASSED = "all_passed"
    MAX_ROUNDS = "max_rounds"
    TIMEOUT = "timeout"
    LOOPING = "looping"
    OSCILLATING = "oscillating"
    NOBODY_THERE = "nobody_there"
    OVER_BUDGET = "over_budget"
    DEADLINE = "deadline"


@dataclass(frozen=True)
class ForumContext:
    """One question to one panel. `document` gives a stored text by its hash."""

    spec: RunSpec
    options: ForumOptions
    prompts: ForumPrompts
    document: Callable[[str], str] = field(compare=False, repr=False)

    @property
    def participants(self) -> tuple[Participant, ...]:
        """Those who may ask for the floor."""
        return self.spec.panel.critics

    @property
    def orchestrator(self) -> Participant:
        """The one who gives the floor."""
        return self.spec.panel.chair

    @property
    def quorum(self) -> int:
        """How many must take a position."""
        return ConvergenceRule(quorum=self.options.quorum).quorum_of(len(self.participants))


@dataclass(frozen=True)
class Talk:
    """The discussion so far; `stop` once it is over, `conclusion` when the orchestrator ended it with one.

    `openings` are the positions of those who committed to one, `blind` is what asking for them cost. In `deaf_rounds`
    rounds in a row the orchestrator did not answer.
    """

    openings: Mapping[str, Opening] = field(default_factory=dict)
    blind: tuple[TurnResult, ...] = ()
    rounds: tuple[FloorRound, ...] = ()
    stop: StopReason | None = None
    conclusion: str | None = None
    conclusion_reason: str = ""
    deaf_rounds: int = 0
    turns: tuple[TurnResult, ...] = ()
    warnings: tuple[Notice, ...] = ()

    @property
    def speeches(self) -> tuple[NumberedSpeech, ...]:
        """All speeches, without the gaps."""
        spoken = ((floor_round.selected or "", floor_round.speech) for floor_round in self.rounds)
        texts = [(name, speech) for name, speech in spoken if speech is not None]
        return tuple(NumberedSpeech(at, name, text) for at, (name, text) in enumerate(texts, 1))

    @property
    def present(self) -> int:
        """How many were last there to answer."""
        return self.rounds[-1].present if self.rounds else len(self.openings)

    @property
    def elapsed_s(self) -> float:
        """Seconds from the run's start to the last recorded result."""
        return max((turn.result.elapsed_s for turn in (*self.blind, *self.turns)), default=0.0)

    def with_turns(self, *turns: TurnResult) -> Talk:
        """The same with more results counted; over when one of them was refused for good."""
        stop = refused(turns) or self.stop
        return replace(self, turns=(*self.turns, *turns), stop=stop)

    def with_round(self, floor_round: FloorRound) -> Talk:
        """The same with the round written down."""
        return replace(self, rounds=(*self.rounds, floor_round))

    def warned(self, *warnings: Notice) -> Talk:
        """The same with more that a reader must know."""
        return replace(self, warnings=(*self.warnings, *warnings))

    def stopped(self, stop: StopReason) -> Talk:
        """The same, over."""
        return replace(self, stop=stop)


def refused(turns: Iterable[TurnResult]) -> StopReason | None:
    """Why nothing more will be worked on, when that is so."""
    kinds = {turn.failure.kind for turn in turns if turn.failure is not None}
    if FailureKind.OVER_BUDGET in kinds:
        return StopReason.OVER_BUDGET
    return StopReason.DEADLINE if FailureKind.DEADLINE in kinds else None


def shorter(*limits: float | None) -> float | None:
    """The smallest of the limits; None is none."""
    return min((limit for limit in limits if limit is not None), default=None)


def time_left(context: ForumContext, talk: Talk) -> float | None:
    """Seconds for the next turn: what is left of the timeout, and always enough to say something."""
    if context.options.timeout_s is None:
        return None
    return max(SHORTEST_TURN_S, context.options.timeout_s - talk.elapsed_s)


def within(participant: Participant, limit_s: float | None) -> Participant:
    """The participant with no more time for its turn than that."""
    if limit_s is None or participant.timeout_s <= limit_s:
        return participant
    return participant.model_copy(update={"timeout_s": limit_s})

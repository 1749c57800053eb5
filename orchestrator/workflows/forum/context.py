"""What a forum run knows, and what has happened in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from orchestrator.core.discussion.turn_results import TurnResult
from orchestrator.workflows.forum.floor import FloorChoice, FloorRequest
from orchestrator.workflows.forum.options import ForumOptions
from orchestrator.workflows.forum.prompts import ForumPrompts
from shared.models.deliberation import Opening
from shared.models.notices import Notice
from shared.models.outcomes import FailureKind
from shared.models.panel import Participant
from shared.models.run import RunSpec
from shared.models.steps import StepResult

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
        """Who may ask for the floor."""
        return self.spec.panel.critics

    @property
    def orchestrator(self) -> Participant:
        """Who gives the floor."""
        return self.spec.panel.chair


@dataclass(frozen=True)
class FloorSpeech:
    """A speech; `text` is None where the speaker had the floor and nothing came."""

    round: int
    participant: str
    text: str | None


@dataclass(frozen=True)
class ForumRound:
    """One round: who asked for the floor, who got it, what was said.

    `reminded` says that the round began with a reminder that nobody had asked before.
    """

    number: int
    asked: tuple[FloorRequest, ...]
    choice: FloorChoice | None = None
    said: FloorSpeech | None = None
    reminded: bool = False

    @property
    def quiet(self) -> bool:
        """Nobody asked for the floor."""
        return not any(one.asks for one in self.asked)


@dataclass(frozen=True)
class Talk:
    """The discussion so far; `stop` once it is over, `conclusion` when the orchestrator ended it with one.

    `openings` are the positions of those who committed to one, `blind` is what asking for them cost.
    """

    openings: Mapping[str, Opening] = field(default_factory=dict)
    blind: tuple[TurnResult, ...] = ()
    exchanges: tuple[ForumRound, ...] = ()
    stop: StopReason | None = None
    conclusion: str | None = None
    conclusion_reason: str = ""
    deaf_rounds: int = 0
    heard: tuple[TurnResult, ...] = ()
    warnings: tuple[Notice, ...] = ()

    @property
    def speeches(self) -> tuple[FloorSpeech, ...]:
        """Everything that was said, gaps left out."""
        said = (one.said for one in self.exchanges)
        return tuple(one for one in said if one is not None and one.text is not None)

    @property
    def present(self) -> int:
        """How many were last there to answer."""
        if not self.exchanges:
            return len(self.openings)
        return sum(one.missing is None for one in self.exchanges[-1].asked)

    @property
    def elapsed_s(self) -> float:
        """Seconds from the run's start to the last recorded result."""
        return max((one.result.elapsed_s for one in (*self.blind, *self.heard)), default=0.0)

    def hearing(self, spoken: Sequence[tuple[Participant, StepResult]]) -> Talk:
        """The same with more results counted."""
        more = tuple(TurnResult(speaker.name, result) for speaker, result in spoken)
        return replace(self, heard=(*self.heard, *more))

    def warned(self, *warnings: Notice) -> Talk:
        """The same with more that a reader must know."""
        return replace(self, warnings=(*self.warnings, *warnings))

    def stopped(self, stop: StopReason) -> Talk:
        """The same, over."""
        return replace(self, stop=stop)


def refused(results: Sequence[StepResult]) -> StopReason | None:
    """Why nothing more will be worked on, when that is so."""
    kinds = {result.failure.kind for result in results if result.failure is not None}
    if FailureKind.OVER_BUDGET in kinds:
        return StopReason.OVER_BUDGET
    if FailureKind.DEADLINE in kinds:
        return StopReason.DEADLINE
    return None


def shorter(one: float | None, other: float | None) -> float | None:
    """The smaller of two limits; None is none."""
    return min((limit for limit in (one, other) if limit is not None), default=None)


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

"""Turns and their results: who answered, whether anything more can be asked, and what was consumed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from pydantic import BaseModel

from orchestrator.core.replay.commands import Effect, Turn, together
from orchestrator.core.results import RunSpending, TurnSpending
from shared.models.notices import Notice, notice, of_column, verbatim
from shared.models.outcomes import FailureKind
from shared.models.steps import Failure, StepResult

# After these no further call of the run is worked on.
_FINAL = frozenset({FailureKind.OVER_BUDGET, FailureKind.DEADLINE, FailureKind.CANCELLED})

ReplyT = TypeVar("ReplyT", bound=BaseModel)


@dataclass(frozen=True)
class TurnResult:
    """A step's result and who it came from."""

    participant: str
    result: StepResult

    @property
    def failure(self) -> Failure | None:
        """Why there is no reply."""
        return self.result.failure


def take_turns(turns: Iterable[Turn]) -> Effect[tuple[TurnResult, ...]]:
    """Ask all of them at once; the results with whose they are."""
    asked = tuple(turns)
    results = yield from together(asked)
    return tuple(
        TurnResult(turn.participant.name, result)
        for turn, result in zip(asked, results, strict=True)
    )


def take_turn(turn: Turn) -> Effect[TurnResult]:
    """Ask one."""
    (result,) = yield from take_turns((turn,))
    return result


def replies(turns: Iterable[TurnResult], model: type[ReplyT]) -> dict[str, ReplyT]:
    """What those who answered said, by their names."""
    return {
        turn.participant: model.model_validate(turn.result.reply)
        for turn in turns
        if turn.result.reply is not None
    }


def absences(turns: Sequence[TurnResult], where: Notice) -> tuple[Notice, ...]:
    """A notice of everybody who did not answer, with the reason; `where` is like "round 2"."""
    answered = sum(turn.result.failure is None for turn in turns)
    return tuple(
        notice(
            "absent_in",
            who=turn.participant,
            where=where,
            answered=answered,
            asked=len(turns),
            why=why_failed(turn.result.failure),
        )
        for turn in turns
        if turn.result.failure is not None
    )


def in_round(number: int) -> Notice:
    """ "Round 2", as the place of what happened."""
    return notice("in_round", round=number)


def why_failed(failure: Failure) -> Notice:
    """A failure as the reason of something else."""
    return notice("failure", kind=failure.kind, message=of_column(failure.message))


def failure_notice(failure: Failure) -> Notice:
    """What failed, without its kind."""
    return of_column(failure.message) or verbatim("")


class Fallible(Protocol):
    """A result that may be a failure: of a step, or of a turn."""

    @property
    def failure(self) -> Failure | None:
        """Why there is no reply."""
        ...


def over_budget(results: Iterable[Fallible]) -> bool:
    """True when the budget refused one of the calls."""
    return any(
        result.failure is not None and result.failure.kind is FailureKind.OVER_BUDGET
        for result in results
    )


def refuses_all(result: Fallible) -> bool:
    """True when no further call can bring anything: the budget is used up, or the run's time is over."""
    return result.failure is not None and result.failure.kind in _FINAL


@dataclass
class _Sum:
    turns: int = 0
    failed: int = 0
    tokens: list[int | None] = field(default_factory=list)
    costs: list[float | None] = field(default_factory=list)

    def add(self, result: StepResult) -> None:
        self.turns += 1
        self.failed += result.failure is not None
        # A failure without figures may never have been a call; an answer without figures is an unknown cost.
        if result.failure is None or result.tokens is not None:
            self.tokens.append(result.tokens)
        if result.failure is None or result.cost_usd is not None:
            self.costs.append(result.cost_usd)

    @property
    def spending(self) -> TurnSpending:
        tokens = [count for count in self.tokens if count is not None]
        costs = [cost for cost in self.costs if cost is not None]
        return TurnSpending(
            turns=self.turns,
            failed=self.failed,
            tokens=sum(tokens) if len(tokens) == len(self.tokens) else None,
            cost_usd=sum(costs) if len(costs) == len(self.costs) else None,
        )


def spent(turns: Iterable[TurnResult]) -> RunSpending:
    """The sums of these turns, and those of each participant."""
    total, by = _Sum(), dict[str, _Sum]()
    for turn in turns:
        total.add(turn.result)
        by.setdefault(turn.participant, _Sum()).add(turn.result)
    shares = {name: sums.spending for name, sums in by.items()}
    return RunSpending(**dict(total.spending), by=shares)

"""What a run's steps consumed, by participant, for reports."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from orchestrator.core.results import RunSpending, TurnSpending
from shared.models.steps import StepResult


@dataclass(frozen=True)
class TurnResult:
    """A step's result and who it came from."""

    participant: str
    result: StepResult


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


def spent(heard: Iterable[TurnResult]) -> RunSpending:
    """The sums of these steps, and those of each participant."""
    total, by = _Sum(), dict[str, _Sum]()
    for one in heard:
        total.add(one.result)
        by.setdefault(one.participant, _Sum()).add(one.result)
    shares = {name: sums.spending for name, sums in by.items()}
    return RunSpending(**dict(total.spending), by=shares)

"""What is known before a run begins: calls that its limits or its participants' contexts do not allow.

Only calls that even the shortest course makes are checked: a participant that cannot make its first one takes no
part at all, and the person who submits the run learns so before anybody is paid.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from orchestrator.core.discussion.estimate import ExpectedCall, Price
from shared.models.panel import Participant
from shared.models.run import Budget


class Limit(StrEnum):
    """What a call would exceed."""

    MONEY = "money"
    PRICE = "price"
    TOKENS = "tokens"
    CONTEXT = "context"


@dataclass(frozen=True)
class ForbiddenCall:
    """A call that cannot be made: it may take `need` (dollars or tokens), and `allowed` is less."""

    participant: Participant
    limit: Limit
    need: float = 0.0
    allowed: float = 0.0


def obstacles(
    calls: Iterable[ExpectedCall], budget: Budget, price: Price
) -> tuple[ForbiddenCall, ...]:
    """One for each participant that cannot make its largest certain call, and whose fallbacks cannot either."""
    largest: dict[str, ExpectedCall] = {}
    for call in calls:
        known = largest.get(call.participant.name)
        if call.certain and (known is None or call.input_tokens > known.input_tokens):
            largest[call.participant.name] = call
    return tuple(
        obstacle for call in largest.values() if (obstacle := _obstacle(call, budget, price))
    )


def shortfall(calls: Iterable[ExpectedCall], budget: Budget, price: Price) -> float | None:
    """The dollars that the certain calls may cost together, where the limit is less; None where it is enough."""
    if budget.max_usd is None:
        return None
    costs = (
        price(call.participant, call.input_tokens, call.participant.max_output_tokens)
        for call in calls
        if call.certain
    )
    total = sum(cost or 0.0 for cost in costs)
    return total if total > budget.max_usd else None


def too_few_calls(calls: Iterable[ExpectedCall], budget: Budget) -> int | None:
    """How many calls are made at least, where fewer are allowed; None where they suffice."""
    needed = sum(call.certain for call in calls)
    return needed if budget.max_calls is not None and budget.max_calls < needed else None


def _obstacle(call: ExpectedCall, budget: Budget, price: Price) -> ForbiddenCall | None:
    speakers = (call.participant, *call.participant.fallback)
    each = [
        next(_obstacles(speaker, call.input_tokens, budget, price), None) for speaker in speakers
    ]
    return None if None in each else each[0]


def _obstacles(
    speaker: Participant, input_tokens: int, budget: Budget, price: Price
) -> Iterator[ForbiddenCall]:
    tokens = input_tokens + speaker.max_output_tokens
    usd = price(speaker, input_tokens, speaker.max_output_tokens)
    limits: list[tuple[Limit, float | None, float | None]] = [
        (Limit.CONTEXT, tokens, speaker.context_tokens)
    ]
    if usd != 0.0:
        limits += ((Limit.MONEY, usd, budget.max_usd), (Limit.TOKENS, tokens, budget.max_tokens))
    for limit, need, allowed in limits:
        if allowed is None:
            continue
        if need is None:
            yield ForbiddenCall(speaker, Limit.PRICE)
        elif need > allowed:
            yield ForbiddenCall(speaker, limit, need, allowed)

"""What a run will probably cost, before anything is spent: calls, tokens, dollars, each as a range.

The lower end is a discussion that settles as early as one can and that needs no fix, with short answers; the upper end
takes every round, every cycle and long answers. A repaired answer is one call more and in neither. Prices come from
outside (`Price`): where one is unknown the sum leaves it out and says whose it is. Which calls a workflow makes, the
workflow says (`WorkflowType.expected`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from shared.models.panel import Participant

Price = Callable[[Participant, int, int], float | None]
"""Dollars for a call of a participant with so many input and output tokens; None when nobody knows."""

INSTEAD = "instead"
"""The label of a run with the estimate of the larger one that it may save."""
INSTRUCTIONS_TOKENS = 1_000
SHORT_ANSWER_TOKENS = 250
LONG_ANSWER_TOKENS = 1_500


@dataclass(frozen=True)
class Range:
    """From the lower to the upper end, both included; whole numbers stay whole when they are stored."""

    low: int | float
    high: int | float


@dataclass(frozen=True)
class Estimate:
    """`cost_usd` holds the calls whose price is known; it is None when there is no such call.

    `unpriced` names the participants that the sum leaves out.
    """

    calls: Range
    input_tokens: Range
    output_tokens: Range
    cost_usd: Range | None
    unpriced: tuple[str, ...]


@dataclass(frozen=True)
class ExpectedCall:
    """One call. `certain` ones are made in the shortest course too; tokens are those of its longest form."""

    participant: Participant
    role: str
    certain: bool
    input_tokens: int
    output_tokens: int

    @property
    def short(self) -> int:
        """Output tokens of a short answer."""
        return min(SHORT_ANSWER_TOKENS, self.output_tokens)


def estimate(calls: Sequence[ExpectedCall], price: Price) -> Estimate:
    """The estimate of a run that may make those calls."""
    certain = [call for call in calls if call.certain]
    unpriced = {
        call.participant.name
        for call in calls
        if price(call.participant, call.input_tokens, call.output_tokens) is None
    }
    return Estimate(
        calls=Range(len(certain), len(calls)),
        input_tokens=Range(
            sum(call.input_tokens for call in certain), sum(call.input_tokens for call in calls)
        ),
        output_tokens=Range(
            sum(call.short for call in certain), sum(call.output_tokens for call in calls)
        ),
        cost_usd=_cost(calls, price, unpriced),
        unpriced=tuple(sorted(unpriced)),
    )


def summed(estimates: Sequence[Estimate]) -> Estimate:
    """The estimate of all those runs together."""
    costs = [each.cost_usd for each in estimates if each.cost_usd is not None]
    return Estimate(
        calls=_sum(each.calls for each in estimates),
        input_tokens=_sum(each.input_tokens for each in estimates),
        output_tokens=_sum(each.output_tokens for each in estimates),
        cost_usd=_sum(costs) if costs or not estimates else None,
        unpriced=tuple(dict.fromkeys(name for each in estimates for name in each.unpriced)),
    )


def _sum(ranges: Iterable[Range]) -> Range:
    known = tuple(ranges)
    return Range(sum(each.low for each in known), sum(each.high for each in known))


def _cost(calls: Sequence[ExpectedCall], price: Price, unpriced: set[str]) -> Range | None:
    priced = [call for call in calls if call.participant.name not in unpriced]
    if calls and not priced:
        return None
    return Range(
        sum(price(c.participant, c.input_tokens, c.short) or 0.0 for c in priced if c.certain),
        sum(price(c.participant, c.input_tokens, c.output_tokens) or 0.0 for c in priced),
    )


def expected_calls(
    speakers: Iterable[Participant],
    role: str,
    input_tokens: int,
    *,
    certain: bool,
    longest: int = LONG_ANSWER_TOKENS,
) -> Iterator[ExpectedCall]:
    """A call of each speaker; those that follow rules compute, and make none."""
    for speaker in speakers:
        if not speaker.rule_based:
            output_tokens = min(longest, speaker.max_output_tokens)
            yield ExpectedCall(speaker, role, certain, input_tokens, output_tokens)

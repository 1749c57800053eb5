"""What a run will probably cost, before anything is spent: calls, tokens, dollars, each as a range.

The lower end is a discussion that its first round settles and that needs no fix, with short answers; the upper end
takes every round, every cycle and long answers. A repaired answer is one call more and in neither. Prices come from
outside (`Price`): where one is unknown the sum leaves it out and says whose it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from shared.models.panel import Participant, Role
from shared.models.run import ReviewOptions, RunSpec

Price = Callable[[Participant, int, int], float | None]
"""Dollars for a call of a participant with so many input and output tokens; None when nobody knows."""

INSTRUCTIONS_TOKENS = 1_000
SHORT_ANSWER_TOKENS = 250
LONG_ANSWER_TOKENS = 1_500
FINDING_TOKENS = 120
FINDINGS_A_CRITIC = 4


@dataclass(frozen=True)
class Range:
    """From the lower to the upper end, both included."""

    low: float
    high: float


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
    """One call. `certain` ones are made in any case; tokens are those of its longest form."""

    participant: Participant
    role: Role
    certain: bool
    input_tokens: int
    output_tokens: int

    @property
    def short(self) -> int:
        """Output tokens of a short answer."""
        return min(SHORT_ANSWER_TOKENS, self.output_tokens)


def estimate(spec: RunSpec, subject_tokens: int, price: Price) -> Estimate | None:
    """The estimate of a run; None for a workflow whose course nobody can foresee."""
    plan = PLANS.get(spec.workflow)
    if plan is None:
        return None
    calls = tuple(plan(spec, subject_tokens))
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


def _cost(calls: tuple[ExpectedCall, ...], price: Price, unpriced: set[str]) -> Range | None:
    priced = [call for call in calls if call.participant.name not in unpriced]
    if calls and not priced:
        return None
    return Range(
        sum(price(c.participant, c.input_tokens, c.short) or 0.0 for c in priced if c.certain),
        sum(price(c.participant, c.input_tokens, c.output_tokens) or 0.0 for c in priced),
    )


def _review(spec: RunSpec, subject_tokens: int) -> Iterator[ExpectedCall]:
    options = spec.review or ReviewOptions()
    panel = spec.panel
    base = INSTRUCTIONS_TOKENS + subject_tokens
    findings = len(panel.critics) * FINDINGS_A_CRITIC * FINDING_TOKENS
    spoken = 0
    for cycle in range(options.max_reviews):
        for number in range(1, options.rounds + 1):
            odd = number % 2 == 1
            speakers = panel.critics if odd else (panel.author,)
            role = Role.CRITIQUE if odd else Role.REBUTTAL
            for speaker in speakers:
                known = 0 if number == 1 else findings
                certain = cycle == 0 and number == 1
                yield from _call(speaker, role, base + known, certain=certain)
            spoken += len(speakers) * LONG_ANSWER_TOKENS
        certain = cycle == 0
        yield from _call(panel.chair, Role.SYNTHESIS, base + findings + spoken, certain=certain)
        yield from _call(panel.author, Role.FIX, base + findings, certain=False)
        spoken = 0


def _call(
    speaker: Participant, role: Role, input_tokens: int, *, certain: bool
) -> Iterator[ExpectedCall]:
    if speaker.rule_based:
        return
    longest = min(LONG_ANSWER_TOKENS, speaker.max_output_tokens)
    yield ExpectedCall(speaker, role, certain, input_tokens, longest)


PLANS: dict[str, Callable[[RunSpec, int], Iterator[ExpectedCall]]] = {"review": _review}

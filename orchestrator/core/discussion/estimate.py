"""What a run will probably cost, before anything is spent: calls, tokens, dollars, each as a range.

The lower end is a discussion that settles as early as one can and that needs no fix, with short answers; the upper end
takes every round, every cycle and long answers. A repaired answer is one call more and in neither. Prices come from
outside (`Price`): where one is unknown the sum leaves it out and says whose it is. Which calls a workflow makes, the
workflow says (`Course`); the review's course stands here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from orchestrator.core.discussion.portions import WHOLE_TOKENS, room
from shared.git.diff_pieces import PIECE_TOKENS
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


Course = Callable[[RunSpec, int], Iterator[ExpectedCall]]
"""The calls that a run of a workflow may make, from its specification and the tokens of its subject."""


def estimate(
    spec: RunSpec, subject_tokens: int, price: Price, courses: Mapping[str, Course] | None = None
) -> Estimate | None:
    """The estimate of a run; None for a workflow whose course nobody can foresee."""
    course = (COURSES if courses is None else courses).get(spec.workflow)
    if course is None:
        return None
    calls = tuple(course(spec, subject_tokens))
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
    # Of a large change later turns are shown where findings stand, and a reader's room is filled several times.
    places = len(panel.critics) * FINDINGS_A_CRITIC * PIECE_TOKENS
    later = subject_tokens if subject_tokens <= WHOLE_TOKENS else min(subject_tokens, places)
    base = INSTRUCTIONS_TOKENS + later
    findings = len(panel.critics) * FINDINGS_A_CRITIC * FINDING_TOKENS
    spoken = 0
    for cycle in range(options.max_reviews):
        for number in range(1, options.rounds + 1):
            odd = number % 2 == 1
            speakers = panel.critics if odd else (panel.author,)
            role = Role.CRITIQUE if odd else Role.REBUTTAL
            if number > 1:
                yield from expected_calls(speakers, role, base + findings, certain=False)
            else:
                yield from _first_reading(speakers, subject_tokens, certain=cycle == 0)
            spoken += len(speakers) * LONG_ANSWER_TOKENS
        certain = cycle == 0
        said = INSTRUCTIONS_TOKENS + findings + spoken  # the chair is not shown the change
        yield from expected_calls((panel.chair,), Role.SYNTHESIS, said, certain=certain)
        yield from expected_calls((panel.author,), Role.FIX, base + findings, certain=False)
        spoken = 0


def _first_reading(
    critics: Iterable[Participant], subject_tokens: int, *, certain: bool
) -> Iterator[ExpectedCall]:
    for critic in critics:
        at_once = max(min(subject_tokens, room(critic)), 1)
        for _ in range(math.ceil(subject_tokens / at_once)):
            asked = INSTRUCTIONS_TOKENS + at_once
            yield from expected_calls((critic,), Role.CRITIQUE, asked, certain=certain)


def expected_calls(
    speakers: Iterable[Participant],
    role: str,
    input_tokens: int,
    *,
    certain: bool,
    longest: int = LONG_ANSWER_TOKENS,
) -> Iterator[ExpectedCall]:
    """A call of each of the speakers; whoever follows rules computes and is none."""
    for speaker in speakers:
        if not speaker.rule_based:
            output_tokens = min(longest, speaker.max_output_tokens)
            yield ExpectedCall(speaker, role, certain, input_tokens, output_tokens)


COURSES: Mapping[str, Course] = {"review": _review}

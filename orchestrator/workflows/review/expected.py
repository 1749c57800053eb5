"""The calls that a review may take: readings, rounds, synthesis and a fix, for each review."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from orchestrator.core.discussion.estimate import (
    INSTRUCTIONS_TOKENS,
    LONG_ANSWER_TOKENS,
    ExpectedCall,
    expected_calls,
)
from orchestrator.core.discussion.portions import WHOLE_TOKENS, room
from orchestrator.core.discussion.strategies import Speaker, strategy_named
from orchestrator.workflows.review.options import ReviewOptions
from orchestrator.workflows.review.roles import ReviewRole
from orchestrator.workflows.review.strategies import STRATEGIES
from shared.git.diff_pieces import PIECE_TOKENS
from shared.models.run import RunSpec

FINDING_TOKENS = 120
FINDINGS_A_CRITIC = 4


def expected(spec: RunSpec, subject_tokens: int) -> Iterator[ExpectedCall]:
    """The shortest course is one review in which nobody raises anything."""
    options, panel = ReviewOptions.model_validate(spec.options), spec.panel
    strategy = strategy_named(STRATEGIES, options.strategy, "review")
    # Of a large change later turns are shown where findings stand, and a reader's room is filled several times.
    places = len(panel.critics) * FINDINGS_A_CRITIC * PIECE_TOKENS
    later = subject_tokens if subject_tokens <= WHOLE_TOKENS else min(subject_tokens, places)
    base = INSTRUCTIONS_TOKENS + later
    findings = len(panel.critics) * FINDINGS_A_CRITIC * FINDING_TOKENS
    for cycle in range(options.max_reviews):
        first, said = cycle == 0, 0
        for number in range(1, options.rounds + 1):
            speakers = strategy.cast(number).speakers(panel.critics, panel.author)
            said += len(speakers) * LONG_ANSWER_TOKENS
            if number == 1:
                yield from _first_reading(speakers, subject_tokens, certain=first)
                continue
            for speaker in speakers:
                yield from expected_calls(
                    (speaker.participant,), speaker.role.name, base + findings, certain=False
                )
        told = INSTRUCTIONS_TOKENS + findings + said  # the chair is not shown the change
        yield from expected_calls((panel.chair,), ReviewRole.SYNTHESIS, told, certain=first)
        yield from expected_calls((panel.author,), ReviewRole.FIX, base + findings, certain=False)


def _first_reading(
    speakers: Iterable[Speaker], subject_tokens: int, *, certain: bool
) -> Iterator[ExpectedCall]:
    for speaker in speakers:
        at_once = max(min(subject_tokens, room(speaker.participant)), 1)
        for _ in range(math.ceil(subject_tokens / at_once)):
            yield from expected_calls(
                (speaker.participant,),
                speaker.role.name,
                INSTRUCTIONS_TOKENS + at_once,
                certain=certain,
            )

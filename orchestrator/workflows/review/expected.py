"""The calls that a review may take: its rounds, the synthesis and the fix, and the same again for a fix."""

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
from orchestrator.workflows.review.options import ReviewOptions
from shared.git.diff_pieces import PIECE_TOKENS
from shared.models.panel import Participant, Role
from shared.models.run import RunSpec

FINDING_TOKENS = 120
FINDINGS_A_CRITIC = 4


def expected(spec: RunSpec, subject_tokens: int) -> Iterator[ExpectedCall]:
    """The shortest course is one round on which everybody agrees."""
    options = ReviewOptions.model_validate(spec.options)
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

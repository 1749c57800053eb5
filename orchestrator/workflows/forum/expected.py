"""The calls that a forum may take: openings, rounds of requests, selection and speech, the conclusion, ballots."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.core.discussion.estimate import (
    INSTRUCTIONS_TOKENS,
    LONG_ANSWER_TOKENS,
    SHORT_ANSWER_TOKENS,
    ExpectedCall,
    expected_calls,
)
from orchestrator.workflows.forum.options import ForumOptions
from orchestrator.workflows.forum.roles import ForumRole
from shared.models.run import RunSpec

BID_TOKENS = 100


def expected(spec: RunSpec, subject_tokens: int) -> Iterator[ExpectedCall]:
    """The shortest course is one speech, after which the orchestrator concludes."""
    options, everybody = ForumOptions.model_validate(spec.options), spec.panel.critics
    chair, short = (spec.panel.chair,), SHORT_ANSWER_TOKENS
    said = INSTRUCTIONS_TOKENS + subject_tokens
    if options.blind_opening:
        yield from expected_calls(everybody, ForumRole.BALLOT, said, certain=True, longest=short)
    for number in range(1, options.max_rounds + 1):
        asked, first = number <= 2, number == 1
        yield from expected_calls(everybody, ForumRole.BID, said, certain=asked, longest=BID_TOKENS)
        yield from expected_calls(chair, ForumRole.SELECTION, said, certain=asked, longest=short)
        # Who speaks is not known; the first one's price stands for everybody's.
        yield from expected_calls(everybody[:1], ForumRole.SPEECH, said, certain=first)
        said += LONG_ANSWER_TOKENS
    asked = options.max_rounds == 1
    yield from expected_calls(chair, ForumRole.SYNTHESIS, said, certain=asked)
    if options.ballot:
        yield from expected_calls(everybody, ForumRole.BALLOT, said, certain=True, longest=short)

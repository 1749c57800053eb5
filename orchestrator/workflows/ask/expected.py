"""The calls that an `ask` will make; nothing but its options and failures changes them."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.core.discussion.estimate import (
    INSTRUCTIONS_TOKENS,
    LONG_ANSWER_TOKENS,
    ExpectedCall,
    expected_calls,
)
from orchestrator.workflows.ask.options import AskOptions
from orchestrator.workflows.ask.ranking import FEWEST_ANSWERS
from orchestrator.workflows.ask.roles import AskRole
from shared.models.run import RunSpec


def expected(spec: RunSpec, subject_tokens: int) -> Iterator[ExpectedCall]:
    """Everybody answers; then the rankings and the synthesis, where they are wanted."""
    options, everybody = AskOptions.model_validate(spec.options), spec.panel.critics
    asked = INSTRUCTIONS_TOKENS + subject_tokens
    answers = len(everybody) * LONG_ANSWER_TOKENS
    yield from expected_calls(everybody, AskRole.ANSWER, asked, certain=True)
    if options.ranking and len(everybody) >= FEWEST_ANSWERS:
        others = asked + answers - LONG_ANSWER_TOKENS
        yield from expected_calls(everybody, AskRole.RANKING, others, certain=True)
    if options.synthesis and len(everybody) > 1:
        yield from expected_calls(
            (spec.panel.chair,), AskRole.SYNTHESIS, asked + answers, certain=True
        )

"""The calls that a debate may take: opening votes, rounds with their moderation, ballots, the judge."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.core.discussion.estimate import (
    INSTRUCTIONS_TOKENS,
    LONG_ANSWER_TOKENS,
    SHORT_ANSWER_TOKENS,
    ExpectedCall,
    expected_calls,
)
from orchestrator.workflows.panel.options import PanelOptions
from orchestrator.workflows.panel.roles import PanelRole
from orchestrator.workflows.panel.strategies import strategy_named
from shared.models.run import RunSpec


def expected(spec: RunSpec, subject_tokens: int) -> Iterator[ExpectedCall]:
    """The shortest course is a debate whose first round agrees, and a second one where nobody has confirmed that."""
    options, panel = PanelOptions.model_validate(spec.options), spec.panel
    strategy = strategy_named(options.strategy)
    debaters = [one for one in panel.critics if not one.rule_based]
    moderators = [options.moderator] if options.moderator and strategy.moderated else []
    said = INSTRUCTIONS_TOKENS + subject_tokens
    opens = strategy.opening and options.opening_vote
    if opens:
        short = SHORT_ANSWER_TOKENS
        yield from expected_calls(debaters, PanelRole.BALLOT, said, certain=True, longest=short)
    confirmed = bool(moderators) or opens
    for number in range(1, strategy.rounds(options.max_rounds) + 1):
        certain = number == 1 or (number == 2 and not confirmed)
        yield from expected_calls(debaters, PanelRole.ARGUMENT, said, certain=certain)
        said += len(debaters) * LONG_ANSWER_TOKENS
        yield from expected_calls(moderators, PanelRole.MODERATION, said, certain=certain)
    if strategy.ballot and options.ballot:
        yield from expected_calls(
            debaters, PanelRole.BALLOT, said, certain=True, longest=SHORT_ANSWER_TOKENS
        )
    yield from expected_calls((panel.chair,), PanelRole.JUDGEMENT, said, certain=True)

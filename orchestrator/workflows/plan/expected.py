"""The calls that a plan may take: the rounds of every version, its synthesis, and the revisions between them."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.core.discussion.estimate import (
    INSTRUCTIONS_TOKENS,
    LONG_ANSWER_TOKENS,
    ExpectedCall,
    expected_calls,
)
from orchestrator.core.discussion.strategies import strategy_named
from orchestrator.workflows.plan.options import PlanOptions
from orchestrator.workflows.plan.roles import PlanRole
from orchestrator.workflows.plan.strategies import STRATEGIES
from shared.models.run import RunSpec


def expected(spec: RunSpec, subject_tokens: int) -> Iterator[ExpectedCall]:
    """The shortest course is one version to which nobody objects."""
    options, panel = PlanOptions.model_validate(spec.options), spec.panel
    strategy = strategy_named(STRATEGIES, options.strategy, "plan")
    critics = [critic for critic in panel.critics if not critic.rule_based]
    base = INSTRUCTIONS_TOKENS + subject_tokens
    for version in range(1, options.max_revisions + 2):
        first = version == 1
        if not (first and options.given):
            yield from expected_calls((panel.author,), PlanRole.PLAN, base, certain=first)
        said = base + LONG_ANSWER_TOKENS
        for number in range(1, max(options.rounds, strategy.fewest_rounds) + 1):
            certain = first and number <= strategy.fewest_rounds
            speakers = strategy.cast(number).speakers(critics, panel.author)
            for speaker in speakers:
                yield from expected_calls(
                    (speaker.participant,), speaker.role.name, said, certain=certain
                )
            said += len(speakers) * LONG_ANSWER_TOKENS
        yield from expected_calls((panel.chair,), PlanRole.SYNTHESIS, said, certain=first)

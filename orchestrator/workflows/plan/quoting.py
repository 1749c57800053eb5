"""What may be quoted in the debate of a plan: the plan, the task, the files given along, and what others said."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.core.discussion.receipt import Sources
from orchestrator.core.discussion.rounds import RoundTaken, ever_absent
from orchestrator.core.discussion.said import Said
from orchestrator.core.findings.quotations import GivenTexts
from orchestrator.workflows.plan.context import PlanContext, PlanVersion


def sources(
    context: PlanContext, plan: PlanVersion, said: Sequence[Said], rounds: Sequence[RoundTaken]
) -> Sources:
    """The texts, and whose are missing."""
    texts: dict[str, list[str]] = {}
    for one in said:
        texts.setdefault(one.participant, []).append(one.text)
    given = GivenTexts.of(context.prompts.question, context.document, plan.text)
    return Sources(given.hold, texts, ever_absent(rounds))

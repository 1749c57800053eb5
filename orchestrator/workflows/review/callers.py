"""Who calls what the change touches, looked up once before models read it; without it the review goes on."""

from __future__ import annotations

from dataclasses import replace

from orchestrator.core.discussion.turn_results import failure_notice
from orchestrator.core.replay.commands import Effect, ToolRun, single
from orchestrator.workflows.review.context import ReviewContext
from orchestrator.workflows.review.prompts import CALLERS_TOKENS
from shared.models.code_answers import CallersEvidence
from shared.models.notices import Notice, notice
from shared.tools.graph_cards import CallersInput

MOST_S = 60.0


def with_callers(context: ReviewContext) -> Effect[tuple[ReviewContext, tuple[Notice, ...]]]:
    """The review with what its critics are shown of callers and tests, and what a reader must know of that.

    Nothing is looked up where nobody but rules reads the change, or where it is of no repository.
    """
    reads = any(not critic.rule_based for critic in context.spec.panel.critics)
    if context.version < 3 or not (context.options.callers and reads):
        return context, ()
    if context.subject.origin.repository is None:
        return context, ()
    result = yield from single(
        ToolRun(
            key=context.cycle.key("callers"),
            tool="graph.callers",
            participant="callers",
            role="callers",
            round=0,
            reply_model="graph.callers",
            inputs=lambda: CallersInput(subject=context.subject_hash, tokens=CALLERS_TOKENS),
            timeout_s=MOST_S,
        )
    )
    if result.failure is not None:
        return context, (notice("review_callers_unknown", why=failure_notice(result.failure)),)
    document = CallersEvidence.model_validate(result.reply).document
    return replace(context, prompts=replace(context.prompts, callers=document)), ()

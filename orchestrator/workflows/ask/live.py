"""How an ask run is followed: its answers side by side."""

from __future__ import annotations

from orchestrator.core.lines import Line, Span, Style, block, line
from orchestrator.core.views.context import shortened, took_s
from orchestrator.core.views.live import (
    INDENT,
    SHORT,
    LiveView,
    RenderContext,
    Reply,
    Station,
    because,
    begins_with,
    note,
    stated,
)
from orchestrator.workflows.ask.roles import AskRole
from shared.models.rows import StepRow


def _answer(step: StepRow, reply: Reply, context: RenderContext) -> list[Line]:
    sentence = context.message("answered", who=step.participant, what="", s=took_s(step) or 0.0)
    sure = Span(stated(reply, context), Style.DIM)
    summary = line(Span("✓ ", Style.GOOD), sentence, sure, note(step, context))
    if context.live:
        return [summary]
    return [summary, *block(shortened(str(reply.get("answer") or ""), SHORT), indent=INDENT)]


def _ranking(step: StepRow, reply: Reply, context: RenderContext) -> list[Line]:
    sentence = context.message("ranking_came", who=step.participant)
    return [line(sentence, Span(because(reply), Style.DIM), note(step, context))]


LIVE = LiveView(
    begins={
        AskRole.ANSWER: begins_with("asks_answers"),
        AskRole.RANKING: begins_with("asks_rankings"),
    },
    ends={AskRole.ANSWER: _answer, AskRole.RANKING: _ranking},
    lone=frozenset({AskRole.ANSWER}),
    columns=AskRole.ANSWER,
    course=(
        Station(("Asking",), (AskRole.ANSWER,)),
        Station(("Ranking",), (AskRole.RANKING,)),
        Station(("Synthesizing",), (AskRole.SYNTHESIS,)),
    ),
)

"""How a panel is followed: arguments in full, the moderator's score, votes and the verdict."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.core.lines import Line, Span, Style, block, line
from orchestrator.core.views.context import shortened
from orchestrator.core.views.live import (
    INDENT,
    SHORT,
    LiveView,
    RenderContext,
    Reply,
    Station,
    ballot,
    ballots_begin,
    because,
    begins_with,
    headed,
    position,
    stated,
)
from orchestrator.workflows.panel.roles import PanelRole
from shared.models.rows import StepRow


def _round_begins(group: Sequence[StepRow], names: str, context: RenderContext) -> list[Line]:
    """Where they speak one after another, the next one does not stand for all of them."""
    number, role = group[0].round, context.role(group[0].role)
    if len(group) == 1:
        return headed(context.message("round_opens", n=number, role=role))
    return headed(context.message("round_starts", n=number, role=role, who=names))


def _argument(step: StepRow, reply: Reply, context: RenderContext) -> list[Line]:
    argument = block(str(reply.get("argument") or ""), indent=INDENT)
    return [position(step, reply, context), *argument]


def _moderation(step: StepRow, reply: Reply, context: RenderContext) -> list[Line]:
    score = reply.get("consensus_score")
    score_text = (
        context.message("no_score")
        if score is None
        else context.message("consensus_score", score=score)
    )
    sentence = context.message("moderation_came", who=step.participant, what=score_text)
    return [line(Span(sentence, Style.STRONG), Span(because(reply, "feedback"), Style.DIM))]


def _judgement(step: StepRow, reply: Reply, context: RenderContext) -> list[Line]:
    verdict = shortened(str(reply.get("verdict") or "-"), SHORT)
    sentence = context.message("judgement_came", who=step.participant, what=verdict)
    return [line(Span(sentence, Style.STRONG), Span(stated(reply, context), Style.DIM))]


LIVE = LiveView(
    begins={
        PanelRole.ARGUMENT: _round_begins,
        PanelRole.BALLOT: ballots_begin,
        PanelRole.JUDGEMENT: begins_with("asks_judgement"),
    },
    ends={
        PanelRole.ARGUMENT: _argument,
        PanelRole.MODERATION: _moderation,
        PanelRole.BALLOT: ballot,
        PanelRole.JUDGEMENT: _judgement,
    },
    silent=frozenset({PanelRole.MODERATION}),
    course=(
        Station(("Debating", "Initializing"), (PanelRole.ARGUMENT,)),
        Station(("Moderating",), (PanelRole.MODERATION,)),
        Station(("Judging",), (PanelRole.JUDGEMENT,)),
        Station(("Voting",), (PanelRole.BALLOT,)),
    ),
)

"""How a forum is followed: who asks for the floor, who gets it, and what they say."""

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
    answered,
    ballot,
    ballots_begin,
    headed,
    note,
)
from orchestrator.workflows.forum.result import BY_RULE, FloorRound
from orchestrator.workflows.forum.roles import ForumRole
from orchestrator.workflows.forum.rounds import bid_of, rounds_of_steps
from shared.models.rows import StepRow


def _floor_is_open(group: Sequence[StepRow], _who: str, context: RenderContext) -> list[Line]:
    number = group[0].round
    counted = (
        context.message("round_n", n=number)
        if context.most_rounds is None
        else context.message("round_of", n=number, most=context.most_rounds)
    )
    asked = Span(f"[O] {context.message('asks_floor')}", Style.STRONG)
    opened = line(asked, Span(f" {counted}", Style.DIM))
    return [line(""), opened] if context.live else [opened]


def _given_the_floor(group: Sequence[StepRow], _who: str, context: RenderContext) -> list[Line]:
    step = group[0]
    floor_round = _round(step.round, context)
    how = f" ({context.message('by_rule')})" if floor_round.selected_by == BY_RULE else ""
    why = (
        f" — {shortened(floor_round.orchestrator_said, SHORT)}"
        if floor_round.orchestrator_said
        else ""
    )
    chosen = Span(context.message("selects", who=step.participant), context.voice(step))
    return [line(INDENT, chosen, Span(f"{how}{why}", Style.DIM))]


def _round(number: int, context: RenderContext) -> FloorRound:
    return next(
        floor_round
        for floor_round in rounds_of_steps(context.steps)
        if floor_round.number == number
    )


def _concluding(group: Sequence[StepRow], names: str, context: RenderContext) -> list[Line]:
    del group
    return headed(f"[O] {context.message('asks_conclusion', who=names)}")


def _bid(step: StepRow, _reply: Reply, _context: RenderContext) -> list[Line]:
    bid = bid_of(step)
    why = f" ({shortened(bid.reason, SHORT)})" if bid.reason else ""
    return [line(f"{INDENT}{bid.participant} {bid.sign}", Span(why, Style.DIM))]


def _all_bids(number: int, context: RenderContext) -> list[Line]:
    """`Claude: ✋  Gemini: ✋  Codex: 💤`"""
    floor_round = _round(number, context)
    lines = [line(INDENT, floor_round.signs)]
    if not floor_round.asking:
        lines.append(line(INDENT, Span(context.message("nobody_asks"), Style.DIM)))
    return lines


def _selection(_step: StepRow, reply: Reply, context: RenderContext) -> list[Line]:
    """The speaker is announced when it speaks; only an end is announced here."""
    if reply.get("action") != "END":
        return []
    head = headed(f"[O] {context.message('ends_forum')}")
    return [*head, *block(str(reply.get("conclusion") or ""), indent=INDENT)]


def _speech(step: StepRow, reply: Reply, context: RenderContext) -> list[Line]:
    head = line(Span(f"[{step.participant}] 🎤", context.voice(step)), note(step, context))
    speech = block(str(reply.get("speech") or ""), indent="" if context.live else INDENT)
    return [line(""), head, *speech] if context.live else [head, *speech]


def _conclusion(step: StepRow, reply: Reply, context: RenderContext) -> list[Line]:
    if "conclusion" not in reply:
        return answered(step, reply, context)
    head = headed(f"[O] {step.participant}:")
    return [*head, *block(str(reply["conclusion"]), indent=INDENT)]


def _signs(steps: Sequence[StepRow]) -> str:
    return rounds_of_steps(steps)[-1].signs


LIVE = LiveView(
    begins={
        ForumRole.BID: _floor_is_open,
        ForumRole.SPEECH: _given_the_floor,
        ForumRole.BALLOT: ballots_begin,
        ForumRole.SYNTHESIS: _concluding,
    },
    ends={
        ForumRole.BID: _bid,
        ForumRole.SELECTION: _selection,
        ForumRole.SPEECH: _speech,
        ForumRole.SYNTHESIS: _conclusion,
        ForumRole.BALLOT: ballot,
    },
    failures={ForumRole.SPEECH: "no_speech"},
    silent=frozenset({ForumRole.SELECTION}),
    announced=frozenset({ForumRole.SPEECH}),
    gathered={ForumRole.BID: _all_bids},
    command="ask --forum",
    spotlight=ForumRole.SPEECH,
    signs=(ForumRole.BID, _signs),
    course=(
        Station(
            ("RequestingFloor", "Committing", "Selecting", "Speaking"),
            (ForumRole.BID, ForumRole.SELECTION, ForumRole.SPEECH),
        ),
        Station(("Voting",), (ForumRole.BALLOT,)),
        Station(("Concluding",), (ForumRole.SYNTHESIS,)),
    ),
)

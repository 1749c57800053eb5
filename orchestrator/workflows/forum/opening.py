"""Before the first round everybody commits to a position that nobody else ever sees: what the debate is measured by."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from orchestrator.core.discussion.turn_results import absences, take_turns
from orchestrator.core.replay.commands import Effect, Turn, phase
from orchestrator.workflows.forum.context import (
    ForumContext,
    Talk,
    refused,
    shorter,
    time_left,
    within,
)
from orchestrator.workflows.forum.roles import ForumRole
from shared.models.deliberation import Opening
from shared.models.notices import notice

REPLY_MODEL = "opening.forum"


def commit(context: ForumContext, talk: Talk) -> Effect[Talk]:
    """One short turn each, all at once. Who does not answer is named, and takes part all the same."""
    yield from phase("Committing")
    limit_s = shorter(context.options.bid_timeout_s, time_left(context, talk))
    turns = yield from take_turns(
        Turn(
            key=f"opening/{speaker.name}",
            participant=within(speaker, limit_s),
            role=ForumRole.BALLOT,
            round=0,
            reply_model=REPLY_MODEL,
            prompt=partial(context.prompts.opening, speaker),
        )
        for speaker in context.participants
    )
    return replace(
        talk,
        openings={
            turn.participant: Opening.model_validate(turn.result.reply)
            for turn in turns
            if turn.result.reply is not None
        },
        blind=turns,
        stop=refused([turn.result for turn in turns]),
    ).warned(*absences(turns, notice("in_blind_opening")))

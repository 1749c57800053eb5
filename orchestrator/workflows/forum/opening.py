"""Before the first round everybody commits to a position that nobody else ever sees: what the debate is measured by."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from orchestrator.core.discussion.turn_results import absences, turn_results
from orchestrator.core.replay.commands import Effect, Turn, phase, together
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
    results = yield from together(
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
    turns = turn_results(context.participants, results)
    return replace(
        talk,
        openings={
            turn.participant: Opening.model_validate(turn.result.reply)
            for turn in turns
            if turn.result.reply is not None
        },
        blind=turns,
        stop=refused(results),
    ).warned(*absences(turns, notice("in_blind_opening")))

"""Before the first round everybody commits to a position that nobody else ever sees: what the debate is measured by."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from orchestrator.core.discussion.hearing import Spoken, absences
from orchestrator.core.replay.commands import Effect, Turn, phase, together
from orchestrator.workflows.forum.context import (
    ForumContext,
    Talk,
    refused,
    shorter,
    time_left,
    within,
)
from shared.models.deliberation import Opening
from shared.models.panel import Role

REPLY_MODEL = "opening.forum"


def commit(context: ForumContext, talk: Talk) -> Effect[Talk]:
    """One short turn each, all at once. Who does not answer is named, and takes part all the same."""
    yield from phase("Committing")
    limit_s = shorter(context.options.bid_timeout_s, time_left(context, talk))
    results = yield from together(
        Turn(
            key=f"opening/{speaker.name}",
            participant=within(speaker, limit_s),
            role=Role.BALLOT,
            round=0,
            reply_model=REPLY_MODEL,
            prompt=partial(context.prompts.opening, speaker),
        )
        for speaker in context.participants
    )
    spoken = [
        Spoken(speaker, Role.BALLOT, result)
        for speaker, result in zip(context.participants, results, strict=True)
    ]
    return replace(
        talk,
        openings={
            one.speaker.name: Opening.model_validate(one.result.reply)
            for one in spoken
            if one.result.reply is not None
        },
        blind=tuple(one.heard for one in spoken),
        stop=refused(results),
    ).warned(*absences(spoken, "the blind opening"))

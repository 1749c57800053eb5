"""What bounds the turns of a cast in one run: the time that a turn may take, and the context that a model has."""

from __future__ import annotations

from orchestrator.participants.casting import Cast
from shared.models.panel import Participant
from shared.providers.prices import context_window

LARGE_BYTES = 10_000


def with_turn_timeout(cast: Cast, turn_s: float | None) -> Cast:
    """The cast with no more time for a turn than that; a person's time is the person's own setting."""
    if turn_s is None:
        return cast

    def limited(participant: Participant) -> Participant:
        if participant.is_person or participant.timeout_s <= turn_s:
            return participant
        return participant.model_copy(update={"timeout_s": turn_s})

    return cast.changed(limited)


def with_context_windows(cast: Cast, size: int) -> Cast:
    """The cast with each model's context, where the subject (`size` bytes with its files) might not fit into one."""
    if size < LARGE_BYTES:
        return cast

    def informed(participant: Participant) -> Participant:
        known = participant.context_tokens or context_window(participant)
        fallback = tuple(informed(other) for other in participant.fallback)
        return participant.model_copy(update={"context_tokens": known, "fallback": fallback})

    return cast.changed(informed)

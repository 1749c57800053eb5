"""Discussions that go round in circles: speeches that bring back what their speakers said before."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.core.consensus.repetition import repeats
from orchestrator.core.discussion.rounds import Contribution
from orchestrator.workflows.forum.context import FloorSpeech
from shared.models.assessment import Recommendation
from shared.models.panel import Role

FEWEST = 2


def circling(speeches: Sequence[FloorSpeech]) -> Recommendation:
    """`looping` when the latest speeches only repeat, `oscillating` when one goes back behind the last; or `continue`

    It takes as many stale speeches in a row as there have been speakers, and two at least.
    """
    needed = max(FEWEST, len({one.participant for one in speeches}))
    there_and_back = False
    for index in range(len(speeches) - 1, len(speeches) - 1 - needed, -1):
        kind = _stale(speeches, index) if index >= 0 else None
        if kind is None:
            return Recommendation.CONTINUE
        there_and_back |= kind is Recommendation.OSCILLATING
    return Recommendation.OSCILLATING if there_and_back else Recommendation.LOOPING


def _stale(speeches: Sequence[FloorSpeech], index: int) -> Recommendation | None:
    now = contribution(speeches[index])
    earlier = [
        contribution(one)
        for one in speeches[:index]
        if one.participant == speeches[index].participant
    ]
    if earlier and repeats(earlier[-1], now):
        return Recommendation.LOOPING
    if any(repeats(one, now) for one in earlier[:-1]):
        return Recommendation.OSCILLATING
    return None


def contribution(said: FloorSpeech) -> Contribution:
    """A speech, or the gap where one should have been, as the detectors see it."""
    return Contribution(
        said.participant, Role.SPEECH.value, said.text or "", answered=said.text is not None
    )

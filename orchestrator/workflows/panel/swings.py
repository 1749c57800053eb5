"""Whether a debater may have gone there and back again in a turn that is missing.

Votes settle no oscillation (`ending.py`). The turn that swung may be the one that nobody has, so a position on both
sides of a gap is not known to have stood still: what is missing must not make an oscillation into an agreement.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from orchestrator.core.discussion.rounds import RoundTaken, turns_by_voice
from orchestrator.core.findings.stances import VALUES
from shared.models.findings import Position, Stance

Trail = Sequence[float | None]  # positions in the order of the turns; None: that turn is missing


def may_have_swung(
    rounds: Sequence[RoundTaken], ledger: Iterable[Stance]
) -> tuple[tuple[str, str], ...]:
    """Debaters and points whose last three positions would be A, B, A, had a missing turn said so."""
    said: dict[tuple[str, str, int], Position] = {}
    for line in ledger:
        if line.position in VALUES:
            said[line.participant, line.finding, line.round] = line.position
    points = sorted({point for _, point, _ in said})
    found = []
    for (name, _), turns in turns_by_voice(rounds).items():
        for point in points:
            trail: list[float | None] = []
            for turn in turns:
                position = said.get((name, point, turn.round))
                if position is not None or not turn.contribution.answered:
                    trail.append(None if position is None else VALUES[position])
            if None in trail and any(map(_there_and_back, _last_three(trail))):
                found.append((name, point))
    return tuple(found)


def _last_three(trail: Trail) -> Iterable[tuple[float | None, ...]]:
    """What the last three positions may have been: a missing turn said something, or nothing on this point."""
    for first, middle, last in combinations(range(len(trail)), 3):
        passed_over = {*range(first, len(trail))} - {first, middle, last}
        if all(trail[one] is None for one in passed_over):
            yield trail[first], trail[middle], trail[last]


def _there_and_back(three: Sequence[float | None]) -> bool:
    first, middle, last = three
    returned = first is None or last is None or first == last
    left = middle is None or middle not in (first, last)
    return returned and left

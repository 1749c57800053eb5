"""Discussions that go round in circles: the same again with nothing settled, or there and back again.

What is missing must not make an oscillation into an agreement: the turn that swung may be the one that nobody has, so a
position on both sides of a gap is not known to have stood still (`position_reversal`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from orchestrator.core.findings.likeness import similarity
from orchestrator.core.findings.stances import RAISING, VALUES
from orchestrator.core.rounds import Contribution, RoundTaken, turns_by_voice
from shared.models.assessment import Recommendation
from shared.models.findings import Position, Stance

NEAR_IDENTICAL = 0.9
FEWEST_STALE = 2

Trail = Sequence[float | None]  # positions in the order of the turns; None: that turn is missing


def repeats(before: Contribution, now: Contribution) -> bool:
    """True when `now` says what `before` said: near-identical text, or the same positions for the same reasons.

    A changed position on a finding is never a repetition, whatever the text around it.
    """
    if not (before.answered and now.answered):
        return False
    positions_before = {stance.finding: stance.position for stance in before.stances}
    positions_now = {stance.finding: stance.position for stance in now.stances}
    if any(
        positions_before.get(finding, position) is not position
        for finding, position in positions_now.items()
    ):
        return False
    if (similarity(before.text, now.text) or 0.0) >= NEAR_IDENTICAL:
        return True
    return positions_before == positions_now and _same_reasons(before, now)


def _same_reasons(before: Contribution, now: Contribution) -> bool:
    earlier = {stance.finding: stance.reason for stance in before.stances}
    return bool(now.stances) and all(
        stance.finding in earlier
        and (similarity(earlier[stance.finding], stance.reason) or 0.0) >= NEAR_IDENTICAL
        for stance in now.stances
    )


def repeating(rounds: Sequence[RoundTaken]) -> bool:
    """True when everybody who answered in the latest round repeats their own last turn in that role."""
    if not rounds:
        return False
    latest = max(rounds, key=lambda taken: taken.number)
    voices = turns_by_voice(rounds)
    answered = [contribution for contribution in latest.contributions if contribution.answered]
    return bool(answered) and all(
        len(turns := voices[contribution.participant, contribution.role]) > 1
        and repeats(turns[-2].contribution, contribution)
        for contribution in answered
    )


def oscillations(ledger: Sequence[Stance]) -> tuple[tuple[str, str], ...]:
    """Participants and findings whose last three positions in one role were A, B, A."""
    trails: dict[tuple[str, str, str], dict[int, Position]] = {}
    for line in sorted(ledger, key=lambda line: (line.round, line.reason != RAISING)):
        if line.position in VALUES:
            trail = trails.setdefault((line.participant, line.role, line.finding), {})
            trail[line.round] = line.position
    return tuple(
        sorted(
            {
                (participant, finding)
                for (participant, _, finding), trail in trails.items()
                if _there_and_back([VALUES[position] for position in trail.values()])
            }
        )
    )


def _there_and_back(values: Sequence[float]) -> bool:
    return len(values) >= 3 and values[-3] == values[-1] != values[-2]


# ---- speeches -----------------------------------------------------------------------------------


def detect_loop(speeches: Sequence[Contribution]) -> Recommendation:
    """`looping` when the latest speeches only repeat, `oscillating` when one goes further back, or `continue`.

    It takes as many stale speeches in a row as there have been speakers, and two at least.
    """
    needed = max(FEWEST_STALE, len({speech.participant for speech in speeches}))
    if len(speeches) < needed:
        return Recommendation.CONTINUE
    kinds = [
        _stale(speeches[: index + 1]) for index in range(len(speeches) - needed, len(speeches))
    ]
    if None in kinds:
        return Recommendation.CONTINUE
    there_and_back = Recommendation.OSCILLATING in kinds
    return Recommendation.OSCILLATING if there_and_back else Recommendation.LOOPING


def _stale(speeches: Sequence[Contribution]) -> Recommendation | None:
    """How the last of these speeches repeats its speaker."""
    *before, now = speeches
    own = [speech for speech in before if speech.participant == now.participant]
    if own and repeats(own[-1], now):
        return Recommendation.LOOPING
    if any(repeats(speech, now) for speech in own[:-1]):
        return Recommendation.OSCILLATING
    return None


# ---- gaps ---------------------------------------------------------------------------------------


def position_reversal(
    rounds: Sequence[RoundTaken], ledger: Iterable[Stance]
) -> tuple[tuple[str, str], ...]:
    """Participants and points whose last three positions are A, B, A, or would be had a missing turn said so."""
    stated = {
        (line.participant, line.finding, line.round): VALUES[line.position]
        for line in ledger
        if line.position in VALUES
    }
    points = sorted({point for _, point, _ in stated})
    return tuple(
        (name, point)
        for (name, _), turns in turns_by_voice(rounds).items()
        for point in points
        if _may_have_reversed(
            [
                position
                for turn in turns
                if (position := stated.get((name, point, turn.round))) is not None
                or not turn.contribution.answered
            ]
        )
    )


def _may_have_reversed(trail: Trail) -> bool:
    return any(map(_possible_reversal, _last_three(trail)))


def _last_three(trail: Trail) -> Iterable[tuple[float | None, ...]]:
    """What the last three positions may have been: a missing turn said something, or nothing on this point."""
    for first, middle, last in combinations(range(len(trail)), 3):
        passed_over = {*range(first, len(trail))} - {first, middle, last}
        if all(trail[index] is None for index in passed_over):
            yield trail[first], trail[middle], trail[last]


def _possible_reversal(three: Sequence[float | None]) -> bool:
    first, middle, last = three
    returned = first is None or last is None or first == last
    left = middle is None or middle not in (first, last)
    return returned and left

"""Discussions that go round in circles: the same again with nothing settled, or there and back again."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.core.discussion.rounds import Contribution, RoundTaken, turns_by_voice
from orchestrator.core.findings.likeness import similarity
from orchestrator.core.findings.stances import RAISING, VALUES
from shared.models.findings import Position, Stance

NEAR_IDENTICAL = 0.9


def repeats(before: Contribution, now: Contribution) -> bool:
    """True when `now` says what `before` said: near-identical text, or the same positions for the same reasons.

    Another position on a finding is never a repetition, whatever the text around it.
    """
    if not (before.answered and now.answered):
        return False
    positions_before = {stance.finding: stance.position for stance in before.stances}
    positions_now = {stance.finding: stance.position for stance in now.stances}
    if any(positions_before.get(one, said) is not said for one, said in positions_now.items()):
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
    spoken = [said for said in latest.contributions if said.answered]
    return bool(spoken) and all(
        len(turns := voices[said.participant, said.role]) > 1
        and repeats(turns[-2].contribution, said)
        for said in spoken
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
                (who, finding)
                for (who, _, finding), trail in trails.items()
                if _there_and_back([VALUES[position] for position in trail.values()])
            }
        )
    )


def _there_and_back(values: Sequence[float]) -> bool:
    return len(values) >= 3 and values[-3] == values[-1] != values[-2]

"""What a discussion looks like to the detectors: rounds of contributions, answered or missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from orchestrator.core.wording import reply_text
from shared.models.findings import Stance, StatedStance
from shared.models.wire import ForeignWire


@dataclass(frozen=True)
class Contribution:
    """What one expected participant brought to a round.

    `answered` is False for every fault: silence, refusal, an unparseable reply, a reply without substance.
    `text` is what it says in sentences, without headings and ids; it and `stances` of an unanswered contribution are
    never read. `reply` are the reply's fields, `stated` is the same as its reply model, `verdict` a critic's own.
    `computes`: it has nothing to say of what others raised.
    """

    participant: str
    role: str
    text: str = ""
    answered: bool = True
    stances: tuple[StatedStance, ...] = ()
    round: int = 0
    reply: Mapping[str, Any] = field(default_factory=dict, compare=False)
    stated: ForeignWire | None = field(default=None, compare=False)
    verdict: str | None = None
    computes: bool = False

    @cached_property
    def full_text(self) -> str:
        """The reply with its headings."""
        return reply_text(self.reply)

    def headed(self, called: str) -> str:
        """The full text under a line that says whose it is."""
        return f"# {called}, {self.role}, round {self.round}\n\n{self.full_text}"


Voice = tuple[str, str]  # participant and role: what may be compared with itself over time


@dataclass(frozen=True)
class RoundTaken:
    """A round that has ended: one contribution for every participant that was asked."""

    number: int
    role: str
    contributions: tuple[Contribution, ...]

    @property
    def answered(self) -> int:
        """How many gave a usable reply."""
        return sum(contribution.answered for contribution in self.contributions)


@dataclass(frozen=True)
class TurnTaken:
    """A contribution and the round it belongs to."""

    round: int
    contribution: Contribution


def joined(contributions: Iterable[Contribution]) -> tuple[Contribution, ...]:
    """One contribution a voice: anyone who took several turns has answered when all of them brought something."""
    whole: dict[Voice, Contribution] = {}
    for part in contributions:
        voice = part.participant, part.role
        whole[voice] = _both(whole[voice], part) if voice in whole else part
    return tuple(whole.values())


def _both(first: Contribution, second: Contribution) -> Contribution:
    if not (first.answered and second.answered):
        return Contribution(first.participant, first.role, answered=False, computes=first.computes)
    text = "\n".join(part.text for part in (first, second) if part.text)
    stances = (*first.stances, *second.stances)
    return Contribution(first.participant, first.role, text, True, stances, computes=first.computes)


def turns_by_voice(rounds: Sequence[RoundTaken]) -> dict[Voice, tuple[TurnTaken, ...]]:
    """Every participant's turns in one role, in the order of the rounds."""
    turns: dict[Voice, list[TurnTaken]] = {}
    for taken in sorted(rounds, key=lambda taken: taken.number):
        for contribution in taken.contributions:
            turns.setdefault((contribution.participant, contribution.role), []).append(
                TurnTaken(taken.number, contribution)
            )
    return {voice: tuple(taken) for voice, taken in turns.items()}


def absent(rounds: Sequence[RoundTaken]) -> tuple[str, ...]:
    """Participants whose latest turn in one of their roles brought nothing, by name."""
    return tuple(
        sorted(
            {
                name
                for (name, _), turns in turns_by_voice(rounds).items()
                if not turns[-1].contribution.answered
            }
        )
    )


def ever_absent(rounds: Sequence[RoundTaken]) -> frozenset[str]:
    """Participants with a turn that brought nothing, whatever they have said since."""
    return frozenset(
        contribution.participant
        for taken in rounds
        for contribution in taken.contributions
        if not contribution.answered
    )


def ledger_of(rounds: Sequence[RoundTaken]) -> tuple[Stance, ...]:
    """The ledger lines that the contributions state in so many words (raising is not among them)."""
    return tuple(
        Stance(
            round=taken.number,
            participant=contribution.participant,
            role=contribution.role,
            finding=stance.finding,
            position=stance.position,
            reason=stance.reason,
            quote=stance.quote,
        )
        for taken in rounds
        for contribution in taken.contributions
        if contribution.answered
        for stance in contribution.stances
    )

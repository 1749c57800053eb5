"""Who speaks in which round, and as what: one row a strategy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from shared.errors import ConfigurationError
from shared.models.panel import Participant, Role


@dataclass(frozen=True)
class Part:
    """A speaker of a round and its role in it."""

    speaker: Participant
    role: Role


Casting = Callable[[Sequence[Participant], Participant], tuple[Part, ...]]  # critics, planner


def challengers(critics: Sequence[Participant], _planner: Participant) -> tuple[Part, ...]:
    """Every critic challenges."""
    return tuple(Part(critic, Role.CHALLENGE) for critic in critics)


def defender(_critics: Sequence[Participant], planner: Participant) -> tuple[Part, ...]:
    """The planner answers."""
    return (Part(planner, Role.DEFENSE),)


def lenses(critics: Sequence[Participant], _planner: Participant) -> tuple[Part, ...]:
    """Risk and innovation by turns; a critic that is alone takes both, one turn each."""
    roles = (Role.RISK, Role.INNOVATION)
    if len(critics) == 1:
        return tuple(Part(critics[0], role) for role in roles)
    return tuple(Part(critic, roles[index % 2]) for index, critic in enumerate(critics))


def cross_reviewers(critics: Sequence[Participant], _planner: Participant) -> tuple[Part, ...]:
    """Every critic reviews what the other lens saw."""
    return tuple(Part(critic, Role.CROSS_REVIEW) for critic in critics)


@dataclass(frozen=True)
class Strategy:
    """`opening` is the first, blind round; `then` follow by turns. No agreement counts before `fewest_rounds`."""

    opening: Casting
    then: tuple[Casting, ...]
    fewest_rounds: int

    def casting(self, number: int) -> Casting:
        """Who speaks in round `number`, counted from 1."""
        return self.opening if number == 1 else self.then[(number - 2) % len(self.then)]


STRATEGIES: dict[str, Strategy] = {
    "debate": Strategy(challengers, then=(defender, challengers), fewest_rounds=1),
    # Its first round is two of the design's three turns: a limit of one or two rounds must not cut off the third.
    "perspectives": Strategy(lenses, then=(cross_reviewers,), fewest_rounds=2),
}


def strategy_named(name: str) -> Strategy:
    """The strategy of that name. Raises ConfigurationError with the known ones."""
    if name not in STRATEGIES:
        known = ", ".join(STRATEGIES)
        raise ConfigurationError(f"A plan has no strategy '{name}' (known: {known}).")
    return STRATEGIES[name]

"""Strategies of a discussion as rows: who speaks in which round, in which role, asked with which words.

A strategy or a lens is one row in its workflow's `strategies.py` and the prompt files that the row names. What its
critics and its author answer is a reply model that the row names, too (`shared.models.replies.REPLY_MODELS`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from shared.errors import ConfigurationError
from shared.models.panel import Participant


@dataclass(frozen=True)
class DiscussionRole:
    """A role of a strategy; the role of a blind opening is a lens.

    `reply` names its reply model, `system`, `first` and `later` name its prompts: who the speaker is, and what it is
    asked in the first round and in later ones. `answers` says that it speaks for what is discussed;
    `reads_other_lenses` that it is shown what was said through the lenses that the speaker did not look through.
    """

    name: str
    reply: str
    system: str
    first: str
    later: str = ""
    answers: bool = False
    reads_other_lenses: bool = False

    def prompt(self, number: int) -> str:
        """The prompt of a round, counted from 1."""
        return self.first if number == 1 or not self.later else self.later


@dataclass(frozen=True)
class Speaker:
    """A participant in a role."""

    participant: Participant
    role: DiscussionRole


@dataclass(frozen=True)
class RoundCast:
    """Who speaks in a round: the critics in these roles in turn, or the one who answers them."""

    roles: tuple[DiscussionRole, ...]

    @classmethod
    def of(cls, *roles: DiscussionRole) -> RoundCast:
        """The cast of a round with these roles."""
        return cls(roles)

    def speakers(self, critics: Sequence[Participant], author: Participant) -> tuple[Speaker, ...]:
        """Every critic has a role and every role a critic: when there are fewer of them, some take several."""
        if self.roles[0].answers:
            return tuple(Speaker(author, role) for role in self.roles)
        turns = max(len(critics), len(self.roles)) if critics else 0
        return tuple(
            Speaker(critics[turn % len(critics)], self.roles[turn % len(self.roles)])
            for turn in range(turns)
        )


@dataclass(frozen=True)
class Strategy:
    """`opening` is the first, blind round; `then` follow by turns.

    No agreement counts before `fewest_rounds`; `awaited` is the code of what was still missing.
    """

    name: str
    opening: RoundCast
    then: tuple[RoundCast, ...]
    fewest_rounds: int = 1
    awaited: str = ""

    def cast(self, number: int) -> RoundCast:
        """Who speaks in round `number`, counted from 1."""
        return self.opening if number == 1 else self.then[(number - 2) % len(self.then)]

    @property
    def roles(self) -> tuple[DiscussionRole, ...]:
        """All roles, each once, in the order of the rounds."""
        casts = (self.opening, *self.then)
        return tuple(dict.fromkeys(role for cast in casts for role in cast.roles))

    @property
    def author_role(self) -> DiscussionRole:
        """The role of the one who speaks for what is discussed."""
        return next(role for role in self.roles if role.answers)

    @property
    def lenses(self) -> tuple[DiscussionRole, ...]:
        """The roles of the blind opening."""
        return self.opening.roles


Strategies = Mapping[str, Strategy]


def by_name(*rows: Strategy) -> Strategies:
    """A registry of strategies."""
    return {row.name: row for row in rows}


def roles_of(strategies: Iterable[Strategy]) -> tuple[DiscussionRole, ...]:
    """The roles of all strategies, each once."""
    return tuple(dict.fromkeys(role for row in strategies for role in row.roles))


def role_names(strategies: Strategies) -> tuple[str, ...]:
    """Their names, each once."""
    return tuple(dict.fromkeys(role.name for role in roles_of(strategies.values())))


def critics_roles(strategies: Strategies) -> tuple[str, ...]:
    """Those in which critics speak."""
    names = (role.name for role in roles_of(strategies.values()) if not role.answers)
    return tuple(dict.fromkeys(names))


def strategy_named(strategies: Strategies, name: str, workflow: str) -> Strategy:
    """The strategy of that name. Raises ConfigurationError with the known ones."""
    if name not in strategies:
        known = ", ".join(strategies)
        raise ConfigurationError(
            "A {workflow} has no strategy '{name}' (known: {known}).",
            workflow=workflow,
            name=name,
            known=known,
        )
    return strategies[name]

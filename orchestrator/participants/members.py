"""Who was asked to take part, as names on the command line or entries of a file, and in which part."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from orchestrator.participants.catalogue import (
    ANALYSERS_GROUP,
    MODELS_GROUP,
    Catalogue,
)
from orchestrator.settings.loading import Configuration
from orchestrator.settings.schema import Settings
from orchestrator.settings.sections import ParticipantEntry
from shared.errors import ConfigurationError
from shared.models.panel import Participant

AUTHOR, CHAIR = "author=", "chair="
REVIEWERS = (MODELS_GROUP, ANALYSERS_GROUP)
SPEAKERS = (MODELS_GROUP,)


@dataclass(frozen=True)
class Wanted:
    """The entries of a panel, and who was asked for by role.

    `typed` says whether names stand on the command line, `chosen` whether anybody named participants at all, and
    `typed_author` and `typed_chair` who was named there for the author's side and the chair.
    """

    entries: tuple[ParticipantEntry, ...]
    author: str | None
    chair: str | None
    chosen: bool
    typed: bool = False
    typed_author: str | None = None
    typed_chair: str | None = None

    @property
    def of_typed_rules(self) -> Wanted:
        """The same without those whom a file names for a part: a panel of rules was typed, and stays one."""
        return replace(self, author=self.typed_author, chair=self.typed_chair)


def wanted_members(
    names: Sequence[str] | None, settings: Settings, default: Sequence[str]
) -> Wanted:
    """Who is wanted: the command line's `names`, else the settings', else the `default` groups.

    `author=NAME` and `chair=NAME` among the names give a role.
    """
    panel, typed_author, typed_chair = settings.panel, None, None
    listed = []
    for name in (part.strip() for given in names or () for part in given.split(",")):
        if name.startswith(AUTHOR):
            typed_author = name.removeprefix(AUTHOR)
        elif name.startswith(CHAIR):
            typed_chair = name.removeprefix(CHAIR)
        elif name:
            listed.append(ParticipantEntry(name=name))
    entries = tuple(listed) or settings.participants
    return Wanted(
        entries or tuple(ParticipantEntry(name=name) for name in default),
        typed_author or panel.author,
        typed_chair or panel.chair or settings.orchestrator.ai,
        chosen=entries is not None,
        typed=bool(listed),
        typed_author=typed_author,
        typed_chair=typed_chair,
    )


def joining_entries(wanted: Wanted, configuration: Configuration) -> tuple[ParticipantEntry, ...]:
    """Those whom the repository's own file adds; nobody, when the panel was typed."""
    by_hand = wanted.typed or "participants" in configuration.typed
    return () if by_hand else configuration.joining


def joining(
    found: Iterable[Participant], present: Collection[Participant], names: Collection[str]
) -> tuple[Participant, ...]:
    """Of those found who is not there yet, under another name or as the same model without a persona."""
    added: dict[str, Participant] = {}
    for one in found:
        again = one.persona is None and any(same_model(one, other) for other in present)
        if one.name not in names and not again and one.provider != "rules":
            added.setdefault(one.name, one)
    return tuple(added.values())


def same_model(one: Participant, other: Participant) -> bool:
    """True when both are one model at one address, whatever they are called here."""
    reached = [(who.provider, who.model, who.tool, who.options) for who in (one, other)]
    return reached[0] == reached[1]


def role_of(
    name: str | None,
    catalogue: Catalogue,
    members: Sequence[Participant],
    part: str,
    *,
    with_rules: bool = False,
) -> Participant | None:
    """Who is named for a part, preferably among the `members`; None when nobody is.

    Raises ConfigurationError for a group, an analyser, or rules where `with_rules` does not allow them.
    """
    if name is None:
        return None
    present = [member for member in members if member.name == name]
    found = present or catalogue.resolve(ParticipantEntry(name=name))
    refused = "analyser" if with_rules else "analyser rules"
    if len(found) != 1 or found[0].provider in refused.split():
        ending = ", or `rules`" if with_rules else ""
        raise ConfigurationError(f"'{name}' cannot {part}: that takes one model{ending}.")
    return found[0]


def check_doubles(members: Sequence[Participant]) -> None:
    """Raise ConfigurationError when two members share a name."""
    seen: set[str] = set()
    for member in members:
        if member.name in seen:
            raise ConfigurationError(
                f"The participant '{member.name}' is named twice. Give one of them a persona, or another name "
                "(scripted:FILE#NAME, or an entry under `providers:`)."
            )
        seen.add(member.name)

"""Who was asked to take part, as names on the command line or entries of a file, and in which part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator.configuration.catalogue import (
    ANALYSERS_GROUP,
    MODELS_GROUP,
    Catalogue,
)
from orchestrator.configuration.schema import ParticipantEntry, Settings
from shared.errors import ConfigurationError
from shared.models.panel import Participant

AUTHOR, CHAIR = "author=", "chair="
REVIEWERS = (MODELS_GROUP, ANALYSERS_GROUP)
SPEAKERS = (MODELS_GROUP,)


@dataclass(frozen=True)
class Wanted:
    """The entries of a panel, and who was asked for by role.

    `typed` says whether names stand on the command line, `chosen` whether anybody named participants at all, and
    `typed_chair` who was named there for the chair.
    """

    entries: tuple[ParticipantEntry, ...]
    author: str | None
    chair: str | None
    chosen: bool
    typed: bool = False
    typed_chair: str | None = None


def wanted_members(
    names: Sequence[str] | None, settings: Settings, default: Sequence[str]
) -> Wanted:
    """Who is wanted: the command line's `names`, else the settings', else the `default` groups.

    `author=NAME` and `chair=NAME` among the names give a role.
    """
    panel, typed_chair = settings.panel, None
    author, listed = panel.author, []
    for name in (part.strip() for given in names or () for part in given.split(",")):
        if name.startswith(AUTHOR):
            author = name.removeprefix(AUTHOR)
        elif name.startswith(CHAIR):
            typed_chair = name.removeprefix(CHAIR)
        elif name:
            listed.append(ParticipantEntry(name=name))
    entries = tuple(listed) or settings.participants
    return Wanted(
        entries or tuple(ParticipantEntry(name=name) for name in default),
        author,
        typed_chair or panel.chair or settings.orchestrator.ai,
        chosen=entries is not None,
        typed=bool(listed),
        typed_chair=typed_chair,
    )


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

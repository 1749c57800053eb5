"""Who was asked to take part, as names on the command line or entries of a file, and for which part."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import filterfalse
from operator import attrgetter
from typing import Any

from pydantic import JsonValue

from orchestrator.core.parts import AUTHOR, CHAIR, PartType, split_names
from orchestrator.participants.catalogue import MODELS_GROUP, Catalogue
from orchestrator.participants.model_choice import is_replaced
from orchestrator.settings.loading import Configuration
from orchestrator.settings.places import presets_folder
from orchestrator.settings.preset_files import load_preset, preset_names
from orchestrator.settings.schema import Settings
from orchestrator.settings.sections import ParticipantEntry
from shared.errors import ConfigurationError
from shared.models.panel import Participant
from shared.providers.catalogue import CATALOGUE

_PANEL, _MODEL = "QUORATE_PANEL", "model"
_ADDRESS = attrgetter("provider", "model", "tool", "options")


@dataclass(frozen=True)
class ParticipantRequest:
    """The entries, and who was named for a part on the command line, by the part's name.

    `typed` says whether participants are named there, `models` are the models of this run where some are (`-m`),
    `chosen` says whether anybody named some at all.
    """

    entries: tuple[ParticipantEntry, ...]
    holders: Mapping[str, str]
    chosen: bool = True
    typed: bool = False
    models: tuple[str, ...] = ()

    def is_by_hand(self, configuration: Configuration) -> bool:
        """Whether whoever takes part was typed: on the command line, in the environment, or as a preset."""
        return self.typed or bool(self.models) or "participants" in configuration.typed


def participant_request(
    names: Sequence[str] | None,
    holders: Mapping[str, str],
    settings: Settings,
    default: Sequence[str],
) -> ParticipantRequest:
    """The command line's `names`, else the settings', else the `default` groups.

    `author=NAME` and `chair=NAME` among the names are for a part, like the `holders` that have an option of their own;
    `model=MODEL` is a model for this run, as `-m` names it.
    """
    typed = split_names(names or ())
    listed = _entries(filterfalse(is_for_part, typed))
    among = [name.partition("=")[::2] for name in filter(is_for_part, typed)]
    parts = {**dict(among), **holders}
    entries = listed or settings.participants
    return ParticipantRequest(
        entries or _entries(default),
        {part: name for part, name in parts.items() if name and part != _MODEL},
        chosen=entries is not None,
        typed=bool(listed),
        models=tuple(name for part, name in among if part == _MODEL),
    )


def _entries(names: Iterable[str]) -> tuple[ParticipantEntry, ...]:
    return tuple(ParticipantEntry(name=name) for name in names)


def with_chosen_models(request: ParticipantRequest, catalogue: Catalogue) -> ParticipantRequest:
    """The request where models were chosen for this run: they join whoever was typed, and replace a file's models."""
    if not catalogue.chosen:
        return request
    entries = [part for entry in request.entries for part in catalogue.expanded(entry)]
    if not request.typed:
        entries = [entry for entry in entries if not is_replaced(entry.name, catalogue)]
    if not any(entry.name.strip() == MODELS_GROUP for entry in entries):
        entries = [ParticipantEntry(name=MODELS_GROUP), *entries]
    return replace(request, entries=tuple(entries), chosen=True)


def without_names(request: ParticipantRequest, names: Collection[str]) -> ParticipantRequest:
    """The request without those names, which take part anyway."""
    entries = tuple(entry for entry in request.entries if entry.name.strip() not in names)
    return replace(request, entries=entries)


def is_for_part(name: str) -> bool:
    """Whether a name among the participants is no panel: `author=NAME` and `chair=NAME` are for a part only."""
    return name.startswith((f"{AUTHOR}=", f"{CHAIR}=", f"{_MODEL}="))


def for_this_run(model: str) -> str:
    """A model of this run (`-m`) as a name among the participants."""
    return f"{_MODEL}={model}"


def joining(
    candidates: Iterable[Participant], present: Collection[Participant], names: Collection[str]
) -> tuple[Participant, ...]:
    """Of the candidates who is not there yet, under another name or as the same model without a persona."""
    added: dict[str, Participant] = {}
    for candidate in candidates:
        again = candidate.persona is None and any(same_model(candidate, old) for old in present)
        if candidate.name not in names and not again and candidate.provider != "rules":
            added.setdefault(candidate.name, candidate)
    return tuple(added.values())


def same_model(first: Participant, second: Participant) -> bool:
    """True when both are one model at one address, whatever they are called here."""
    return _ADDRESS(first) == _ADDRESS(second)


def named_participant(
    name: str, catalogue: Catalogue, members: Sequence[Participant], part: PartType[Any]
) -> Participant:
    """Who is named for a part, preferably among the `members`.

    Raises ConfigurationError for a group, an analyser, rules where they may not do it, and for what does not speak,
    or does, where it takes the other.
    """
    present = [member for member in members if member.name == name]
    meant = present or catalogue.resolve(ParticipantEntry(name=name))
    if len(meant) == 1 and _can_have(meant[0], part):
        return meant[0]
    if part.silent:
        takes = "a participant of `type: embeddings`"
    else:
        takes = "one model, or `rules`" if part.rules else "one model"
    raise ConfigurationError(
        "'{name}' cannot {task}: that takes {takes}.", name=name, task=part.task, takes=takes
    )


def _can_have(participant: Participant, part: PartType[Any]) -> bool:
    refused = ("analyser",) if part.rules else ("analyser", "rules")
    return participant.provider not in refused and is_silent(participant) == part.silent


def is_silent(participant: Participant) -> bool:
    """Whether it makes vectors, and cannot speak."""
    known = CATALOGUE.get(participant.provider)
    return known is not None and not known.speaks


def check_doubles(members: Sequence[Participant]) -> None:
    """Raise ConfigurationError when two members share a name."""
    seen: set[str] = set()
    for member in members:
        if member.name in seen:
            raise ConfigurationError(
                "The participant '{name}' is named twice. Give one of them a persona, or another name "
                "(scripted:FILE#NAME, or an entry under `providers:`).",
                name=member.name,
            )
        seen.add(member.name)


def check_speakers(members: Sequence[Participant]) -> None:
    """Raise ConfigurationError where somebody is to criticise who cannot speak."""
    silent = next(filter(is_silent, members), None)
    if silent is not None:
        raise ConfigurationError(
            "'{name}' makes vectors of texts and cannot speak: it takes part as --embedder "
            "{name} only.",
            name=silent.name,
        )


def promised(names: Sequence[str], environ: Mapping[str, str]) -> dict[str, JsonValue]:
    """The keys that a preset promises which was typed among the participants (`--participants keyless`).

    Naming its members without its promise would leave the author's side and the chair to whatever a file says. The
    variable counts where nobody was named on the command line; a participant named only for a part makes no panel.
    """
    folder = presets_folder(environ)
    typed = set(split_names(names))
    if all(map(is_for_part, typed)):
        typed |= set(split_names((environ.get(_PANEL, ""),)))
    promises: dict[str, JsonValue] = {}
    for name in sorted(typed & {*preset_names(folder)}):
        promises |= _promises_of(load_preset(name, folder).document.tree.get("privacy"))
    return promises


def _promises_of(privacy: object) -> dict[str, JsonValue]:
    """The keys that a preset without models promises: what it forbids, and rules for the parts."""
    if not isinstance(privacy, dict) or privacy.get("allow_models") is not False:
        return {}
    forbidden = {f"privacy.{key}": value for key, value in privacy.items() if value is False}
    return {**forbidden, "panel.author": "rules", "panel.chair": "rules"}

"""Who speaks: personas assigned to the models that there are, and the same model once more under another name."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import filterfalse

from orchestrator.core.findings.verdict import voice_of
from orchestrator.participants.catalogue import MODELS_GROUP, Catalogue
from orchestrator.participants.request import ParticipantRequest
from orchestrator.settings.loading import Configuration
from orchestrator.settings.sections import ParticipantEntry
from shared.errors import ConfigurationError
from shared.models.panel import Participant
from shared.providers.families import plain_name

_JOINT = "-"
_LONGEST = 64


@dataclass(frozen=True)
class PersonaAssignment:
    """A participant, and the `base` that it is made of: without what this run says about it.

    `grouped`: it came with a group, nobody named it.
    """

    participant: Participant
    base: Participant
    grouped: bool = False

    def is_one_of(self, models: Collection[str]) -> bool:
        """Whether it came with a group and is one of the models, by name."""
        return self.grouped and self.base.name in models

    @property
    def name(self) -> str:
        """The participant's name."""
        return self.participant.name


@dataclass(frozen=True)
class Speakers:
    """Who speaks, and who follows rules and therefore does not (by name)."""

    assignments: tuple[PersonaAssignment, ...]
    silent: tuple[str, ...] = ()


def find_speakers(
    request: ParticipantRequest,
    configuration: Configuration,
    catalogue: Catalogue,
    *,
    without: Collection[str] = (),
) -> Speakers:
    """Who speaks in a discussion, in the order of the entries.

    Entries `{name: models, persona: X}` are one speaker a persona, assigned to the models that are found. When a preset
    has such entries and participants without personas were chosen, the preset's personas are assigned to those.
    `without` are models that get no persona while two others are there. Analysers and rules do not answer questions: on
    the command line they are a ConfigurationError, in a file, which serves reviews too, they are left out.
    """
    entries = [part for entry in request.entries for part in catalogue.expanded(entry)]
    plain = list(filterfalse(_is_perspective, entries))
    named = _named_speakers(plain, request, catalogue)
    perspectives = _presets_perspectives(entries, configuration)
    if perspectives:
        pool = _pool([speaker.base for speaker in named.assignments], without)
        return Speakers(assign_personas(perspectives, pool, catalogue), named.silent)
    assigned: tuple[PersonaAssignment, ...] = ()
    if len(plain) < len(entries):
        perspectives = list(filter(_is_perspective, entries))
        assigned = assign_personas(perspectives, _pool(catalogue.models(), without), catalogue)
    everybody = (*assigned, *named.assignments)
    others = (
        *assigned,
        *(speaker for speaker in named.assignments if not speaker.is_one_of(without)),
    )
    return Speakers(others if len(others) >= 2 else everybody, named.silent)


def _presets_perspectives(
    entries: Sequence[ParticipantEntry], configuration: Configuration
) -> list[ParticipantEntry]:
    """The preset's personas, where no chosen participant has one."""
    preset = configuration.preset
    if preset is None or any(entry.persona for entry in entries):
        return []
    return list(filter(_is_perspective, preset.participants))


def assign_personas(
    perspectives: Sequence[ParticipantEntry], pool: Sequence[Participant], catalogue: Catalogue
) -> tuple[PersonaAssignment, ...]:
    """One speaker a persona: different families first, then further models, then models again."""
    if not pool:
        return ()
    order = different_families_first(pool)
    assigned: list[PersonaAssignment] = []
    for number, entry in enumerate(perspectives):
        base = order[number % len(order)]
        participant = catalogue.particular(base, entry, _JOINT)
        name = free_name(participant.name, [speaker.name for speaker in assigned])
        speaker = participant.model_copy(update={"name": name})
        assigned.append(PersonaAssignment(speaker, base, grouped=True))
    return tuple(assigned)


def different_families_first(models: Sequence[Participant]) -> tuple[Participant, ...]:
    """The first of each family, then the second of each, and so on; within that, the given order."""
    turns: list[tuple[int, int]] = []
    met: dict[str, int] = {}
    for number, model in enumerate(models):
        voice = voice_of(model)
        turns.append((met.get(voice, 0), number))
        met[voice] = met.get(voice, 0) + 1
    return tuple(models[number] for _, number in sorted(turns))


def once_more(base: Participant, title: str, taken: Collection[str]) -> PersonaAssignment:
    """The same model under a name that says as what; the persona of another part stays behind."""
    name = free_name(f"{base.name}{_JOINT}{title}", taken)
    return PersonaAssignment(base.model_copy(update={"name": name, "persona": None}), base)


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, or with a number when somebody has it."""
    tried, number = plain_name(name), 1
    while tried in taken:
        number += 1
        ending = f"{_JOINT}{number}"
        tried = plain_name(name)[: _LONGEST - len(ending)] + ending
    return tried


def _is_perspective(entry: ParticipantEntry) -> bool:
    return entry.name.strip() == MODELS_GROUP and entry.persona is not None


def _pool(models: Sequence[Participant], without: Collection[str]) -> Sequence[Participant]:
    others = [model for model in models if model.name not in without]
    return others if len(others) >= 2 else models


def _named_speakers(
    entries: Sequence[ParticipantEntry], request: ParticipantRequest, catalogue: Catalogue
) -> Speakers:
    assignments: list[PersonaAssignment] = []
    silent: list[str] = []
    for entry in entries:
        for base in catalogue.bases(entry):
            if base.rule_based and request.typed:
                raise ConfigurationError(
                    "{name} is rule-based and answers no questions: name models or people. `quorate review` "
                    "is where analysers take part.",
                    name=base.name,
                )
            if base.rule_based:
                silent.append(base.name)
                continue
            grouped = entry.name.strip() == MODELS_GROUP
            assignments.append(PersonaAssignment(catalogue.particular(base, entry), base, grouped))
    return Speakers(tuple(assignments), tuple(silent))

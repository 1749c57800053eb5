"""Seats at a discussion: personas dealt over the models that there are, and further seats of the same model."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from orchestrator.core.findings.verdict import voice_of
from orchestrator.participants.catalogue import MODELS_GROUP, Catalogue
from orchestrator.participants.members import Wanted
from orchestrator.settings.loading import Configuration
from orchestrator.settings.sections import ParticipantEntry
from shared.errors import ConfigurationError
from shared.models.panel import Participant
from shared.providers.families import plain_name

_JOINT = "-"
_LONGEST = 64


@dataclass(frozen=True)
class Seat:
    """Who sits there, and the `base` that it is made of: the participant without what this run says about it.

    `grouped`: it came with a group, nobody named it.
    """

    participant: Participant
    base: Participant
    grouped: bool = False

    @property
    def is_model(self) -> bool:
        """True for what speaks by itself: no person, no rules."""
        return self.participant.is_model


@dataclass(frozen=True)
class Seating:
    """Who speaks, and who follows rules and therefore does not (by name)."""

    seats: tuple[Seat, ...]
    silent: tuple[str, ...] = ()


def seated(
    wanted: Wanted,
    configuration: Configuration,
    catalogue: Catalogue,
    *,
    without: Collection[str] = (),
) -> Seating:
    """The seats of a discussion, in the order of the entries.

    Entries `{name: models, persona: X}` are one seat a persona, dealt over the models that are found. When a preset has
    such entries and participants without personas were chosen, the preset's personas are dealt over those. `without`
    are models that are not dealt to while two others are there. Analysers and rules do not answer questions: on the
    command line they are a ConfigurationError, in a file, which serves reviews too, they are left out.
    """
    entries = tuple(one for entry in wanted.entries for one in catalogue.expanded(entry))
    perspectives = tuple(filter(_is_perspective, entries))
    rest = tuple(entry for entry in entries if not _is_perspective(entry))
    if not any(entry.persona for entry in entries):
        preset = configuration.preset
        perspectives = tuple(filter(_is_perspective, preset.participants if preset else ()))
        if perspectives:
            seating = _speakers(rest, wanted, catalogue)
            pool = [seat.base for seat in seating.seats]
            return Seating(deal(perspectives, _pool(pool, without), catalogue), seating.silent)
    seating = _speakers(rest, wanted, catalogue)
    dealt = (
        deal(perspectives, _pool(catalogue.models(), without), catalogue) if perspectives else ()
    )
    seats = tuple(
        seat for seat in seating.seats if not (seat.grouped and seat.base.name in without)
    )
    kept = seats if len(seats) + len(dealt) >= 2 else seating.seats
    return Seating((*dealt, *kept), seating.silent)


def deal(
    perspectives: Sequence[ParticipantEntry], pool: Sequence[Participant], catalogue: Catalogue
) -> tuple[Seat, ...]:
    """One seat a persona: different families first, then further models, then models again."""
    if not pool:
        return ()
    order = different_families_first(pool)
    seats: list[Seat] = []
    for number, entry in enumerate(perspectives):
        base = order[number % len(order)]
        participant = catalogue.particular(base, entry, _JOINT)
        name = free_name(participant.name, [seat.participant.name for seat in seats])
        seats.append(Seat(participant.model_copy(update={"name": name}), base, grouped=True))
    return tuple(seats)


def different_families_first(models: Sequence[Participant]) -> tuple[Participant, ...]:
    """The first of each family, then the second of each, and so on; within that, the given order."""
    turns: list[tuple[int, int]] = []
    met: dict[str, int] = {}
    for number, model in enumerate(models):
        voice = voice_of(model)
        turns.append((met.get(voice, 0), number))
        met[voice] = met.get(voice, 0) + 1
    return tuple(models[number] for _, number in sorted(turns))


def further_seat(base: Participant, part: str, taken: Collection[str]) -> Participant:
    """The same model once more, under a name that says as what; the persona of another part stays behind."""
    name = free_name(f"{base.name}{_JOINT}{part}", taken)
    return base.model_copy(update={"name": name, "persona": None})


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


def _speakers(entries: Sequence[ParticipantEntry], wanted: Wanted, catalogue: Catalogue) -> Seating:
    seats: list[Seat] = []
    silent: list[str] = []
    for entry in entries:
        for base in catalogue.bases(entry):
            if base.rule_based and wanted.typed:
                raise ConfigurationError(
                    f"{base.name} follows rules and answers no questions: name models or people. "
                    "`quorate review` is where analysers take part."
                )
            if base.rule_based:
                silent.append(base.name)
                continue
            grouped = entry.name.strip() == MODELS_GROUP
            seats.append(Seat(catalogue.particular(base, entry), base, grouped))
    return Seating(tuple(seats), tuple(silent))

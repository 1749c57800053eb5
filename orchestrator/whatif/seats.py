"""Other participants in a fork: somebody else takes a seat from STEP on.

Whoever has spoken in the copied part keeps its name on the seat: stances, letters and stability belong to the seat, and
the journal cannot say two names for one voice. Nobody's earlier words are put into the new participant's mouth: the
run's labels say who sits there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from shared.errors import UserError
from shared.models.panel import Participant, Role
from shared.models.run import RunSpec
from shared.store.runs import JournalRow

# The parts that are held by one participant, by the names that workflows have for them.
_PARTS = {
    "author": "author",
    "planner": "author",
    "chair": "chair",
    "judge": "chair",
    "orchestrator": "chair",
    "moderator": "moderator",
}
_ROLES: dict[str, frozenset[str]] = {
    "author": frozenset({Role.REBUTTAL, Role.FIX, Role.DEFENSE, Role.PLAN}),
    "chair": frozenset({Role.SYNTHESIS, Role.SELECTION, Role.JUDGEMENT}),
    "moderator": frozenset({Role.MODERATION}),
}
_OF_PARTS = frozenset().union(*_ROLES.values())


def seated(
    spec: RunSpec,
    typed: Sequence[str],
    copied: Collection[JournalRow],
    resolve: Callable[[str], Participant],
) -> RunSpec:
    """The specification with `author=NAME`, `chair=NAME`, `OLD=NEW` or a whole list of critics.

    `resolve` gives the participant of a name. Raises UserError for a seat that nobody holds.
    """
    entries = [part.strip() for text in typed for part in text.split(",") if part.strip()]
    content: dict[str, Any] = spec.model_dump(mode="json")
    seats: list[tuple[str, str]] = []
    listed: list[Participant] = []
    for entry in entries:
        seat, separator, name = (part.strip() for part in entry.partition("="))
        if not separator:
            listed.append(resolve(seat))
        elif not seat or not name:
            raise UserError(f"--participants {entry}: expected SEAT=NAME, as in claude=codex")
        else:
            new = resolve(name)
            seats += [_sit(content, spec, one, new, copied) for one in _seats_of(spec, seat)]
    if listed:
        content["panel"]["critics"] = [one.model_dump(mode="json") for one in listed]
    try:
        made = RunSpec.model_validate(content)
    except ValidationError as error:
        message = error.errors(include_input=False, include_url=False)[0]["msg"]
        raise UserError(f"--participants: {message.removeprefix('Value error, ')}") from None
    shown = tuple((seat, who) for seat, who in seats if seat != who)
    if shown:
        labels = {**made.labels, "seats": dict(shown)}
        made = made.model_copy(update={"labels": labels})
    return made


@dataclass(frozen=True)
class _Seat:
    """A seat and who holds it; `part` is None for a critic's."""

    part: str | None
    holder: Participant


def _seats_of(spec: RunSpec, typed: str) -> list[_Seat]:
    """The seat of that part, or every seat that the participant of that name holds. Raises UserError for none."""
    seats = [_Seat(None, critic) for critic in spec.panel.critics]
    seats += [_Seat("author", spec.panel.author), _Seat("chair", spec.panel.chair)]
    options = spec.panel_options
    if options is not None and options.moderator is not None:
        seats.append(_Seat("moderator", options.moderator))
    part = _PARTS.get(typed)
    found = [
        seat
        for seat in seats
        if (seat.part == part if part is not None else seat.holder.name == typed)
    ]
    if not found:
        names = dict.fromkeys((*(seat.holder.name for seat in seats), *_parts(seats)))
        raise UserError(
            f"--participants: the run has no seat {typed!r} (it has {', '.join(names)})"
        )
    return found


def _parts(seats: Sequence[_Seat]) -> list[str]:
    return [seat.part for seat in seats if seat.part is not None]


def _sit(
    content: dict[str, Any],
    spec: RunSpec,
    seat: _Seat,
    new: Participant,
    copied: Collection[JournalRow],
) -> tuple[str, str]:
    """Put `new` on a seat of `content`; the seat's name and who sits there."""
    old = seat.holder
    name = old.name if _has_spoken(old.name, seat.part, copied) else new.name
    taken = new.model_copy(update={"name": name}).model_dump(mode="json")
    if seat.part is None:
        names = [critic.name for critic in spec.panel.critics]
        content["panel"]["critics"][names.index(old.name)] = taken
    elif seat.part == "moderator":
        content["panel_options"]["moderator"] = taken
    else:
        content["panel"][seat.part] = taken
    return name, new.name


def _has_spoken(name: str, part: str | None, copied: Collection[JournalRow]) -> bool:
    own = [row.role for row in copied if row.participant == name]
    return any(role in _ROLES[part] if part else role not in _OF_PARTS for role in own)

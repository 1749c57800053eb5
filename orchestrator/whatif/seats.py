"""Other participants in a fork: somebody else takes a seat from STEP on.

Whoever has spoken in the copied part keeps its name on the seat: stances, letters and stability belong to the seat, and
the journal cannot say two names for one voice. Nobody's earlier words are put into the new participant's mouth: the
run's labels say who sits there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from pydantic import ValidationError

from shared.errors import UserError
from shared.models.panel import Participant, Role
from shared.models.run import CRITIC, RunSpec
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


Seat = tuple[str, Participant]  # as in `RunSpec.seats`: the part, and who holds it


def _seats_of(spec: RunSpec, typed: str) -> list[Seat]:
    """The seat of that part, or every seat that the participant of that name holds. Raises UserError for none."""
    part = _PARTS.get(typed)
    found = [
        (seat, holder)
        for seat, holder in spec.seats
        if (seat == part if part is not None else holder.name == typed)
    ]
    if not found:
        names = [holder.name for _, holder in spec.seats]
        parts = [seat for seat, _ in spec.seats if seat != CRITIC]
        known = ", ".join(dict.fromkeys((*names, *parts)))
        raise UserError(f"--participants: the run has no seat {typed!r} (it has {known})")
    return found


def _sit(
    content: dict[str, Any],
    spec: RunSpec,
    seat: Seat,
    new: Participant,
    copied: Collection[JournalRow],
) -> tuple[str, str]:
    """Put `new` on a seat of `content`; the seat's name and who sits there."""
    part, old = seat
    name = old.name if _has_spoken(old.name, part, copied) else new.name
    taken = new.model_copy(update={"name": name}).model_dump(mode="json")
    if part == CRITIC:
        names = [critic.name for critic in spec.panel.critics]
        content["panel"]["critics"][names.index(old.name)] = taken
    elif part == "moderator":
        content["panel_options"]["moderator"] = taken
    else:
        content["panel"][part] = taken
    return name, new.name


def _has_spoken(name: str, part: str, copied: Collection[JournalRow]) -> bool:
    own = [row.role for row in copied if row.participant == name]
    return any(role not in _OF_PARTS if part == CRITIC else role in _ROLES[part] for role in own)

"""Other participants in a fork: somebody else takes a seat from STEP on.

Whoever has spoken in the copied part keeps its name on the seat: stances, letters and stability belong to the seat, and
the journal cannot say two names for one voice. Nobody's earlier words are put into the new participant's mouth: the
run's labels say who sits there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from pydantic import ValidationError

from orchestrator.workflows.descriptor import PartType
from orchestrator.workflows.registry import WORKFLOWS, checked, workflow_of
from shared.errors import UserError
from shared.models.panel import Participant
from shared.models.run import RunSpec
from shared.store.runs import JournalRow


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
        made = checked(RunSpec.model_validate(content))
    except ValidationError as error:
        message = error.errors(include_input=False, include_url=False)[0]["msg"]
        raise UserError(f"--participants: {message.removeprefix('Value error, ')}") from None
    except ValueError as error:
        raise UserError(f"--participants: {error}") from None
    shown = tuple((seat, who) for seat, who in seats if seat != who)
    if shown:
        labels = {**made.labels, "seats": dict(shown)}
        made = made.model_copy(update={"labels": labels})
    return made


Seat = tuple[PartType[Any], Participant]


def _seats_of(spec: RunSpec, typed: str) -> list[Seat]:
    """The seat of that part, or every seat that the participant of that name holds. Raises UserError for none."""
    parts = [part for workflow in WORKFLOWS.values() for part in workflow.parts if not part.many]
    named = {title: part.name for part in parts for title in (part.name, part.title)}.get(typed)
    seats = workflow_of(spec).parts_of(spec)
    found = [
        (part, holder)
        for part, holder in seats
        if (part.name == named if named is not None else holder.name == typed)
    ]
    if not found:
        names = [holder.name for _, holder in seats]
        singles = [part.name for part, _ in seats if not part.many]
        known = ", ".join(dict.fromkeys((*names, *singles)))
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
    if part.many:
        names = [critic.name for critic in spec.panel.critics]
        content["panel"]["critics"][names.index(old.name)] = taken
    else:
        content["options" if part.in_options else "panel"][part.name] = taken
    return name, new.name


def _has_spoken(name: str, part: PartType[Any], copied: Collection[JournalRow]) -> bool:
    return any(row.participant == name and row.role in part.roles for row in copied)

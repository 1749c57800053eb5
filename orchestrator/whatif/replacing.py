"""Other participants in a fork: somebody else has a part from STEP on.

Whoever has spoken in the copied part keeps its name: stances, letters and stability belong to the name, and the journal
cannot say two names for one voice. Nobody's earlier words are put into the new participant's mouth: the run's labels
say who speaks under which name.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from orchestrator.core.parts import PartType, split_names
from orchestrator.workflows.registry import WORKFLOWS, checked, workflow_of
from shared.errors import UserError
from shared.models.panel import Participant
from shared.models.run import RunSpec
from shared.store.journal import JournalRow

HeldPart = tuple[PartType[Any], Participant]


def replace_participants(
    spec: RunSpec,
    typed: Sequence[str],
    copied: Collection[JournalRow],
    resolve: Callable[[str], Participant],
) -> RunSpec:
    """The specification with `author=NAME`, `chair=NAME`, `OLD=NEW` or a whole list of critics.

    `resolve` gives the participant of a name. Raises UserError for a part or a name that the run does not have.
    """
    entries = split_names(typed)
    pairs = [entry for entry in entries if "=" in entry]
    listed = tuple(resolve(entry) for entry in entries if entry not in pairs)
    made, names = spec, dict[str, str]()
    for seat, name in map(_named, pairs):
        new = resolve(name)
        for part, old in _parts_held(spec, seat):
            kept = old.name if _has_spoken(old.name, part, copied) else new.name
            holder = new.model_copy(update={"name": kept})
            made = _with_holder(made, part, _position(spec, old), holder)
            names[kept] = new.name
    return _labelled(_validated(made.with_panel(critics=listed) if listed else made), names)


def _labelled(spec: RunSpec, names: Mapping[str, str]) -> RunSpec:
    """With a label that says who speaks under another's name."""
    shown = {kept: name for kept, name in names.items() if kept != name}
    return spec.model_copy(update={"labels": {**spec.labels, "seats": shown}}) if shown else spec


def _named(entry: str) -> tuple[str, str]:
    """What is before and after the `=`. Raises UserError when there is nothing."""
    seat, _, name = (part.strip() for part in entry.partition("="))
    if not seat or not name:
        raise UserError(
            "--participants {entry}: expected SEAT=NAME, as in claude=codex", entry=entry
        )
    return seat, name


def _validated(spec: RunSpec) -> RunSpec:
    try:
        return checked(RunSpec.model_validate(spec.model_dump(mode="json")))
    except ValidationError as error:
        message = error.errors(include_input=False, include_url=False)[0]["msg"]
        raise UserError(
            "--participants: {message}", message=message.removeprefix("Value error, ")
        ) from None
    except ValueError as error:
        raise UserError("--participants: {error}", error=error) from None


def _parts_held(spec: RunSpec, typed: str) -> list[HeldPart]:
    """The part of that name, or every part that the participant of that name has. Raises UserError for none."""
    parts = workflow_of(spec).parts_of(spec)
    meant = _part_meant(typed)
    chosen = [
        (part, holder)
        for part, holder in parts
        if (holder.name == typed if meant is None else part.name == meant)
    ]
    if not chosen:
        own = [part.name for part, _ in parts if not part.many]
        known = ", ".join(dict.fromkeys((*(holder.name for _, holder in parts), *own)))
        raise UserError(
            "--participants: the run has no seat {typed!r} (it has {known})",
            typed=typed,
            known=known,
        )
    return chosen


def _part_meant(typed: str) -> str | None:
    """The part that one holds in some workflow, by its name or by what it is called there."""
    parts = (part for workflow in WORKFLOWS.values() for part in workflow.parts)
    names = (part.name for part in parts if not part.many and typed in (part.name, part.title))
    return next(names, None)


def _position(spec: RunSpec, holder: Participant) -> int | None:
    """Where the holder stands among the critics."""
    names = [critic.name for critic in spec.panel.critics]
    return names.index(holder.name) if holder.name in names else None


def _with_holder(
    spec: RunSpec, part: PartType[Any], position: int | None, holder: Participant
) -> RunSpec:
    if part.many:
        critics = spec.panel.critics
        assert position is not None
        return spec.with_panel(critics=(*critics[:position], holder, *critics[position + 1 :]))
    if part.in_options:
        options = {**spec.options, part.name: holder.model_dump(mode="json")}
        return spec.model_copy(update={"options": options})
    return spec.with_panel(**{part.name: holder})


def _has_spoken(name: str, part: PartType[Any], copied: Collection[JournalRow]) -> bool:
    return any(row.participant == name and row.role in part.roles for row in copied)

"""The sections of a discussion's contributions, merged: what was said beside the findings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.results.document import Block, Heading, Item, Items
from orchestrator.presentation.results.reading import Reading
from shared.models.sections import OBJECTIONS, TITLE_CHARS, says_nothing

# Sections whose entries become findings where a critic names none.
_RAISED = frozenset({*OBJECTIONS, "issue_summary"})

# An entry's matter comes before its reasons.
_FIELDS = ("claim", "description", "point", "explanation", "reason", "alternative", "severity")


def feedback(reading: Reading) -> list[Block]:
    """The entries that say something, and are no finding already; nothing without any."""
    found = reading.detail.get("feedback") or {}
    # A stored outcome keeps no order of keys: sections come in that of the catalogue.
    names = Translator().named("section_")
    titles = {_flat(one.title) for one in reading.report.findings}
    entries = tuple(
        Item(" — ".join(parts), reading.say(f"section_{name}"))
        for name in names
        for parts in map(_parts, _listed(found.get(name)))
        if parts
        and not says_nothing(parts[0])
        and not (name in _RAISED and _title(parts) in titles)
    )
    return [Heading(reading.say("feedback")), Items(entries)] if entries else []


def _listed(said: object) -> Iterable[object]:
    return said if isinstance(said, list) else [said]


def _parts(entry: object) -> list[str]:
    values = map(entry.get, _FIELDS) if isinstance(entry, Mapping) else [entry]
    return [str(value) for value in values if value]


def _title(parts: list[str]) -> str:
    """The title of the finding that an entry would have become."""
    return _flat(parts[0][:TITLE_CHARS])


def _flat(text: str) -> str:
    return " ".join(text.split())

"""The sections of a discussion's contributions, merged: what was said besides the findings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pydantic import JsonValue

from orchestrator.core.document import Block, Item
from orchestrator.core.results import FindingsResult
from orchestrator.core.views.context import ResultT, ViewContext, listed
from shared.models.sections import OBJECTIONS, TITLE_CHARS, says_nothing

# Sections whose entries become findings where a critic names none.
_RAISED = frozenset({*OBJECTIONS, "issue_summary"})

# An entry's matter comes before its reasons.
_FIELDS = ("claim", "description", "point", "explanation", "reason", "alternative", "severity")


def feedback(view: ViewContext[ResultT]) -> list[Block]:
    """The entries that say something, and are no finding already; nothing without any."""
    sections = view.result.feedback if isinstance(view.result, FindingsResult) else {}
    titles = {_flat(title) for title in view.facts.titles}
    # A stored outcome keeps no order of keys: sections come in that of the catalogue.
    entries = [
        Item(" — ".join(parts), view.message(f"section_{name}"))
        for name in view.words.named("section_")
        for parts in map(_parts, _entries(sections.get(name)))
        if parts
        and not says_nothing(parts[0])
        and not (name in _RAISED and _title(parts) in titles)
    ]
    return listed(view.message("feedback"), entries)


def _entries(section: JsonValue) -> Iterable[JsonValue]:
    return section if isinstance(section, list) else [section]


def _parts(entry: JsonValue) -> list[str]:
    values = map(entry.get, _FIELDS) if isinstance(entry, Mapping) else [entry]
    return [str(value) for value in values if value]


def _title(parts: list[str]) -> str:
    """The title of the finding that an entry would have become."""
    return _flat(parts[0][:TITLE_CHARS])


def _flat(text: str) -> str:
    return " ".join(text.split())

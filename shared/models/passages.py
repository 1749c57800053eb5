"""Passages of texts: how they are stored, asked for and found. Both sides use them, and the store."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CutPassage:
    """A passage of a document: characters `start` to `stop` (end excluded), and what it is searched by."""

    start: int
    stop: int
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QueryPart:
    """One thing that is asked for: any of `alternatives` will do, and of that one all terms.

    Terms are those of `shared.text.search_terms`; no alternative is empty.
    """

    alternatives: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A passage that has something of what was asked for; `relevance` above 0 to 1."""

    document: str
    start: int
    stop: int
    relevance: float

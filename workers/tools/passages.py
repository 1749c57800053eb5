"""Passages as tools search them: what a worker gives them, and a double that lives in memory.

Both rank in the same way, and `tests/workers/turns/test_passages.py` runs over both.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from shared.models.embeddings import PassageVector, TextPlace
from shared.models.passages import CutPassage, FoundPassage, QueryPart
from shared.text.vectors import cosine, unpacked


class Passages(Protocol):
    """Passages of documents. A tool can add some and search; it can neither change nor remove any."""

    def missing(self, documents: Sequence[str]) -> list[str]:
        """Those of the documents that have no passages yet."""

    def keep(self, document: str, passages: Sequence[CutPassage]) -> None:
        """Store the passages of a document, in their order; those of a document that has some stay as they are."""

    def search(
        self, documents: Sequence[str], query: Sequence[QueryPart], limit: int
    ) -> list[FoundPassage]:
        """At most `limit` passages of `documents` that have something of `query`, the best first, as BM25 orders them.

        Relevance is the weight of the parts that a passage has over the weight of all; a part weighs
        ln(1 + (N - n + 0.5) / (n + 0.5)), where n of the N passages of these documents have it.
        """


class PassageVectors(Protocol):
    """Vectors of passages, of a `space` each: the model that made them."""

    def unembedded(self, documents: Sequence[str], space: str) -> list[TextPlace]:
        """The passages of the documents that have no vector of that space, in their order."""

    def keep_vectors(self, space: str, vectors: Sequence[PassageVector]) -> None:
        """Store them; what is stored stays. Raises ValueError for what is no vector."""

    def near(
        self, documents: Sequence[str], space: str, vector: Sequence[float]
    ) -> list[FoundPassage]:
        """Every passage of the documents that has a vector, the nearest first; its relevance is the cosine."""


class PassageStore(Passages, PassageVectors, Protocol):
    """Both, of the same passages."""


class MemoryPassages:
    """A `PassageStore` that lives as long as its process, for tests and for work without a database."""

    def __init__(self) -> None:
        self._passages: dict[str, list[tuple[CutPassage, frozenset[str]]]] = {}
        self._vectors: dict[tuple[str, str, int, int], tuple[float, ...]] = {}

    def missing(self, documents: Sequence[str]) -> list[str]:
        """Those of the documents that have no passages yet."""
        return [document for document in documents if not self._passages.get(document)]

    def keep(self, document: str, passages: Sequence[CutPassage]) -> None:
        """Store the passages of a document."""
        rows = [(passage, frozenset(passage.terms)) for passage in passages]
        self._passages.setdefault(document, rows)

    def search(
        self, documents: Sequence[str], query: Sequence[QueryPart], limit: int
    ) -> list[FoundPassage]:
        """At most `limit` passages of `documents`, the best first."""
        rows = [
            (document, passage, terms)
            for document in dict.fromkeys(documents)
            for passage, terms in self._passages.get(document, ())
        ]
        relevances = _relevances([terms for *_, terms in rows], query)
        average = sum(len(terms) for *_, terms in rows) / max(1, len(rows))
        ranked = sorted(
            (-_score(relevance, len(rows[place][2]), average), place)
            for place, relevance in relevances.items()
        )
        return [
            FoundPassage(
                rows[place][0], rows[place][1].start, rows[place][1].stop, relevances[place]
            )
            for _, place in ranked[:limit]
        ]

    def unembedded(self, documents: Sequence[str], space: str) -> list[TextPlace]:
        """The passages of the documents that have no vector of that space."""
        return [
            TextPlace(document=document, start=passage.start, stop=passage.stop)
            for document in dict.fromkeys(documents)
            for passage, _ in self._passages.get(document, ())
            if (space, document, passage.start, passage.stop) not in self._vectors
        ]

    def keep_vectors(self, space: str, vectors: Sequence[PassageVector]) -> None:
        """Store them."""
        for each in vectors:
            key = (space, each.document, each.start, each.stop)
            self._vectors.setdefault(key, unpacked(each.vector))

    def near(
        self, documents: Sequence[str], space: str, vector: Sequence[float]
    ) -> list[FoundPassage]:
        """Every passage of the documents that has a vector, the nearest first."""
        return nearest_first(
            [
                FoundPassage(document, start, stop, cosine(known, vector))
                for (owner, document, start, stop), known in self._vectors.items()
                if owner == space and document in documents and len(known) == len(vector)
            ],
            documents,
        )


def nearest_first(passages: Sequence[FoundPassage], documents: Sequence[str]) -> list[FoundPassage]:
    """By their nearness; of equal ones those of earlier documents first, then earlier ones."""
    order = {document: place for place, document in enumerate(documents)}
    return sorted(
        (replace(each, relevance=round(each.relevance, 6)) for each in passages),
        key=lambda each: (-each.relevance, order[each.document], each.start),
    )


def _relevances(rows: Sequence[frozenset[str]], query: Sequence[QueryPart]) -> dict[int, float]:
    """The relevance of each row that has something of the query, by its place."""
    hits = [{n for n, part in enumerate(query) if _has(terms, part)} for terms in rows]
    weights = [_weight(len(rows), sum(n in hit for hit in hits)) for n in range(len(query))]
    whole = sum(weights)
    return {
        place: round(sum(weights[n] for n in sorted(hit)) / whole, 6)
        for place, hit in enumerate(hits)
        if hit
    }


def _has(terms: frozenset[str], part: QueryPart) -> bool:
    return any(terms.issuperset(alternative) for alternative in part.alternatives)


def _weight(passages: int, hits: int) -> float:
    return math.log(1 + (passages - hits + 0.5) / (hits + 0.5))


def _score(relevance: float, length: int, average: float) -> float:
    return round(relevance / (0.25 + 0.75 * length / average + 1 / 1.2), 6)

"""Passages in Postgres, as tools see them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from shared.models.embeddings import PassageVector, TextPlace
from shared.models.passages import CutPassage, FoundPassage, QueryPart
from shared.store.database import Database
from shared.store.passage_vectors import (
    has_vector_extension,
    near_passages,
    passage_vectors_of,
    put_passage_vectors,
    unembedded_passages,
)
from shared.store.passages import cut_documents, put_passages, search_passages
from shared.text.search_terms import TERMS_VERSION
from shared.text.vectors import cosine, unpacked
from workers.tools.passages import nearest_first


class StoredPassages:
    """The passages of the database; a document's are shared by all runs."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def missing(self, documents: Sequence[str]) -> list[str]:
        """Those of the documents that have no passages yet."""
        cut = partial(cut_documents, documents=documents, version=TERMS_VERSION)
        known = self._database.run(cut)
        return [document for document in documents if document not in known]

    def keep(self, document: str, passages: Sequence[CutPassage]) -> None:
        """Store the passages of a document that is stored itself."""
        put = partial(put_passages, document=document, version=TERMS_VERSION, passages=passages)
        self._database.run(put)

    def search(
        self, documents: Sequence[str], query: Sequence[QueryPart], limit: int
    ) -> list[FoundPassage]:
        """At most `limit` passages of `documents`, the best first."""
        searched = partial(search_passages, documents=documents, query=query, limit=limit)
        return self._database.run(partial(searched, version=TERMS_VERSION))

    def unembedded(self, documents: Sequence[str], space: str) -> list[TextPlace]:
        """The passages of the documents that have no vector of that space."""
        asked = partial(unembedded_passages, documents=documents, space=space)
        return self._database.run(partial(asked, version=TERMS_VERSION))

    def keep_vectors(self, space: str, vectors: Sequence[PassageVector]) -> None:
        """Store them, all or none."""
        numbers = {
            TextPlace(document=each.document, start=each.start, stop=each.stop): unpacked(
                each.vector
            )
            for each in vectors
        }
        self._database.run(partial(put_passage_vectors, space=space, vectors=numbers), atomic=True)

    def near(
        self, documents: Sequence[str], space: str, vector: Sequence[float]
    ) -> list[FoundPassage]:
        """Every passage of the documents that has a vector, the nearest first."""
        by_postgres = self._database.run(has_vector_extension)
        near = self.near_by_postgres if by_postgres else self.near_by_worker
        return nearest_first(near(documents, space, vector), documents)

    def near_by_postgres(
        self, documents: Sequence[str], space: str, vector: Sequence[float]
    ) -> list[FoundPassage]:
        """As pgvector compares them, in no order."""
        near = partial(near_passages, documents=documents, space=space, vector=vector)
        return self._database.run(near)

    def near_by_worker(
        self, documents: Sequence[str], space: str, vector: Sequence[float]
    ) -> list[FoundPassage]:
        """As this process compares them, in no order."""
        stored = partial(passage_vectors_of, documents=documents, space=space, size=len(vector))
        return [
            FoundPassage(place.document, place.start, place.stop, cosine(numbers, vector))
            for place, numbers in self._database.run(stored)
        ]

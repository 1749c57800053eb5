"""Passages in Postgres, as tools see them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from shared.models.passages import CutPassage, FoundPassage, QueryPart
from shared.store.database import Database
from shared.store.passages import cut_documents, put_passages, search_passages
from shared.text.search_terms import TERMS_VERSION


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

"""The document store as workers see it: what was read once is kept, for content never changes under its name."""

from __future__ import annotations

import json
from collections.abc import Mapping

from pydantic import JsonValue

from shared.store.database import Database
from shared.store.documents import address, get_documents, put_documents
from shared.text.bounded_cache import BoundedCache

KEPT_BYTES = 64_000_000


class StoredDocuments:
    """Documents in Postgres with a bounded cache of the recently used."""

    def __init__(self, database: Database) -> None:
        """Nothing is kept yet."""
        self._database = database
        self._kept: BoundedCache[str, bytes] = BoundedCache(KEPT_BYTES)

    def get(self, sha256: str) -> bytes:
        """The document of that hash. Raises UnknownRun when it is not stored."""
        content = self._kept.get(sha256)
        if content is not None:
            return content
        content = self._database.run(lambda connection: get_documents(connection, [sha256]))[sha256]
        return self._kept.keep(sha256, content, len(content))

    def resolved(self, value: JsonValue) -> JsonValue:
        """Large values travel as {"document": sha256}; this is the value itself."""
        if isinstance(value, Mapping) and value.keys() == {"document"}:
            resolved: JsonValue = json.loads(self.get(str(value["document"])))
            return resolved
        return value

    def put(self, data: bytes) -> str:
        """Store a document; its hash."""
        name = address(data)
        self._database.run(lambda connection: put_documents(connection, {name: data}))
        return name

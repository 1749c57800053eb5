"""The document store as workers see it: what was read once is kept, for content never changes under its name."""

from __future__ import annotations

import json

from pydantic import JsonValue

from shared.store.database import Database
from shared.store.documents import address, get_documents, put_documents
from shared.text.bounded_cache import RUNS_S, BoundedCache

KEPT_BYTES = 64_000_000
VALUES_BYTES = 16_000_000
# What a value of JSON takes in memory for each byte of its text, about.
VALUE_FACTOR = 8


class StoredDocuments:
    """Documents in Postgres with a bounded cache of the recently used."""

    def __init__(self, database: Database) -> None:
        """Nothing is kept yet."""
        self._database = database
        self._kept: BoundedCache[str, bytes] = BoundedCache(KEPT_BYTES, most_s=RUNS_S)
        self._values: BoundedCache[str, JsonValue] = BoundedCache(VALUES_BYTES, most_s=RUNS_S)

    def get(self, sha256: str) -> bytes:
        """The document of that hash. Raises UnknownRun when it is not stored."""
        content = self._kept.get(sha256)
        if content is not None:
            return content
        content = self._database.run(lambda connection: get_documents(connection, [sha256]))[sha256]
        return self._kept.keep(sha256, content, len(content))

    def resolved(self, value: JsonValue) -> JsonValue:
        """Large values travel as {"document": sha256}; this is the value itself, which others are given, too."""
        if not isinstance(value, dict) or value.keys() != {"document"}:
            return value
        name = str(value["document"])
        if (known := self._values.get(name)) is not None:
            return known
        content = self.get(name)
        return self._values.keep(name, json.loads(content), VALUE_FACTOR * len(content))

    def put(self, data: bytes) -> str:
        """Store a document; its hash."""
        name = address(data)
        self._database.run(lambda connection: put_documents(connection, {name: data}))
        return name

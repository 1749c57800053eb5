"""The document store as workers see it: what was read once is kept, for content never changes under its name."""

from __future__ import annotations

import threading
from collections import OrderedDict

from shared.store.database import Database
from shared.store.documents import address, get_documents, put_documents

KEPT_BYTES = 64_000_000


class StoredDocuments:
    """Documents in Postgres with a bounded cache of the recently used."""

    def __init__(self, database: Database) -> None:
        """Nothing is kept yet."""
        self._database = database
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def get(self, sha256: str) -> bytes:
        """The document of that hash. Raises UnknownRun when it is not stored."""
        with self._lock:
            content = self._kept.get(sha256)
            if content is not None:
                self._kept.move_to_end(sha256)
                return content
        content = self._database.run(lambda connection: get_documents(connection, [sha256]))[sha256]
        self._keep(sha256, content)
        return content

    def put(self, data: bytes) -> str:
        """Store a document; its hash."""
        name = address(data)
        self._database.run(lambda connection: put_documents(connection, {name: data}))
        return name

    def _keep(self, name: str, content: bytes) -> None:
        with self._lock:
            if name not in self._kept:
                self._kept[name] = content
                self._bytes += len(content)
            while self._bytes > KEPT_BYTES:
                _, dropped = self._kept.popitem(last=False)
                self._bytes -= len(dropped)

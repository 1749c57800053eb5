"""Documents in memory: the double of the store, for tests and for work without a database."""

from __future__ import annotations

import hashlib

from shared.errors import ToolError


class MemoryDocuments:
    """A `Documents` that lives as long as its process."""

    def __init__(self) -> None:
        self._data: dict[str, bytes] = {}

    def get(self, sha256: str) -> bytes:
        """The document of that hash; raises `ToolError` when there is none."""
        try:
            return self._data[sha256]
        except KeyError:
            raise ToolError(f"There is no document {sha256[:12]}.") from None

    def put(self, data: bytes) -> str:
        """Store `data` and return its sha256 in hex."""
        key = hashlib.sha256(data).hexdigest()
        self._data[key] = bytes(data)
        return key

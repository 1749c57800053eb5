"""Documents that are gathered before their run is stored with them."""

from __future__ import annotations

import hashlib


class DocumentCollector:
    """Gathers documents by content until they are stored together with their run."""

    def __init__(self) -> None:
        """Empty."""
        self.gathered: dict[str, bytes] = {}

    def put(self, content: bytes) -> str:
        """Keep a document; its address."""
        name = hashlib.sha256(content).hexdigest()  # the store's address, without loading the store
        self.gathered[name] = content
        return name

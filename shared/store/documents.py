"""Content-addressed documents: prompts, diffs, files, responses."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from shared.errors import UnknownRun
from shared.store.database import Connection


def address(content: bytes) -> str:
    """The name of a document: the sha256 of its bytes, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def put_documents(connection: Connection, documents: Mapping[str, bytes]) -> None:
    """Store documents under their addresses; those that are there already stay."""
    if documents:
        names = sorted(documents)
        connection.execute(
            "INSERT INTO documents (sha256, content) "
            "SELECT * FROM unnest(%s::text[], %b::bytea[]) ON CONFLICT DO NOTHING",
            (names, [documents[name] for name in names]),
        )


def get_documents(connection: Connection, names: Sequence[str]) -> dict[str, bytes]:
    """The named documents. Raises UnknownRun when one is not stored (it was purged)."""
    rows = connection.execute(
        "SELECT sha256, content FROM documents WHERE sha256 = ANY(%s)", (list(names),)
    ).fetchall()
    found = {row.sha256: bytes(row.content) for row in rows}
    missing = [name for name in names if name not in found]
    if missing:
        raise UnknownRun(f"document {missing[0][:12]} is not stored (any more): was it purged?")
    return found

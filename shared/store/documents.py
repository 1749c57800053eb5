"""Content-addressed documents: prompts, diffs, files, responses."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from shared.errors import EnvironmentFault, UnknownRun
from shared.store.database import Connection
from shared.store.sealing import MAGIC, seal_bytes

TOUCHED_AFTER = "interval '1 hour'"
UNUSED_FOR = "interval '1 day'"
"""A document that nothing refers to is removed this long after it was last stored (shared/store/purging.py)."""

# Of documents that are there already, those are touched that were last stored a while ago: no purge removes what
# somebody is about to refer to. Few rows are written for that, and nobody waits for those that are young.
STORED = f"""touched AS (
    UPDATE documents SET created_at = now()
     WHERE sha256 = ANY(%(names)s::text[]) AND created_at < now() - {TOUCHED_AFTER} RETURNING sha256
), stored AS (
    INSERT INTO documents (sha256, content)
    SELECT g.name, g.content FROM unnest(%(names)s::text[], %(contents)b::bytea[]) AS g(name, content)
     WHERE g.name NOT IN (SELECT sha256 FROM touched) ORDER BY 1 ON CONFLICT DO NOTHING
)"""
"""Parts of a WITH that store `contents` under their `names`, which are in order."""


def address(content: bytes) -> str:
    """The name of a document: the sha256 of its bytes, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def put_documents(connection: Connection, documents: Mapping[str, bytes]) -> None:
    """Store documents under their addresses; those that are there already stay."""
    if documents:
        names = sorted(documents)
        contents = seal_bytes(connection, [documents[name] for name in names])
        connection.execute(
            f"WITH {STORED} SELECT FROM touched", {"names": names, "contents": contents}
        )


def get_documents(connection: Connection, names: Sequence[str]) -> dict[str, bytes]:
    """The named documents. Raises UnknownRun when one is not stored (it was purged)."""
    rows = connection.execute(
        "SELECT sha256, content FROM documents WHERE sha256 = ANY(%s)", (list(names),)
    ).fetchall()
    found = {row.sha256: bytes(row.content) for row in rows}
    if any(
        content.startswith(MAGIC) and address(content) != name for name, content in found.items()
    ):
        raise EnvironmentFault(
            "a stored document is encrypted, and this process has not got the key: start it again with "
            "QUORATE_ENCRYPTION_KEY_FILE (`quorate docs data`)"
        )
    missing = [name for name in names if name not in found]
    if missing:
        raise UnknownRun(
            "document {document} is not stored (any more): was it purged?", document=missing[0][:12]
        )
    return found

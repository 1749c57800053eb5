"""What is known of code: the facts of files, and which document holds the graph of a tree.

A key is a hash of all that the content depends on: the file and the version of what read it, or all files of a tree. So
nothing here is ever wrong or has to be changed, and commits, branches and repositories share what they have in common.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shared.store.database import Connection
from shared.store.documents import TOUCHED_AFTER


def find_facts(connection: Connection, keys: Sequence[str]) -> dict[str, bytes]:
    """The facts under these keys; what is not stored is missing."""
    rows = connection.execute(
        "SELECT key, facts FROM code_facts WHERE key = ANY(%s)", (list(keys),)
    ).fetchall()
    return {row.key: bytes(row.facts) for row in rows}


def known_facts(connection: Connection, keys: Sequence[str]) -> frozenset[str]:
    """Those of the keys under which facts are stored."""
    rows = connection.execute(
        "SELECT key FROM code_facts WHERE key = ANY(%s)", (list(keys),)
    ).fetchall()
    return frozenset(row.key for row in rows)


def put_facts(connection: Connection, facts: Mapping[str, bytes]) -> None:
    """Store facts under their keys, in one order, so that no two workers wait for each other; those there stay."""
    if facts:
        keys = sorted(facts)
        connection.execute(
            "INSERT INTO code_facts (key, facts) SELECT * FROM unnest(%s::text[], %b::bytea[]) "
            "ON CONFLICT DO NOTHING",
            (keys, [facts[key] for key in keys]),
        )


def find_graph(connection: Connection, key: str) -> str | None:
    """The document that holds the graph of a tree, or None; no purge removes it for a while."""
    row = connection.execute(
        "WITH touched AS (UPDATE documents SET created_at = now() "
        "WHERE sha256 = (SELECT document FROM code_graphs WHERE key = %(key)s) "
        f"AND created_at < now() - {TOUCHED_AFTER}) SELECT document FROM code_graphs WHERE key = %(key)s",
        {"key": key},
    ).fetchone()
    return None if row is None else str(row.document)


def put_graph(connection: Connection, key: str, document: str) -> None:
    """Remember the stored document of a tree's graph; the first one stays."""
    connection.execute(
        "INSERT INTO code_graphs (key, document) VALUES (%s, %s) ON CONFLICT DO NOTHING",
        (key, document),
    )

"""Vectors of passages, for all runs that name the text. A `space` is the model that made them.

They are compared by pgvector where its extension is installed, else by whoever asks: a case has a few hundred passages,
so no index is needed. An array is stored either way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shared.models.embeddings import TextPlace
from shared.models.passages import FoundPassage
from shared.store.database import Connection

Numbers = Sequence[float]

_MISSING = """
SELECT p.document, p.start, p.stop FROM passages p
 WHERE p.version = %(version)s AND p.document = ANY(%(documents)s) AND NOT EXISTS (
       SELECT FROM passage_vectors v WHERE v.document = p.document AND v.space = %(space)s
          AND v.start = p.start AND v.stop = p.stop)
 ORDER BY array_position(%(documents)s, p.document), p.number
"""
_PUT = """
INSERT INTO passage_vectors (document, space, start, stop, vector)
VALUES (%s, %s, %s, %s, %s::real[]) ON CONFLICT DO NOTHING
"""
_STORED = """
SELECT document, start, stop, vector FROM passage_vectors
 WHERE space = %(space)s AND document = ANY(%(documents)s) AND cardinality(vector) = %(size)s
"""
_COMPARED = """
SELECT document, start, stop, 1 - (vector::vector <=> %(vector)s::real[]::vector) AS nearness FROM passage_vectors
 WHERE space = %(space)s AND document = ANY(%(documents)s) AND cardinality(vector) = %(size)s
"""


def unembedded_passages(
    connection: Connection, documents: Sequence[str], version: int, space: str
) -> list[TextPlace]:
    """The passages of `documents` that have no vector of that space, in their order."""
    rows = connection.execute(
        _MISSING, {"documents": list(documents), "version": version, "space": space}
    ).fetchall()
    return [TextPlace(document=row.document, start=row.start, stop=row.stop) for row in rows]


def put_passage_vectors(
    connection: Connection, space: str, vectors: Mapping[TextPlace, Numbers]
) -> None:
    """Store them, of length one; what is stored stays."""
    for place, numbers in vectors.items():
        row = (place.document, space, place.start, place.stop, list(numbers))
        connection.execute(_PUT, row)


def has_vector_extension(connection: Connection) -> bool:
    """Whether Postgres itself can compare vectors."""
    row = connection.execute("SELECT FROM pg_extension WHERE extname = 'vector'").fetchone()
    return row is not None


def near_passages(
    connection: Connection, documents: Sequence[str], space: str, vector: Numbers
) -> list[FoundPassage]:
    """Every passage of `documents` with a vector of that space, and its cosine, in no order; by pgvector."""
    rows = connection.execute(_COMPARED, _asked(documents, space, vector)).fetchall()
    return [FoundPassage(row.document, row.start, row.stop, row.nearness) for row in rows]


def passage_vectors_of(
    connection: Connection, documents: Sequence[str], space: str, size: int
) -> list[tuple[TextPlace, Numbers]]:
    """The vectors themselves, those of `size` numbers, for whoever compares them."""
    asked = {"documents": list(documents), "space": space, "size": size}
    return [
        (TextPlace(document=row.document, start=row.start, stop=row.stop), row.vector)
        for row in connection.execute(_STORED, asked).fetchall()
    ]


def _asked(documents: Sequence[str], space: str, vector: Numbers) -> dict[str, object]:
    return {
        "space": space,
        "documents": list(documents),
        "vector": list(vector),
        "size": len(vector),
    }

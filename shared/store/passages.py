"""Passages of documents, searched by full text. A document is cut once; every run that names it shares its passages.

The terms are made by `shared.text.search_terms` and stored as a `tsvector`; a GIN index finds the passages that have a
term, and the ranking is one statement. `version` is that of the rules that terms were made by.
"""

from __future__ import annotations

from collections.abc import Sequence

from shared.models.passages import CutPassage, FoundPassage, QueryPart
from shared.store.database import Connection

_PUT = """
INSERT INTO passages (document, version, number, start, stop, terms)
SELECT %(document)s, %(version)s, number, start, stop, array_to_tsvector(string_to_array(terms, ' '))
  FROM unnest(%(starts)s::int[], %(stops)s::int[], %(terms)s::text[]) WITH ORDINALITY
    AS cut(start, stop, terms, number)
ON CONFLICT DO NOTHING
"""
# Relevance is the share of what was asked for that a passage has, where a part counts for more the fewer passages of
# these documents have it. The order is that of BM25 (Robertson and Zaragoza, "The probabilistic relevance framework",
# 2009, 3.4; its usual k1 = 1.2 and b = 0.75, every term of a passage counting once, and 1 added to what a weight is the
# logarithm of, so that none is negative): among passages that have as much, short ones come first.
_SEARCH = """
WITH parts AS (
       SELECT number, part::tsquery AS part
         FROM unnest(%(parts)s::text[]) WITH ORDINALITY AS asked(part, number)),
     hits AS (
       SELECT parts.number AS part, p.document, p.number, p.start, p.stop, length(p.terms) AS length
         FROM parts JOIN passages p ON p.terms @@ parts.part
        WHERE p.version = %(version)s AND p.document = ANY(%(documents)s)),
     total AS (
       SELECT count(*)::float8 AS n, avg(length(p.terms))::float8 AS length FROM passages p
        WHERE p.version = %(version)s AND p.document = ANY(%(documents)s)),
     weights AS (
       SELECT parts.number AS part,
              ln(1 + (total.n - count(hits.part) + 0.5) / (count(hits.part) + 0.5)) AS weight
         FROM parts CROSS JOIN total LEFT JOIN hits ON hits.part = parts.number
        GROUP BY parts.number, total.n)
SELECT r.document, r.start, r.stop, r.relevance
  FROM (SELECT h.document, h.number, h.start, h.stop, h.length,
               round((sum(w.weight) / (SELECT sum(weight) FROM weights))::numeric, 6)::float8 AS relevance
          FROM hits h JOIN weights w ON w.part = h.part
         GROUP BY h.document, h.number, h.start, h.stop, h.length) r, total
 ORDER BY round((r.relevance / (0.25 + 0.75 * r.length / total.length + 1 / 1.2))::numeric, 6) DESC,
          array_position(%(documents)s, r.document), r.number
 LIMIT %(limit)s
"""
# By what they share with a text, terms that fewer documents have counting for more.
_SHARING = """
WITH hits AS (
       SELECT DISTINCT asked.term, p.document
         FROM unnest(%(terms)s::text[]) AS asked(term)
         JOIN passages p ON p.terms @@ ('''' || asked.term || '''')::tsquery
        WHERE p.version = %(version)s AND p.document = ANY(%(documents)s)),
     weights AS (
       SELECT term, ln(1 + cardinality(%(documents)s) / count(*)::float8) AS weight FROM hits GROUP BY term)
SELECT document FROM hits JOIN weights USING (term)
 GROUP BY document ORDER BY sum(weight) DESC, document LIMIT %(limit)s
"""


def cut_documents(connection: Connection, documents: Sequence[str], version: int) -> set[str]:
    """Which of the documents have passages."""
    rows = connection.execute(
        "SELECT document FROM unnest(%s::text[]) AS document WHERE EXISTS ("
        "SELECT FROM passages p WHERE p.document = document.document AND p.version = %s)",
        (list(documents), version),
    ).fetchall()
    return {row.document for row in rows}


def put_passages(
    connection: Connection, document: str, version: int, passages: Sequence[CutPassage]
) -> None:
    """Store the passages of a stored document, in their order; storing them again changes nothing."""
    rows = {
        "document": document,
        "version": version,
        "starts": [passage.start for passage in passages],
        "stops": [passage.stop for passage in passages],
        "terms": [" ".join(passage.terms) for passage in passages],
    }
    connection.execute(_PUT, rows)


def search_passages(
    connection: Connection,
    documents: Sequence[str],
    version: int,
    query: Sequence[QueryPart],
    limit: int,
) -> list[FoundPassage]:
    """The passages of `documents` that have most of what is asked for, the best first.

    Of equal ones those of earlier documents come first, then earlier ones.
    """
    rows = connection.execute(
        _SEARCH,
        {
            "parts": [_tsquery(part) for part in query],
            "documents": list(dict.fromkeys(documents)),
            "version": version,
            "limit": limit,
        },
    ).fetchall()
    return [FoundPassage(row.document, row.start, row.stop, row.relevance) for row in rows]


def _tsquery(part: QueryPart) -> str:
    """The part in Postgres' own notation; terms have neither quotation marks nor backslashes."""
    return " | ".join(
        "(" + " & ".join(f"'{term}'" for term in alternative) + ")"
        for alternative in part.alternatives
    )


def sharing_documents(
    connection: Connection,
    documents: Sequence[str],
    version: int,
    terms: Sequence[str],
    limit: int,
) -> list[str]:
    """Those of `documents` that have most of `terms` in any of their passages; at most `limit`, the best first."""
    rows = connection.execute(
        _SHARING,
        {
            "terms": list(dict.fromkeys(terms)),
            "documents": list(dict.fromkeys(documents)),
            "version": version,
            "limit": limit,
        },
    ).fetchall()
    return [row.document for row in rows]


def newest_subjects(connection: Connection, workflow: str, limit: int) -> dict[str, str]:
    """The subjects of the newest runs of a workflow, the newest first, each with the last run about it."""
    rows = connection.execute(
        "SELECT r.id AS run, s.spec->>'subject' AS subject FROM ("
        "SELECT id, created_at FROM runs WHERE workflow = %s AND parent_run IS NULL "
        "AND NOT EXISTS (SELECT FROM imports i WHERE i.run_id = runs.id) ORDER BY created_at DESC LIMIT %s"
        ") r JOIN specs s ON s.run_id = r.id ORDER BY r.created_at DESC, r.id",
        (workflow, limit),
    ).fetchall()
    subjects: dict[str, str] = {}
    for row in rows:
        subjects.setdefault(row.subject, row.run)
    return subjects

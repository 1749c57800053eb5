"""Remove runs that are older than they are kept, in portions, each in a transaction of its own.

A run goes with its child runs and with every row of theirs (the database's own cascades), never without them, and not
before what it cost is in the sums of its day. A batch goes before its runs, whole, once none of them is kept. Documents
go last, when no run refers to them any more:

* what ended runs refer to is written down once (`document_uses`) and goes with them; other runs are read each time;
* a purge reads who refers to what *after* its last run was removed, and no other purge removes a run meanwhile: a
  purge holds a lease, its row in `purges`, which it renews with every portion;
* whoever refers to a document either stores it (and it is young then, or made so: shared/store/documents.py), or has
  it from a run that is there (and is read). Young documents stay.

So a purge that is killed leaves whole runs, and documents that the next purge removes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic_core import to_json

from shared.models.outcomes import FINAL_STATUSES
from shared.models.retention import BY_RULES, Purged, RetentionRule
from shared.store.daily_spending import SUMMED_UP_TO
from shared.store.database import Connection
from shared.store.documents import UNUSED_FOR
from shared.store.holds import lock_holds
from shared.store.references import References

LEASE_S = 120.0
"""A purge that has not removed a portion for so long was killed, and another one may begin."""
RUNS_AT_ONCE = 50
DOCUMENTS_AT_ONCE = 1_000
READ_AT_ONCE = 50
_CODE_KEPT = "interval '30 days'"
_LOCK = 0x50555247  # "PURG"
_FINAL = "({})".format(", ".join(f"'{status}'" for status in sorted(FINAL_STATUSES)))

# Of a run `r` that no other started: whether it is older than the first rule that fits it allows.
_OLD = f"""(r.parent_run IS NULL AND r.status IN {_FINAL} AND coalesce(r.finished_at < now() - make_interval(secs => (
        SELECT rule.keep_s FROM unnest(%(workflows)s::text[], %(statuses)s::text[], %(keeps)s::float8[])
               WITH ORDINALITY AS rule(workflow, status, keep_s, number)
         WHERE coalesce(rule.workflow, r.workflow) = r.workflow AND coalesce(rule.status, r.status) = r.status
         ORDER BY rule.number LIMIT 1)), false)
    AND NOT EXISTS (SELECT FROM runs m WHERE m.root_run = r.id AND m.status NOT IN {_FINAL}))"""
_HELD = """(EXISTS (SELECT FROM holds h JOIN runs m ON m.id = h.run_id WHERE coalesce(m.root_run, m.id) = r.id)
    OR EXISTS (SELECT FROM holds h WHERE h.batch IS NOT NULL AND (
        h.batch = (SELECT p.spec->'labels'->>'batch' FROM specs p WHERE p.run_id = r.id)
        OR EXISTS (SELECT FROM batch_items i
                    WHERE i.batch = h.batch AND (i.run_id = r.id OR r.id = ANY(i.earlier))))))"""
_IN_BATCH = "EXISTS (SELECT FROM batch_items i WHERE i.run_id = r.id)"
_SUMMED_UP = f"""NOT EXISTS (SELECT FROM usage u WHERE u.id > {SUMMED_UP_TO} AND u.run_id IN (
    SELECT r.id UNION ALL SELECT m.id FROM runs m WHERE m.root_run = r.id))"""


@dataclass(frozen=True)
class PurgeCursor:
    """Where a purge has come to in the order of runs' beginnings."""

    created_at: datetime | None = None
    id: str = ""


@dataclass(frozen=True)
class PurgeRow:
    """A purge as it is recorded; without `ended_at` it is under way, or was killed a moment ago."""

    id: int
    actor: str
    rules: list[dict[str, Any]]
    began_at: datetime
    ended_at: datetime | None
    runs: int
    batches: int
    documents: int


@dataclass(frozen=True)
class Fitting:
    """Runs that a purge would remove, by what they are."""

    workflow: str
    status: str
    runs: int
    held: bool


def begin_purge(connection: Connection, rules: Sequence[RetentionRule], actor: str) -> int | None:
    """Record a purge, which holds the lease now; None while another one has it. In one transaction."""
    connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
    connection.execute(
        "UPDATE purges SET ended_at = seen_at WHERE ended_at IS NULL "
        "AND seen_at < now() - make_interval(secs => %s)",
        (LEASE_S,),
    )
    row = connection.execute(
        "INSERT INTO purges (actor, rules) SELECT %s, %s::jsonb WHERE NOT EXISTS ("
        "SELECT FROM purges WHERE ended_at IS NULL) RETURNING id",
        (actor, to_json([rule.__dict__ for rule in rules]).decode()),
    ).fetchone()
    return None if row is None else int(row.id)


def _counted(connection: Connection, purge: int, portion: Purged) -> bool:
    """Renew the lease and count what this transaction removes; False when another purge ended this one."""
    row = connection.execute(
        "UPDATE purges SET seen_at = clock_timestamp(), runs = runs + %s, batches = batches + %s, "
        "documents = documents + %s WHERE id = %s AND ended_at IS NULL RETURNING id",
        (portion.runs, portion.batches, portion.documents, purge),
    ).fetchone()
    return row is not None


def end_purge(connection: Connection, purge: int) -> None:
    """It is over. Of those that nobody typed only the ones that removed something are remembered."""
    connection.execute("UPDATE purges SET ended_at = now() WHERE id = %s", (purge,))
    connection.execute(
        "DELETE FROM purges WHERE id = %s AND actor = %s AND runs + batches + documents = 0",
        (purge, BY_RULES),
    )


def list_purges(connection: Connection, limit: int) -> list[PurgeRow]:
    """The newest ones."""
    rows = connection.execute(
        "SELECT id, actor, rules, began_at, ended_at, runs, batches, documents FROM purges ORDER BY id DESC LIMIT %s",
        (limit,),
    ).fetchall()
    return [PurgeRow(**row._asdict()) for row in rows]


class LeaseLost(Exception):
    """Another purge has begun, because this one stood still for too long; what this one was at is rolled back."""


def _names(rules: Sequence[RetentionRule]) -> dict[str, object]:
    return {
        "least_s": min((rule.keep_s for rule in rules if rule.keep_s is not None), default=None),
        "workflows": [rule.workflow for rule in rules],
        "statuses": [rule.status for rule in rules],
        "keeps": [rule.keep_s for rule in rules],
    }


def what_fits(connection: Connection, rules: Sequence[RetentionRule]) -> list[Fitting]:
    """What a purge by these rules would remove now, and what holds keep from it; counted without child runs."""
    rows = connection.execute(
        f"SELECT workflow, status, count(*) AS runs, held FROM (SELECT r.workflow, r.status, {_HELD} AS held "
        f"FROM runs r WHERE {_OLD}) fitting GROUP BY workflow, status, held ORDER BY 1, 2, 4",
        _names(rules),
    ).fetchall()
    return [Fitting(**row._asdict()) for row in rows]


_BATCHES = f"""
DELETE FROM batches WHERE name IN (
    SELECT b.name FROM batches b
     WHERE b.finished_at IS NOT NULL AND NOT EXISTS (SELECT FROM holds h WHERE h.batch = b.name)
       AND EXISTS (SELECT FROM batch_items i WHERE i.batch = b.name)
       AND NOT EXISTS (SELECT FROM batch_items i JOIN runs r ON r.id = i.run_id
                        WHERE i.batch = b.name AND (NOT {_OLD} OR {_HELD}))
     ORDER BY b.name LIMIT 1 FOR UPDATE SKIP LOCKED)
RETURNING name
"""


def purge_batch(connection: Connection, purge: int, rules: Sequence[RetentionRule]) -> Purged:
    """Remove one batch none of whose runs is kept, with its items; its runs are like any others then.

    In one transaction. Raises LeaseLost.
    """
    lock_holds(connection)
    gone = Purged(batches=len(connection.execute(_BATCHES, _names(rules)).fetchall()))
    if not _counted(connection, purge, gone):
        raise LeaseLost
    return gone


_PAGE = f"""
SELECT r.id, r.created_at, {_HELD} AS held FROM runs r
 WHERE r.created_at < now() - make_interval(secs => %(least_s)s) AND {_OLD}
   AND (%(since)s::timestamptz IS NULL OR (r.created_at, r.id) > (%(since)s, %(id)s))
   AND NOT {_IN_BATCH} AND {_SUMMED_UP}
 ORDER BY r.created_at, r.id LIMIT {RUNS_AT_ONCE}
"""
# The conditions again: whatever became of a run before it was locked counts.
_DELETE = f"""
WITH locked AS MATERIALIZED (
    SELECT r.id FROM runs r WHERE r.id = ANY(%(runs)s) AND r.status IN {_FINAL} FOR UPDATE SKIP LOCKED
), family AS (
    SELECT id FROM locked UNION SELECT m.id FROM runs m JOIN locked ON m.root_run = locked.id
)
DELETE FROM runs WHERE id IN (SELECT id FROM family)
"""


def purge_runs(
    connection: Connection, purge: int, rules: Sequence[RetentionRule], place: PurgeCursor
) -> tuple[Purged, PurgeCursor | None]:
    """Remove some runs with all that is theirs; and where to go on, None at the end.

    In one transaction. Raises LeaseLost.
    """
    lock_holds(connection)
    names = {**_names(rules), "since": place.created_at, "id": place.id}
    page = connection.execute(_PAGE, names).fetchall()
    going = [row.id for row in page if not row.held]
    count = connection.execute(_DELETE, {"runs": going}).rowcount if going else 0
    gone = Purged(runs=count, held=len(page) - len(going))
    if not _counted(connection, purge, gone):
        raise LeaseLost
    last = PurgeCursor(page[-1].created_at, page[-1].id) if len(page) == RUNS_AT_ONCE else None
    return gone, last


_UNREAD = f"""
SELECT r.id FROM runs r WHERE r.status IN {_FINAL}
   AND NOT EXISTS (SELECT FROM document_uses u WHERE u.run_id = r.id AND u.sha256 = '') LIMIT {READ_AT_ONCE}
"""
_OTHERS = f"""
SELECT r.id FROM runs r WHERE r.id > %s
   AND NOT EXISTS (SELECT FROM document_uses u WHERE u.run_id = r.id AND u.sha256 = '')
 ORDER BY r.id LIMIT {READ_AT_ONCE}
"""


def write_uses(connection: Connection, purge: int, references: References) -> bool:
    """Write down what some ended runs refer to; False when that is known of all. In one transaction."""
    runs = [row.id for row in connection.execute(_UNREAD).fetchall()]
    uses = references.of_runs(connection, runs)
    pairs = [(run, name) for run in runs for name in ("", *sorted(uses[run]))]
    connection.execute(
        "INSERT INTO document_uses (run_id, sha256) SELECT u.* FROM unnest(%s::text[], %s::text[]) AS u(run_id, name) "
        "WHERE EXISTS (SELECT FROM runs r WHERE r.id = u.run_id) ON CONFLICT DO NOTHING",
        ([run for run, _ in pairs], [name for _, name in pairs]),
    )
    if not _counted(connection, purge, Purged()):
        raise LeaseLost
    return bool(runs)


def others_after(connection: Connection, run: str) -> list[str]:
    """Some of the runs of which it is not written down what they refer to, after `run` in the order of their names."""
    return [row.id for row in connection.execute(_OTHERS, (run,)).fetchall()]


def kept_values(connection: Connection) -> list[Any]:
    """What else may name documents: items of batches and evaluations."""
    return [
        row.body
        for row in connection.execute(
            "SELECT body FROM batch_items UNION ALL SELECT body FROM evals"
        )
    ]


_UNUSED = f"""
SELECT d.sha256, d.sha256 <> ALL(%(used)s) AND d.created_at < now() - {UNUSED_FOR}
       AND NOT EXISTS (SELECT FROM document_uses u WHERE u.sha256 = d.sha256)
       AND (d.created_at < now() - {_CODE_KEPT} OR NOT EXISTS (SELECT FROM code_graphs g WHERE g.document = d.sha256))
       AS unused
  FROM (SELECT sha256, created_at FROM documents WHERE sha256 > %(after)s ORDER BY sha256 LIMIT {DOCUMENTS_AT_ONCE}) d
"""
_FORGET = f"""
DELETE FROM documents WHERE sha256 IN (
    SELECT sha256 FROM documents WHERE sha256 = ANY(%s) AND created_at < now() - {UNUSED_FOR} FOR UPDATE SKIP LOCKED)
"""


def purge_documents(
    connection: Connection, purge: int, used: frozenset[str], after: str
) -> tuple[Purged, str | None]:
    """Remove some documents that nothing refers to; and where to go on, None at the end.

    `used` are those that the runs refer to of which it is not written down. In one transaction. Raises LeaseLost.
    """
    rows = connection.execute(_UNUSED, {"used": sorted(used), "after": after}).fetchall()
    unused = [row.sha256 for row in rows if row.unused]
    gone = Purged(documents=connection.execute(_FORGET, (unused,)).rowcount if unused else 0)
    if not _counted(connection, purge, gone):
        raise LeaseLost
    last = (
        max((row.sha256 for row in rows), default=None) if len(rows) == DOCUMENTS_AT_ONCE else None
    )
    return gone, last


def forget_facts(connection: Connection) -> int:
    """Drop facts of code that were stored long ago: they are read from the code again when they are needed."""
    return connection.execute(
        f"DELETE FROM code_facts WHERE key IN (SELECT key FROM code_facts WHERE created_at < now() - {_CODE_KEPT} "
        f"LIMIT {DOCUMENTS_AT_ONCE})"
    ).rowcount

"""A finished run copied many times, by Postgres itself: every row of every table that belongs to a run."""

from __future__ import annotations

from shared.store.database import Connection

A_RUN_EVERY = "interval '3 minutes'"
# One in so many was cancelled, belongs to a batch, was started by the run before it.
CANCELLED, BATCHED, CHILDREN = 50, 20, 11

_COLUMNS = """
SELECT c.table_name, array_agg(c.column_name::text) AS names,
       array_agg(c.column_name::text) FILTER (WHERE c.data_type LIKE 'timestamp%%') AS moments
  FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
 WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE' AND c.is_identity = 'NO'
 GROUP BY c.table_name HAVING bool_or(c.column_name = 'run_id') OR c.table_name = 'runs'
"""
_NAME = "'r' || lpad({n}::text, 9, '0')"
_OTHERS = {
    "run_id": _NAME.format(n="n"),
    "request_sha": "md5(s.request_sha || n)",
    "spec": f"CASE WHEN n %% {BATCHED} = 0 THEN jsonb_set(s.spec, '{{labels}}', '{{\"batch\": \"nightly\"}}') "
    "ELSE s.spec END",
    "response": "encode(sha256((s.response || n)::bytea), 'hex')",
}
_OF_RUNS = {
    "id": _NAME.format(n="n"),
    "idempotency_key": "NULL",
    "status": f"CASE WHEN n = %(blocked)s THEN 'blocked' WHEN n %% {CANCELLED} = 7 THEN 'cancelled' ELSE s.status END",
    "parent_run": f"CASE WHEN n > 1 AND n %% {CHILDREN} = 0 THEN {_NAME.format(n='(n - 1)')} END",
    "root_run": f"CASE WHEN n > 1 AND n %% {CHILDREN} = 0 THEN {_NAME.format(n='(n - 1)')} END",
}
_DOCUMENTS = """
INSERT INTO documents (sha256, content, created_at)
SELECT encode(sha256((d.sha256 || n)::bytea), 'hex'), d.content, now() FROM documents d, generate_series(1, %(count)s) n
 WHERE d.sha256 IN (SELECT response FROM usage WHERE run_id = %(run)s)
"""


def copy_run(connection: Connection, run: str, count: int) -> None:
    """`count` copies of `run` called r000000001, ..., the newest last; one in the middle is blocked."""
    names = {"run": run, "count": count, "blocked": count // 2}
    connection.execute("SET session_replication_role = replica")  # no look at every foreign key
    connection.execute(_DOCUMENTS, names)
    for table, columns, moments in connection.execute(_COLUMNS).fetchall():
        own = _OF_RUNS if table == "runs" else _OTHERS
        shown = [
            f"s.{column} - (%(count)s - n) * {A_RUN_EVERY}"
            if column in (moments or ())
            else own.get(column, f"s.{column}")
            for column in columns
        ]
        which = "id" if table == "runs" else "run_id"
        connection.execute(
            f"INSERT INTO {table} ({', '.join(columns)}) SELECT {', '.join(shown)} "
            f"FROM generate_series(1, %(count)s) n, {table} s WHERE s.{which} = %(run)s ORDER BY n",
            names,
        )
    connection.execute("SET session_replication_role = DEFAULT")


def settle(connection: Connection) -> None:
    """What autovacuum and the checkpointer do in their own time."""
    connection.execute("VACUUM (ANALYZE)")
    connection.execute("CHECKPOINT")


def forget_everything(connection: Connection) -> None:
    """No run, no document."""
    connection.execute("TRUNCATE runs, documents, daily_spending CASCADE")

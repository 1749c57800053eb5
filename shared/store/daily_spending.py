"""What was spent, by day and by who spoke: `usage` summed up, so that a sum over years reads few rows.

A row of `usage` is in exactly one place: in the sums (its id is at most the largest `upto`), or not yet. Whoever asks
adds both in one statement; so a sum is exact at any moment, also where nobody sums up. Orchestrators do so every few
seconds, and the statement that stores a paid answer knows nothing of it.

Ids are given before a commit, so a row may appear below others that have long been there. What is summed up is
therefore settled first: everybody who was writing when the newest id was read has come to an end.

The sums are kept when a run is deleted: its money stays spent.
"""

from __future__ import annotations

import time

from shared.store.database import Connection

ENOUGH = 500
"""So many new rows are summed up; fewer are read one by one as quickly."""
MOST_AT_ONCE = 50_000
SETTLED_S = 0.05
_LOCK = 0x53554D53  # "SUMS"

SUMMED_UP_TO = "(SELECT coalesce(max(upto), 0) FROM daily_spending)"
# Both ends, so that the index is used: of one end alone Postgres guesses that a third of all rows lies beyond it.
NOT_SUMMED_UP = f"u.id > {SUMMED_UP_TO} AND u.id <= {2**63 - 1}"

# No index knows it: calls that are not summed up are found by their ids, and not among all of today.
DAY = "(u.at AT TIME ZONE 'UTC')::date"

# A row `u` of usage in the columns of the sums. A provider may say what model it likes.
CALL = f"""
{DAY} AS day, u.participant, u.provider, left(coalesce(u.model, ''), 200) AS model,
1 AS calls, coalesce(u.input_tokens, 0) AS input_tokens, coalesce(u.output_tokens, 0) AS output_tokens,
coalesce(u.cached_tokens, 0) AS cached_tokens, u.cost_usd, (u.cost_usd IS NULL)::int AS unknown_costs,
(u.input_tokens IS NULL OR u.output_tokens IS NULL)::int AS unknown_tokens
"""
SUMS = """
sum(calls)::bigint AS calls, sum(input_tokens)::bigint AS input_tokens, sum(output_tokens)::bigint AS output_tokens,
sum(cached_tokens)::bigint AS cached_tokens, sum(cost_usd) AS cost_usd, sum(unknown_costs)::bigint AS unknown_costs,
sum(unknown_tokens)::bigint AS unknown_tokens
"""

# Of a row `u` of usage: what was put aside for a call stands in for what its provider did not say.
RESERVED = "(SELECT v.{} FROM reservations v WHERE (v.run_id, v.step, v.attempt) = (u.run_id, u.step, u.attempt))"
CHARGED_USD = f"coalesce(u.cost_usd, {RESERVED.format('usd')}, 0)"

_NEW = f"SELECT coalesce((SELECT max(id) FROM usage), 0) AS newest, {SUMMED_UP_TO} AS upto"

_WRITING = """
SELECT virtualtransaction AS writer FROM pg_locks
 WHERE relation = 'usage'::regclass AND mode = 'RowExclusiveLock' AND granted AND pid <> pg_backend_pid()
   AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""

_SUM_UP = f"""
WITH chunk AS (
    SELECT max(id) AS upto FROM (
        SELECT id FROM usage WHERE id > {SUMMED_UP_TO} AND id <= %(settled)s ORDER BY id LIMIT {MOST_AT_ONCE}) c
)
INSERT INTO daily_spending AS d (day, participant, provider, model, charged_usd, upto, calls, input_tokens,
                                 output_tokens, cached_tokens, cost_usd, unknown_costs, unknown_tokens)
SELECT day, participant, provider, model, sum(charged_usd), max(upto), {SUMS}
  FROM (SELECT {CALL}, {CHARGED_USD} AS charged_usd, chunk.upto
          FROM chunk, usage u WHERE u.id > {SUMMED_UP_TO} AND u.id <= chunk.upto) calls
 GROUP BY day, participant, provider, model
ON CONFLICT (day, participant, provider, model) DO UPDATE
   SET calls = d.calls + excluded.calls, input_tokens = d.input_tokens + excluded.input_tokens,
       output_tokens = d.output_tokens + excluded.output_tokens,
       cached_tokens = d.cached_tokens + excluded.cached_tokens,
       cost_usd = coalesce(d.cost_usd + excluded.cost_usd, d.cost_usd, excluded.cost_usd),
       unknown_costs = d.unknown_costs + excluded.unknown_costs,
       unknown_tokens = d.unknown_tokens + excluded.unknown_tokens,
       charged_usd = d.charged_usd + excluded.charged_usd, upto = excluded.upto
"""


def sum_up(connection: Connection, enough: int = ENOUGH) -> bool:
    """Sum up what has come since the last time, if it is `enough` rows; False when there is nothing to do now.

    Waits for nobody longer than a moment. Harmless twice and at the same time: one session sums up.
    """
    new = connection.execute(_NEW).fetchone()
    assert new is not None
    if new.newest - new.upto < enough or not _settled(connection):
        return False
    with connection.transaction():
        lock = connection.execute(
            "SELECT pg_try_advisory_xact_lock(%s) AS got", (_LOCK,)
        ).fetchone()
        if lock is None or not lock.got:
            return False
        # A statement of its own: it sees what was summed up until the lock was free.
        return connection.execute(_SUM_UP, {"settled": new.newest}).rowcount > 0


def _settled(connection: Connection) -> bool:
    """Whether all who write to `usage` now have come to an end in a moment; whoever begins later gets higher ids."""
    writing = _writers(connection)
    deadline = time.monotonic() + SETTLED_S
    while writing and time.monotonic() < deadline:
        time.sleep(SETTLED_S / 10)
        writing &= _writers(connection)
    return not writing


def _writers(connection: Connection) -> set[str]:
    return {row.writer for row in connection.execute(_WRITING).fetchall()}

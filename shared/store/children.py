"""Child runs: started with a step of their parent, and reported to that step when they end.

The parent's step is pending and in no queue while its child goes on; the child's last transaction ends it. A child
whose step waits no more (its parent was cancelled, or went on without it) is an orphan, and is cancelled by its next
advance. Locks go from the leaf to the root: a transaction that holds a run may ask for its ancestors, never for its
descendants.
"""

from __future__ import annotations

from shared.store.database import Connection

MOST_NESTED = 8

# The runs that share a budget: of a root (an expression of SQL) itself and everything below it.
FAMILY = "ARRAY(SELECT {root}::text UNION ALL SELECT m.id FROM runs m WHERE m.root_run = {root})"

# A run and everything below it. An array, so that `run_id = ANY(...)` is looked up: Postgres guesses that a recursion
# finds much, and would read all rows for an `IN`.
TREE = """ARRAY(WITH RECURSIVE tree AS (SELECT {run}::text AS id
    UNION ALL SELECT c.id FROM runs c JOIN tree ON c.parent_run = tree.id) SELECT id FROM tree)"""

# Whether nobody waits for the child run `r` any more. One that is blocked has been reported as that.
ORPHANED = """(r.parent_run IS NOT NULL AND CASE WHEN r.status = 'blocked'
    THEN (SELECT p.status = 'cancelled' FROM runs p WHERE p.id = r.parent_run)
    ELSE NOT EXISTS (SELECT FROM steps p WHERE p.run_id = r.parent_run AND p.key = r.parent_step
                        AND p.status = 'pending') END)"""

# Whether calls may be made for the run `r`: from the commit of a cancellation above it on, none is.
ALLOWED_TO_CALL = f"""(r.parent_run IS NULL OR NOT {ORPHANED}
    AND EXISTS (SELECT FROM runs o WHERE o.id = r.root_run AND o.status IN ('running', 'waiting', 'blocked')))"""

_REPORT = """
WITH parent AS (SELECT id FROM runs WHERE id = %(parent)s FOR UPDATE),
ended AS (
    UPDATE steps s
       SET status = 'done', finished_at = clock_timestamp(),
           reply = jsonb_build_object('run', c.id, 'status', c.status, 'verdict', c.verdict, 'ending', c.ending,
               'summary', coalesce(c.outcome->>'summary', ''), 'outcome', c.outcome,
               'reason', coalesce(c.blocked_reason, %(reason)s)),
           tokens = spent.tokens + below.tokens, cost_usd = spent.usd + below.usd
      FROM parent, runs c,
           (SELECT coalesce(sum(coalesce(input_tokens, 0) + coalesce(output_tokens, 0)), 0) AS tokens,
                   coalesce(sum(cost_usd), 0) AS usd FROM usage WHERE run_id = %(child)s) spent,
           (SELECT coalesce(sum(tokens), 0) AS tokens, coalesce(sum(cost_usd), 0) AS usd
              FROM steps WHERE run_id = %(child)s AND kind = 'run') below
     WHERE s.run_id = parent.id AND s.key = %(step)s AND s.status = 'pending' AND c.id = %(child)s
 RETURNING s.run_id
)
UPDATE runs r SET open_steps = r.open_steps - 1, updated_at = clock_timestamp()
  FROM ended WHERE r.id = ended.run_id RETURNING r.open_steps
"""


def report_to_parent(
    connection: Connection, child: str, parent: str, step: str, reason: str = ""
) -> bool:
    """End the parent's step with what the child's row says now; True when the parent has nothing open any more.

    In the transaction that ends (or blocks) the child. A parent that does not wait for it is left alone.
    """
    row = connection.execute(
        _REPORT, {"child": child, "parent": parent, "step": step, "reason": reason}
    ).fetchone()
    return row is not None and row.open_steps == 0

"""A run that begins with a copy of another one's results: submitted in one transaction.

A copy is a step that has ended: it is never claimed, has no message and no usage row, so nothing is called and nothing
is paid again. It keeps its request, its reply, its tokens and its note; its cost is 0, and its moment is the fork's
own beginning. Rounds are not copied: the fork's first advance judges them under the fork's own rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from shared.errors import UserError
from shared.models.run import RunSpec
from shared.store.database import Connection
from shared.store.events import append_events
from shared.store.requests import MOST_TOGETHER, REQUEST
from shared.store.runs import create_run


@dataclass(frozen=True)
class Fork:
    """What is submitted: a specification of its own, and what is taken over from `origin`."""

    run: str
    origin: str
    at: str
    title: str
    spec: RunSpec
    root_task: str
    steps: Sequence[str] = ()
    decisions: Sequence[str] = ()


# In the origin's order without gaps: new steps are numbered from the count of those that are there.
_COPY_STEPS = """
INSERT INTO steps (run_id, key, position, kind, participant, role, round, task, queue, fingerprint, status,
                   attempts, max_attempts, lease_s, reply, failure_kind, failure_message, note, tokens, cost_usd,
                   created_at, leased_at, finished_at)
SELECT %(run)s, s.key, row_number() OVER (ORDER BY s.position, s.key) - 1, s.kind, s.participant, s.role, s.round,
       s.task, s.queue, s.fingerprint, s.status, s.attempts, s.max_attempts, s.lease_s, s.reply,
       s.failure_kind, s.failure_message, concat_ws('; ', %(note)s::text, nullif(s.note, '')), s.tokens,
       CASE WHEN s.kind IN ('turn', 'run') THEN 0 ELSE s.cost_usd END, r.created_at, r.created_at, r.created_at
  FROM steps s, runs r
 WHERE s.run_id = %(origin)s AND s.key = ANY(%(keys)s) AND s.status IN ('done', 'failed') AND r.id = %(run)s
"""

_COPY_REQUESTS = f"""
INSERT INTO requests (run_id, position, bodies)
SELECT c.run_id, c.position - mod(c.position, {MOST_TOGETHER}), jsonb_object_agg(c.key, {REQUEST.format(step="s")})
  FROM steps c JOIN steps s ON s.run_id = %(origin)s AND s.key = c.key WHERE c.run_id = %(run)s GROUP BY 1, 2
"""

_COPY_DECISIONS = """
INSERT INTO decisions (run_id, key, kind, question, shown_sha256, state, answer, on_timeout, opened_at, answered_at,
                       consumed_at)
SELECT %(run)s, d.key, d.kind, d.question, d.shown_sha256, d.state, d.answer, d.on_timeout, r.created_at, r.created_at,
       r.created_at
  FROM decisions d, runs r
 WHERE d.run_id = %(origin)s AND d.key = ANY(%(keys)s) AND d.state IN ('answered', 'expired') AND r.id = %(run)s
"""


def create_fork(connection: Connection, fork: Fork, documents: Mapping[str, bytes]) -> str:
    """Insert a fork whole; its id. Must run in one transaction; repeating it for the same `run` changes nothing.

    Raises UserError when the origin no longer holds what is to be copied.
    """
    create_run(
        connection,
        run=fork.run,
        title=fork.title,
        spec=fork.spec,
        root_task=fork.root_task,
        documents=documents,
    )
    # Whoever came second waited for the first one's commit in `create_run`, and finds all of it.
    done = connection.execute(
        "SELECT seq FROM events WHERE run_id = %s AND type = 'run.forked'", (fork.run,)
    ).fetchone()
    if done is not None:
        return fork.run
    names = {"run": fork.run, "origin": fork.origin, "note": f"copied from {fork.origin}"}
    copied = connection.execute(_COPY_STEPS, {**names, "keys": list(fork.steps)}).rowcount
    connection.execute(_COPY_REQUESTS, names)
    decided = connection.execute(_COPY_DECISIONS, {**names, "keys": list(fork.decisions)}).rowcount
    if (copied, decided) != (len(fork.steps), len(fork.decisions)):
        raise UserError("run {origin} changed while it was copied: try again", origin=fork.origin)
    connection.execute("UPDATE runs SET noted_steps = %s WHERE id = %s", (copied, fork.run))
    body = {"from": fork.origin, "at": fork.at, "steps": copied, "decisions": decided}
    append_events(connection, fork.run, [("run.forked", body)])
    return fork.run

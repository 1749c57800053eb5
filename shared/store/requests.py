"""What steps ask of their workers: written once, by the advance that schedules them.

Requests of one stage resemble one another, so up to `MOST_TOGETHER` of them share a row, which Postgres compresses as a
whole: a third of the bytes that they would take one by one. Whoever reads one unpacks no more than those.
"""

from __future__ import annotations

from typing import Any

from shared.errors import UnknownRun
from shared.store.database import Connection

MOST_TOGETHER = 8

# What the step `{step}` (the alias of a row of `steps`) asks.
REQUEST = """(SELECT q.bodies->{step}.key FROM requests q
   WHERE q.run_id = {step}.run_id AND q.position <= {step}.position ORDER BY q.position DESC LIMIT 1)"""


def step_request(connection: Connection, run: str, key: str) -> dict[str, Any]:
    """What a step asked of its worker. Raises UnknownRun."""
    row = connection.execute(
        f"SELECT {REQUEST.format(step='s')} AS request FROM steps s WHERE s.run_id = %s AND s.key = %s",
        (run, key),
    ).fetchone()
    if row is None:
        raise UnknownRun("run {run} has no step {key!r}", run=run, key=key)
    request: dict[str, Any] = row.request
    return request

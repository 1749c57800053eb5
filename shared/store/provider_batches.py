"""Batches at providers, as the courier sees them: what can be sent, who sends it, what is looked at next.

A row is written before anything is posted (`sending`), so a batch whose sender died is looked for at the provider and
never sent twice. Every statement takes what it names with a compare-and-set, so any number of couriers may be at work.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shared.models.panel import Participant
from shared.store.database import Connection
from shared.store.ends import StoredResponse, store_responses

SENDING, SENT, REFUSED, ENDED = "sending", "sent", "refused", "ended"


@dataclass(frozen=True)
class Lane:
    """Queued calls that can go into one batch; `participant` is any of theirs, for its address and its key."""

    name: str
    participant: Participant
    calls: int
    size: int
    oldest_s: float
    newest_s: float


@dataclass(frozen=True)
class ProviderBatch:
    """A batch that is due. `remote` is the provider's name for it; `sought`: nobody knows whether it was posted."""

    id: str
    lane: str
    status: str
    participant: Participant
    calls: int
    remote: str | None
    cancelled: bool
    age_s: float
    wanted: bool

    @property
    def sought(self) -> bool:
        """True when its sender died, or lost the answer."""
        return self.status == SENDING


@dataclass(frozen=True)
class SentCall:
    """A call of a batch; `body` only while nobody has it."""

    id: str
    run: str
    step: str
    token: int
    participant: Participant
    request_sha: str
    body: bytes


_ASKED = """
  FROM batched_calls b JOIN steps s ON s.run_id = b.run_id AND s.key = b.step AND s.status = 'pending'
  JOIN runs r ON r.id = b.run_id AND r.status = 'running'
 WHERE b.status = 'queued' AND b.participant->>'name' <> ALL(%(paused)s)
   AND b.participant->>'provider' <> ALL(%(paused)s)
"""

_LANES = f"""
SELECT b.lane, (array_agg(b.participant))[1] AS participant, count(*)::int AS calls,
       sum(length(b.body))::bigint AS size,
       extract(epoch FROM now() - min(b.created_at))::float8 AS oldest_s,
       extract(epoch FROM now() - max(b.created_at))::float8 AS newest_s
{_ASKED}
   AND NOT EXISTS (SELECT FROM provider_batches p WHERE p.lane = b.lane AND p.status = 'refused' AND p.due_at > now())
 GROUP BY b.lane ORDER BY min(b.created_at)
"""


def lanes(connection: Connection, paused: Sequence[str]) -> list[Lane]:
    """What is queued and may be sent, by lane, the oldest first; nothing of a lane that was refused a moment ago."""
    rows = connection.execute(_LANES, {"paused": list(paused)}).fetchall()
    return [
        Lane(
            row.lane,
            Participant.model_validate(row.participant),
            *(row.calls, int(row.size), row.oldest_s, row.newest_s),
        )
        for row in rows
    ]


_TAKE = f"""
WITH queued AS (
    SELECT b.id, row_number() OVER w AS place, sum(length(b.body)) OVER w AS size
    {_ASKED} AND b.lane = %(lane)s WINDOW w AS (ORDER BY b.created_at, b.id)
), chosen AS (
    SELECT b.id FROM batched_calls b JOIN queued q ON q.id = b.id
     WHERE b.status = 'queued' AND (q.place = 1 OR q.place <= %(calls)s AND q.size <= %(size)s)
       FOR UPDATE OF b SKIP LOCKED
)
UPDATE batched_calls b SET status = 'sending', batch = %(batch)s FROM chosen WHERE b.id = chosen.id
"""

_CALLS = """
SELECT id, run_id, step, token, participant, request_sha, body FROM batched_calls
 WHERE batch = %(batch)s AND status IN ('sending', 'sent') ORDER BY created_at, id
"""


@dataclass(frozen=True)
class Load:
    """How much goes into one batch."""

    calls: int
    size: int


def take_lane(
    connection: Connection,
    lane: Lane,
    batch: str,
    load: Load,
    paused: Sequence[str],
    lease_s: float,
) -> list[SentCall]:
    """Take queued calls of a lane for a batch of that name; none when others were faster.

    Must run in one transaction: the batch's row is there before anything can be posted.
    """
    connection.execute(
        _TAKE,
        {
            "lane": lane.name,
            "batch": batch,
            "calls": load.calls,
            "size": load.size,
            "paused": list(paused),
        },
    )
    calls = batch_calls(connection, batch)
    if calls:
        connection.execute(
            "INSERT INTO provider_batches (id, lane, status, participant, calls, refusals, due_at) "
            "VALUES (%s, %s, %s, %s::jsonb, %s, coalesce((SELECT p.refusals FROM provider_batches p "
            "WHERE p.lane = %s AND p.status <> 'sending' ORDER BY p.created_at DESC LIMIT 1), 0), "
            "now() + make_interval(secs => %s)) ON CONFLICT (id) DO NOTHING",
            (
                *(batch, lane.name, SENDING, lane.participant.model_dump_json(), len(calls)),
                *(lane.name, lease_s),
            ),
        )
    return calls


def batch_calls(connection: Connection, batch: str) -> list[SentCall]:
    """The calls of a batch that have no answer yet."""
    return [
        SentCall(
            *(row.id, row.run_id, row.step, row.token),
            Participant.model_validate(row.participant),
            row.request_sha,
            bytes(row.body or b""),
        )
        for row in connection.execute(_CALLS, {"batch": batch}).fetchall()
    ]


def note_sent(connection: Connection, batch: str, remote: str, look_in_s: float) -> None:
    """The provider has the batch, under this name: the requests are not kept any longer."""
    connection.execute(
        "WITH sent AS (UPDATE batched_calls SET status = 'sent', body = NULL WHERE batch = %(id)s "
        "AND status = 'sending') UPDATE provider_batches SET status = 'sent', remote = %(remote)s, refusals = 0, "
        "due_at = now() + make_interval(secs => %(due)s) WHERE id = %(id)s AND status = 'sending'",
        {"id": batch, "remote": remote, "due": look_in_s},
    )


def note_refused(connection: Connection, batch: str, again_in_s: float) -> None:
    """The provider does not have the batch: its calls are queued again, its lane rests so long."""
    connection.execute(
        "WITH back AS (UPDATE batched_calls SET status = 'queued', batch = NULL WHERE batch = %(id)s "
        "AND status = 'sending') UPDATE provider_batches SET status = 'refused', refusals = refusals + 1, "
        "due_at = now() + make_interval(secs => %(due)s) WHERE id = %(id)s AND status = 'sending'",
        {"id": batch, "due": again_in_s},
    )


def refusals(connection: Connection, batch: str) -> int:
    """How often its lane was refused in a row before."""
    row = connection.execute(
        "SELECT refusals FROM provider_batches WHERE id = %s", (batch,)
    ).fetchone()
    return 0 if row is None else int(row.refusals)


# `wanted`: some turn still waits for one of its answers.
_DUE = """
WITH due AS (
    SELECT id FROM provider_batches WHERE status IN ('sending', 'sent') AND due_at <= now() AND lane <> ALL(%(not)s)
     ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED
)
UPDATE provider_batches p SET due_at = now() + make_interval(secs => %(lease)s) FROM due WHERE p.id = due.id
RETURNING p.id, p.lane, p.status, p.participant, p.calls, p.remote, p.cancelled,
          extract(epoch FROM now() - p.created_at)::float8 AS age_s,
          EXISTS (SELECT FROM batched_calls b JOIN steps s ON s.run_id = b.run_id AND s.key = b.step
                   WHERE b.batch = p.id AND b.status IN ('sending', 'sent') AND s.finished_at IS NULL) AS wanted
"""


def take_due(
    connection: Connection, lease_s: float, others: Sequence[str] = ()
) -> ProviderBatch | None:
    """Take the next batch that is due for a look, leaving out the lanes that only `others` can reach."""
    row = connection.execute(_DUE, {"lease": lease_s, "not": list(others)}).fetchone()
    if row is None:
        return None
    values = row._asdict()
    return ProviderBatch(
        **{**values, "participant": Participant.model_validate(values["participant"])}
    )


def look_again(connection: Connection, batch: str, due_s: float, *, cancelled: bool) -> None:
    """Not over yet: somebody looks again then."""
    connection.execute(
        "UPDATE provider_batches SET due_at = now() + make_interval(secs => %s), cancelled = cancelled OR %s "
        "WHERE id = %s",
        (due_s, cancelled, batch),
    )


def store_answers(connection: Connection, answers: Sequence[StoredResponse]) -> None:
    """Keep answers, also those of runs that have ended: they were paid. The same answer counts once.

    Must run in one transaction.
    """
    store_responses(connection, answers)
    connection.execute(
        "UPDATE batched_calls SET status = 'answered', body = NULL WHERE 'batch:' || id = ANY(%s) "
        "AND status IN ('sending', 'sent')",
        ([answer.attempt for answer in answers],),
    )


def end_batch(connection: Connection, batch: str) -> None:
    """Nothing more comes of it."""
    connection.execute("UPDATE provider_batches SET status = 'ended' WHERE id = %s", (batch,))


def known_remotes(connection: Connection, lane: str) -> set[str]:
    """The names of a lane's batches at its provider."""
    rows = connection.execute(
        "SELECT remote FROM provider_batches WHERE lane = %s AND remote IS NOT NULL", (lane,)
    ).fetchall()
    return {row.remote for row in rows}


def drop_unwanted(connection: Connection) -> int:
    """Forget queued calls that no turn waits for any more; how many."""
    return connection.execute(
        "DELETE FROM batched_calls b USING steps s WHERE b.status = 'queued' AND s.run_id = b.run_id "
        "AND s.key = b.step AND s.finished_at IS NOT NULL"
    ).rowcount


def overdue_calls(connection: Connection, older_than_s: float) -> list[str]:
    """Calls that were queued so long ago and could not be sent."""
    rows = connection.execute(
        "SELECT id FROM batched_calls WHERE status = 'queued' AND created_at < now() - make_interval(secs => %s)",
        (older_than_s,),
    ).fetchall()
    return [row.id for row in rows]


def anything_open(connection: Connection) -> bool:
    """Whether a courier has anything to do at all."""
    row = connection.execute(
        "SELECT EXISTS (SELECT FROM batched_calls WHERE released_at IS NULL) "
        "OR EXISTS (SELECT FROM provider_batches WHERE status IN ('sending', 'sent')) AS open"
    ).fetchone()
    return bool(row and row.open)

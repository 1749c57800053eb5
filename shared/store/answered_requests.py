"""Requests with an Idempotency-Key: the first one is answered by work, those after it with the same answer.

Work that a killed process began is forgotten after `HELD_S`: the next request of that key does it.
"""

from __future__ import annotations

from dataclasses import dataclass

from shared.store.database import Connection

HELD_S = 120.0
KEPT_S = 86_400.0


@dataclass(frozen=True)
class AnsweredRequest:
    """What was answered to the request with this fingerprint; `status` None: it is under way."""

    fingerprint: str
    status: int | None
    body: bytes
    location: str | None


def begin_request(
    connection: Connection, actor: str, key: str, fingerprint: str
) -> AnsweredRequest | None:
    """None: it is the caller's to answer; else what stands under the key."""
    connection.execute(
        "DELETE FROM answered_requests WHERE created_at < now() - make_interval(secs => %s)",
        (KEPT_S,),
    )
    taken = connection.execute(
        "INSERT INTO answered_requests AS a (actor, key, fingerprint) VALUES (%(actor)s, %(key)s, %(fingerprint)s) "
        "ON CONFLICT (actor, key) DO UPDATE SET created_at = now() WHERE a.status IS NULL "
        "AND a.fingerprint = %(fingerprint)s AND a.created_at < now() - make_interval(secs => %(held)s) "
        "RETURNING 1",
        {"actor": actor, "key": key, "fingerprint": fingerprint, "held": HELD_S},
    ).fetchone()
    if taken is not None:
        return None
    row = connection.execute(
        "SELECT fingerprint, status, body, location FROM answered_requests WHERE actor = %s AND key = %s",
        (actor, key),
    ).fetchone()
    if row is None:  # it was given up in between
        return AnsweredRequest(fingerprint, None, b"", None)
    return AnsweredRequest(row[0], row[1], bytes(row[2] or b""), row[3])


def keep_answer(
    connection: Connection, actor: str, key: str, status: int, body: bytes, location: str | None
) -> None:
    """What every further request of the key is answered with."""
    connection.execute(
        "UPDATE answered_requests SET status = %s, body = %s, location = %s WHERE actor = %s AND key = %s",
        (status, body, location, actor, key),
    )


def give_up_request(connection: Connection, actor: str, key: str) -> None:
    """It came to nothing: the key is free again."""
    connection.execute(
        "DELETE FROM answered_requests WHERE actor = %s AND key = %s AND status IS NULL",
        (actor, key),
    )

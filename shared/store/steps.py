"""A step's life: claimed by compare-and-set, its responses stored, finished under its token.

    pending ──claim (token+1, attempts+1)──> leased ──finish (same token)──> done | failed
       ^                                        │
       └── release: its process is gone, or the lease ran out ──┘

`claim` counts the attempt before any side effect, so a step that kills its worker is counted too. All moments
are the database's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from shared.models.outcomes import FailureKind
from shared.models.steps import StepKind
from shared.store.children import ALLOWED_TO_CALL
from shared.store.database import Connection
from shared.store.requests import REQUEST


@dataclass(frozen=True)
class Promises:
    """What a run was promised at its submission, as its stored specification says it."""

    allow_external: bool = True
    allow_models: bool = True

    def narrowed(self, allow_external: bool) -> Promises:
        """The same, with what a step says itself: both have to allow a call."""
        return replace(self, allow_external=self.allow_external and allow_external)


@dataclass(frozen=True)
class Claim:
    """The right to work on a step: valid while the step carries `token`.

    `request` is JSON; `age_s` counts from when it was asked.
    """

    run: str
    step: str
    token: int
    kind: StepKind
    request: str
    attempts: int
    lease_s: float
    responses: tuple[bytes, ...]
    age_s: float = field(default=0.0, compare=False)
    promises: Promises = Promises()


@dataclass(frozen=True)
class Refusal:
    """Why there was nothing to claim: the step's status, or why its run does not allow it."""

    status: str
    open_steps: int


# Locks nothing but steps, and of many only those that nobody else has: two that take the same steps in another order
# would wait for one another. What was left out is asked for by itself.
_CLAIM = f"""
WITH asked AS (
    SELECT * FROM unnest(%(runs)s::text[], %(steps)s::text[], %(nonces)s::text[]) AS a(run_id, key, nonce)
), free AS (
    SELECT f.* FROM asked a CROSS JOIN LATERAL (
        SELECT s.run_id, s.key, a.nonce, r.allow_external, r.allow_models
          FROM steps s JOIN runs r ON r.id = s.run_id
         WHERE s.run_id = a.run_id AND s.key = a.key AND r.status = 'running'
           AND s.status = 'pending' AND s.attempts < s.max_attempts AND s.kind <> 'run' AND {ALLOWED_TO_CALL}
           AND (s.not_before IS NULL OR s.not_before <= now())
           FOR UPDATE OF s {{skip}}) f
), claimed AS (
    UPDATE steps s
       SET status = 'leased', token = s.token + 1, attempts = s.attempts + 1, owner = %(owner)s,
           claim = f.nonce, leased_at = now(), lease_until = now() + make_interval(secs => s.lease_s)
      FROM free f WHERE s.run_id = f.run_id AND s.key = f.key
 RETURNING s.run_id, s.key, s.position, s.token, s.kind, s.attempts, s.lease_s, s.created_at,
           f.allow_external, f.allow_models
)
SELECT c.run_id, c.key, c.token, c.kind, ({REQUEST.format(step="c")})::text AS request, c.attempts, c.lease_s,
       extract(epoch FROM now() - c.created_at)::float8 AS age_s,
       CASE WHEN c.token > 1 THEN ARRAY(
           SELECT d.content FROM usage u JOIN documents d ON d.sha256 = u.response
            WHERE u.run_id = c.run_id AND u.step = c.key ORDER BY u.id) END AS responses,
       c.allow_external, c.allow_models
  FROM claimed c
"""
_CLAIM_ONE = _CLAIM.format(skip="")
_CLAIM_MANY = _CLAIM.format(skip="SKIP LOCKED")

_CLAIMED_ALREADY = """
WITH claimed AS (
    SELECT s.*, r.allow_external, r.allow_models
      FROM unnest(%(runs)s::text[], %(steps)s::text[], %(nonces)s::text[]) AS a(run_id, key, nonce)
      JOIN steps s ON s.run_id = a.run_id AND s.key = a.key AND s.status = 'leased' AND s.claim = a.nonce
      JOIN runs r ON r.id = s.run_id
)
""" + _CLAIM_ONE[_CLAIM_ONE.index("SELECT c.run_id") :]

_REFUSED = """
SELECT s.run_id, s.key, s.status, r.status AS run_status, r.open_steps
  FROM unnest(%(runs)s::text[], %(steps)s::text[]) AS a(run_id, key)
  JOIN steps s ON s.run_id = a.run_id AND s.key = a.key JOIN runs r ON r.id = s.run_id
"""


@dataclass(frozen=True)
class WantedStep:
    """A step that somebody wants to work on; `nonce` makes asking twice the same as asking once."""

    run: str
    step: str
    nonce: str


def claim_steps(
    connection: Connection, wanted: Sequence[WantedStep], owner: str
) -> list[Claim | Refusal]:
    """Take pending steps, in one statement; what came of each. The same nonce gives the same claim again."""
    many = len(wanted) > 1
    claims = _claims(connection, _CLAIM_MANY if many else _CLAIM_ONE, wanted, owner)
    if many:
        for missed in _missing(wanted, claims):
            claims |= _claims(connection, _CLAIM_ONE, [missed], owner)
    if missing := _missing(wanted, claims):
        claims |= _claims(connection, _CLAIMED_ALREADY, missing, owner)
    refusals = _refusals(connection, missing) if (missing := _missing(wanted, claims)) else {}
    taken = frozenset(claims)
    given: list[Claim | Refusal] = []
    for want in wanted:
        place = (want.run, want.step)
        if place in claims:
            given.append(claims.pop(place))
        elif place in taken:  # asked for twice, and given to whoever asked first
            given.append(Refusal("leased", -1))
        else:
            given.append(refusals.get(place, Refusal("unknown", -1)))
    return given


def _missing(
    wanted: Sequence[WantedStep], claims: Mapping[tuple[str, str], Claim]
) -> list[WantedStep]:
    return [want for want in wanted if (want.run, want.step) not in claims]


def _claims(
    connection: Connection, statement: str, wanted: Sequence[WantedStep], owner: str
) -> dict[tuple[str, str], Claim]:
    names = {
        "runs": [want.run for want in wanted],
        "steps": [want.step for want in wanted],
        "nonces": [want.nonce for want in wanted],
        "owner": owner,
    }
    return {
        (row.run_id, row.key): Claim(
            run=row.run_id,
            step=row.key,
            token=row.token,
            kind=StepKind(row.kind),
            request=row.request,
            attempts=row.attempts,
            lease_s=row.lease_s,
            responses=tuple(bytes(content) for content in row.responses or ()),
            age_s=max(row.age_s, 0.0),
            promises=Promises(row.allow_external, row.allow_models),
        )
        for row in connection.execute(statement, names).fetchall()
    }


def _refusals(
    connection: Connection, wanted: Sequence[WantedStep]
) -> dict[tuple[str, str], Refusal]:
    names = {"runs": [want.run for want in wanted], "steps": [want.step for want in wanted]}
    return {
        (row.run_id, row.key): Refusal(
            row.status if row.run_status == "running" else f"run {row.run_status}", row.open_steps
        )
        for row in connection.execute(_REFUSED, names).fetchall()
    }


def claim(connection: Connection, run: str, step: str, owner: str, nonce: str) -> Claim | Refusal:
    """Take one pending step."""
    [given] = claim_steps(connection, [WantedStep(run, step, nonce)], owner)
    return given


def hand_back(
    connection: Connection,
    claimed: Claim,
    delay_s: float,
    *,
    counted: bool = True,
    why: str = "",
) -> bool:
    """Return a leased step, to be taken again after `delay_s`; the sweeper publishes it then.

    Its note says `why` until it is finished, so that anyone who looks at the run sees what it waits for.

    The attempt stays counted: that is what ends a provider that always fails. It does not when nothing was tried
    (`counted=False`: the step waits for its turn).
    """
    row = connection.execute(
        "UPDATE steps SET status = 'pending', owner = NULL, not_before = now() + make_interval(secs => %s), "
        "attempts = attempts - %s, dispatched_at = NULL, dispatches = 0, note = %s, "
        "held_back_at = coalesce(held_back_at, now()) "
        "WHERE run_id = %s AND key = %s AND token = %s AND status = 'leased' RETURNING key",
        (delay_s, 0 if counted else 1, why, claimed.run, claimed.step, claimed.token),
    ).fetchone()
    return row is not None


def is_held(connection: Connection, claimed: Claim) -> bool:
    """Whether a step is still leased under the claim's token, in a run that goes on."""
    row = connection.execute(
        "SELECT FROM steps s JOIN runs r ON r.id = s.run_id WHERE s.run_id = %s AND s.key = %s AND s.token = %s "
        "AND s.status = 'leased' AND r.status = 'running'",
        (claimed.run, claimed.step, claimed.token),
    ).fetchone()
    return row is not None


def held(connection: Connection, owner: str) -> set[tuple[str, str, int]]:
    """The (run, step, token) that `owner` still holds in runs that go on."""
    rows = connection.execute(
        "SELECT s.run_id, s.key, s.token FROM steps s JOIN runs r ON r.id = s.run_id "
        "WHERE s.finished_at IS NULL AND s.status = 'leased' AND s.owner = %s AND r.status IN ('running', 'blocked')",
        (owner,),
    ).fetchall()
    return {(row.run_id, row.key, row.token) for row in rows}


def release_leases(
    connection: Connection, owner: str, holdings: Iterable[tuple[str, str, int]]
) -> None:
    """Return steps that `owner` holds under these tokens and does not work on. Their attempts stay counted."""
    runs, steps, tokens = zip(*holdings, strict=True)
    connection.execute(
        "UPDATE steps s SET status = 'pending', owner = NULL, dispatched_at = NULL, not_before = NULL "
        "FROM unnest(%s::text[], %s::text[], %s::bigint[]) AS h(run_id, key, token) "
        "WHERE s.run_id = h.run_id AND s.key = h.key AND s.token = h.token AND s.status = 'leased' AND s.owner = %s",
        (list(runs), list(steps), list(tokens), owner),
    )


def fail_open_steps(
    connection: Connection, run: str, kind: FailureKind, message: str
) -> Sequence[str]:
    """Fail every open step of a run (its row must be locked); returns their keys. Late finishers find a stale token.

    Child runs have the same deadline: they end by themselves, with everything that they have. Of a step that had been
    handed back, the message says what it was waiting for, too.
    """
    rows = connection.execute(
        "UPDATE steps SET status = 'failed', token = token + 1, failure_kind = %s, "
        "failure_message = %s || CASE WHEN status = 'pending' AND note <> '' THEN '; ' || note ELSE '' END, "
        "note = '', finished_at = clock_timestamp() "
        "WHERE run_id = %s AND finished_at IS NULL AND status IN ('pending', 'leased') AND kind <> 'run' RETURNING key",
        (kind, message, run),
    ).fetchall()
    connection.execute(
        "UPDATE runs r SET updated_at = now(), open_steps = (SELECT count(*) FROM steps s WHERE s.run_id = r.id "
        "AND s.finished_at IS NULL "
        "AND s.status = 'pending' AND s.kind = 'run') WHERE id = %s",
        (run,),
    )
    return [row.key for row in rows]

"""A step's life: claimed by compare-and-set, its responses stored, finished under its token.

    pending ──claim (token+1, attempts+1)──> leased ──finish (same token)──> done | failed
       ^                                        │
       └── release: its process is gone, or the lease ran out ──┘

`claim` counts the attempt before any side effect, so a step that kills its worker is counted too. All moments
are the database's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from shared.models.outcomes import FailureKind, StepStatus
from shared.models.steps import Failure, StepKind, Usage
from shared.store.children import ALLOWED_TO_CALL
from shared.store.database import Connection
from shared.store.documents import address


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
    """The right to work on a step: valid while the step carries `token`. `age_s` counts from when it was asked."""

    run: str
    step: str
    token: int
    kind: StepKind
    request: dict[str, Any]
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


@dataclass(frozen=True)
class StoredResponse:
    """One paid answer, to be stored before it is read."""

    run: str
    step: str
    token: int
    worker: str
    participant: str
    provider: str
    model: str | None
    request_sha: str
    content: bytes
    usage: Usage
    attempt: str


_CLAIM = f"""
WITH claimed AS (
    UPDATE steps s
       SET status = 'leased', token = s.token + 1, attempts = s.attempts + 1, owner = %(owner)s,
           claim = %(claim)s, leased_at = now(), lease_until = now() + make_interval(secs => s.lease_s)
      FROM runs r
     WHERE s.run_id = %(run)s AND s.key = %(step)s AND r.id = s.run_id AND r.status = 'running'
       AND s.status = 'pending' AND s.attempts < s.max_attempts AND s.kind <> 'run' AND {ALLOWED_TO_CALL}
       AND (s.not_before IS NULL OR s.not_before <= now())
 RETURNING s.token, s.kind, s.request, s.attempts, s.lease_s, s.created_at
)
SELECT c.token, c.kind, c.request, c.attempts, c.lease_s,
       extract(epoch FROM now() - c.created_at)::float8 AS age_s,
       CASE WHEN c.token > 1 THEN ARRAY(
           SELECT d.content FROM usage u JOIN documents d ON d.sha256 = u.response
            WHERE u.run_id = %(run)s AND u.step = %(step)s ORDER BY u.id) END AS responses,
       (SELECT COALESCE((r.spec->>'allow_external')::boolean, true) FROM runs r WHERE r.id = %(run)s) AS allow_external,
       (SELECT COALESCE((r.spec->>'allow_models')::boolean, true) FROM runs r WHERE r.id = %(run)s) AS allow_models
  FROM claimed c
"""

_CLAIMED_ALREADY = _CLAIM[_CLAIM.index("SELECT c.token") :].replace(
    "claimed c",
    "(SELECT * FROM steps WHERE run_id = %(run)s AND key = %(step)s AND status = 'leased' AND claim = %(claim)s) c",
)

_REFUSED = """
SELECT s.status, s.attempts >= s.max_attempts AS spent, r.status AS run_status, r.open_steps
  FROM steps s JOIN runs r ON r.id = s.run_id WHERE s.run_id = %(run)s AND s.key = %(step)s
"""


def claim(connection: Connection, run: str, step: str, owner: str, nonce: str) -> Claim | Refusal:
    """Take a pending step. Repeating the call with the same `nonce` gives the same claim."""
    names = {"run": run, "step": step, "owner": owner, "claim": nonce}
    row = connection.execute(_CLAIM, names).fetchone()
    if row is None:
        row = connection.execute(_CLAIMED_ALREADY, names).fetchone()
    if row is None:
        refused = connection.execute(_REFUSED, names).fetchone()
        if refused is None:
            return Refusal("unknown", -1)
        if refused.run_status != "running":
            return Refusal(f"run {refused.run_status}", refused.open_steps)
        return Refusal(refused.status, refused.open_steps)
    return Claim(
        run=run,
        step=step,
        token=row.token,
        kind=StepKind(row.kind),
        request=row.request,
        attempts=row.attempts,
        lease_s=row.lease_s,
        responses=tuple(bytes(content) for content in row.responses or ()),
        age_s=max(row.age_s, 0.0),
        promises=Promises(row.allow_external, row.allow_models),
    )


_STORE_USAGE = """
INSERT INTO usage (run_id, step, token, worker, participant, provider, model, request_sha, response, attempt,
                   input_tokens, output_tokens, cached_tokens, cost_usd)
SELECT %(run)s, %(step)s, %(token)s, %(worker)s, %(participant)s, %(provider)s, %(model)s, %(request_sha)s,
       %(response)s, %(attempt)s, %(input_tokens)s, %(output_tokens)s, %(cached_tokens)s, %(call_cost_usd)s
 WHERE EXISTS (SELECT FROM runs WHERE id = %(run)s)
ON CONFLICT (run_id, step, attempt) DO NOTHING
"""


_STORE = (
    "WITH document AS (INSERT INTO documents (sha256, content) "
    "SELECT %(response)s, %(content)s WHERE %(response)s::text IS NOT NULL ON CONFLICT DO NOTHING)"
    + _STORE_USAGE
)


def store_response(connection: Connection, response: StoredResponse) -> None:
    """Keep a paid answer, whatever happens to its step, unless its run is gone. The same `attempt` is kept once."""
    connection.execute(_STORE, {**_usage_values(response), "content": response.content})


def _usage_values(response: StoredResponse) -> dict[str, Any]:
    return {
        "run": response.run,
        "step": response.step,
        "token": response.token,
        "worker": response.worker,
        "participant": response.participant,
        "provider": response.provider,
        "model": response.model,
        "request_sha": response.request_sha,
        "response": address(response.content) if response.content else None,
        "attempt": response.attempt,
        "input_tokens": response.usage.input_tokens,
        "output_tokens": response.usage.output_tokens,
        "cached_tokens": response.usage.cached_tokens,
        "call_cost_usd": response.usage.cost_usd,
    }


# The run's row is locked first, as `advance` does: finishers of one run queue up, so exactly one of them sees
# that nothing is open any more, and nobody can deadlock with a reducer.
_FINISH = """
WITH run AS (SELECT id FROM runs WHERE id = %(run)s FOR UPDATE),
finished AS (
    UPDATE steps s
       SET status = %(status)s, reply = %(reply)s::jsonb, failure_kind = %(failure_kind)s,
           failure_message = %(failure_message)s, note = %(note)s, tokens = %(tokens)s,
           cost_usd = %(cost_usd)s, finished_at = clock_timestamp()
      FROM run
     WHERE s.run_id = run.id AND s.key = %(step)s AND s.token = %(token)s AND s.status = 'leased'
 RETURNING s.run_id
)
UPDATE runs r SET open_steps = r.open_steps - 1, updated_at = clock_timestamp()
  FROM finished WHERE r.id = finished.run_id RETURNING r.open_steps
"""

# The answer of a participant that costs nothing needs no commit of its own: it is stored with the end of its step.
_FINISH_WITH_RESPONSE = _FINISH.replace(
    "WITH run AS", "WITH response AS (" + _STORE_USAGE + "), run AS", 1
)

_FINISHED_ALREADY = """
SELECT r.open_steps FROM steps s JOIN runs r ON r.id = s.run_id
 WHERE s.run_id = %(run)s AND s.key = %(step)s AND s.token = %(token)s AND s.status IN ('done', 'failed')
"""


def finish(
    connection: Connection,
    claimed: Claim,
    *,
    reply: str | None,
    failure: Failure | None,
    note: str = "",
    tokens: int | None = None,
    cost_usd: float | None = None,
    response: StoredResponse | None = None,
) -> int | None:
    """Accept a step's end under its token.

    `reply` is the reply model's JSON, `response` a call that cost nothing and is counted in the same statement.
    Returns how many steps of the run are still open, or None when the token is
    stale: somebody else took over, nothing was written.
    """
    values = {
        "run": claimed.run,
        "step": claimed.step,
        "token": claimed.token,
        "status": StepStatus.DONE if failure is None else StepStatus.FAILED,
        "reply": reply,
        "failure_kind": None if failure is None else failure.kind,
        "failure_message": None if failure is None else failure.message,
        "note": note,
        "tokens": tokens,
        "cost_usd": cost_usd,
    }
    statement = _FINISH
    if response is not None:
        statement = _FINISH_WITH_RESPONSE
        values = {**_usage_values(response), **values}
    row = connection.execute(statement, values).fetchone()
    if row is None:
        row = connection.execute(_FINISHED_ALREADY, values).fetchone()
    return None if row is None else int(row.open_steps)


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
        "attempts = attempts - %s, dispatched_at = NULL, dispatches = 0, note = %s "
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
        "WHERE s.status = 'leased' AND s.owner = %s AND r.status IN ('running', 'blocked')",
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
        "WHERE run_id = %s AND status IN ('pending', 'leased') AND kind <> 'run' RETURNING key",
        (kind, message, run),
    ).fetchall()
    connection.execute(
        "UPDATE runs r SET updated_at = now(), open_steps = (SELECT count(*) FROM steps s WHERE s.run_id = r.id "
        "AND s.status = 'pending' AND s.kind = 'run') WHERE id = %s",
        (run,),
    )
    return [row.key for row in rows]

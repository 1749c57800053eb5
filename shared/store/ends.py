"""How steps end: paid answers stored before they are read, ends accepted under their tokens, many in one statement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_core import to_json

from shared.models.outcomes import StepStatus
from shared.models.steps import Failure, Usage
from shared.store.database import Connection
from shared.store.documents import STORED, address
from shared.store.sealing import seal_bytes, seal_json, seal_text
from shared.store.splicing import spliced
from shared.store.steps import Claim


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


@dataclass(frozen=True)
class StepEnd:
    """The end of a claimed step: its reply (the reply model's JSON) or its failure, and what its calls came to.

    `responses` are calls that cost nothing: they are counted in the same statement.
    """

    claimed: Claim
    reply: str | None = None
    failure: Failure | None = None
    note: str = ""
    tokens: int | None = None
    cost_usd: float | None = None
    responses: tuple[StoredResponse, ...] = ()


# Answers for a run that is gone are not kept. `runs` are those of `calls`: of JSON the planner expects a hundred rows.
_COUNT = """
INSERT INTO usage (run_id, step, token, worker, participant, provider, model, request_sha, response, attempt,
                   input_tokens, output_tokens, cached_tokens, cost_usd)
SELECT u.* FROM jsonb_to_recordset(%(calls)s::jsonb) AS u(
       run text, step text, token bigint, worker text, participant text, provider text, model text, request_sha text,
       response text, attempt text, input_tokens bigint, output_tokens bigint, cached_tokens bigint, cost_usd float8)
 WHERE EXISTS (SELECT FROM runs r WHERE r.id = u.run AND r.id = ANY(%(runs)s))
ON CONFLICT (run_id, step, attempt) DO NOTHING
"""

_STORE = f"WITH {STORED}" + _COUNT


def store_responses(connection: Connection, responses: Sequence[StoredResponse]) -> None:
    """Keep answers, whatever happens to their steps, unless their run is gone. The same `attempt` is kept once."""
    contents = {address(r.content): r.content for r in responses if r.content}
    names = {
        "names": sorted(contents),
        "contents": seal_bytes(connection, [contents[name] for name in sorted(contents)]),
        "calls": _calls(responses),
        "runs": list({response.run for response in responses}),
    }
    connection.execute(_STORE, names)


def store_response(connection: Connection, response: StoredResponse) -> None:
    """Keep one answer."""
    store_responses(connection, [response])


def _calls(responses: Sequence[StoredResponse]) -> str:
    return to_json(
        [
            {
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
                "cost_usd": response.usage.cost_usd,
            }
            for response in responses
        ]
    ).decode()


# The runs' rows are locked first, as `advance` does: finishers of one run queue up, so exactly one of them sees that
# nothing is open any more, and nobody can deadlock with a reducer. Of many runs those below others come first, as
# whoever holds a run may ask for those above it; and all finishers take them in the same order.
_FINISH = """
WITH ends AS (
    SELECT * FROM jsonb_to_recordset(%(ends)s::jsonb) AS e(
           run text, step text, token bigint, status text, reply jsonb, failure_kind text, failure_message text,
           note text, tokens bigint, cost_usd float8)
), locked AS MATERIALIZED (
    SELECT id FROM runs WHERE id = ANY(%(runs)s) ORDER BY depth DESC, id FOR UPDATE
), finished AS (
    UPDATE steps s
       SET status = e.status, reply = e.reply, failure_kind = e.failure_kind, failure_message = e.failure_message,
           note = e.note, tokens = e.tokens, cost_usd = e.cost_usd, finished_at = clock_timestamp()
      FROM ends e JOIN locked l ON l.id = e.run
     WHERE s.run_id = e.run AND s.key = e.step AND s.token = e.token AND s.status = 'leased'
 RETURNING s.run_id, s.key, s.token
), counted_down AS (
    UPDATE runs r SET open_steps = r.open_steps - n.ended, updated_at = clock_timestamp()
      FROM (SELECT run_id, count(*) AS ended FROM finished GROUP BY run_id) n
     WHERE r.id = n.run_id RETURNING r.id, r.open_steps
)
SELECT f.run_id, f.key, f.token, c.open_steps FROM finished f JOIN counted_down c ON c.id = f.run_id
"""

# The answer of a participant that costs nothing needs no commit of its own: it is stored with the end of its step.
_FINISH_WITH_CALLS = _FINISH.replace("WITH ends AS", f"WITH counted AS ({_COUNT}), ends AS", 1)

_FINISHED_ALREADY = """
SELECT s.run_id, s.key, s.token, r.open_steps
  FROM unnest(%(runs)s::text[], %(steps)s::text[], %(tokens)s::bigint[]) AS e(run_id, key, token)
  JOIN steps s ON s.run_id = e.run_id AND s.key = e.key AND s.token = e.token AND s.status IN ('done', 'failed')
  JOIN runs r ON r.id = s.run_id
"""


def finish_steps(connection: Connection, ends: Sequence[StepEnd]) -> list[int | None]:
    """Accept the ends of steps under their tokens, with one statement.

    For each how many steps of its run are open when it and those before it have ended, so that one of them is the last;
    or None when its token is stale: somebody else took over, nothing of it was written.
    """
    names: dict[str, Any] = {
        "ends": f"[{','.join(_end(connection, end) for end in ends)}]",
        "runs": list({end.claimed.run for end in ends}),
    }
    statement = _FINISH
    if calls := [call for end in ends for call in end.responses]:
        statement, names["calls"] = _FINISH_WITH_CALLS, _calls(calls)
    accepted = _open_steps(connection, statement, names)
    if stale := [end.claimed for end in ends if _holding(end) not in accepted]:
        accepted |= _finished_already(connection, stale)
    return _one_by_one([(end.claimed.run, accepted.get(_holding(end))) for end in ends])


def _one_by_one(ended: Sequence[tuple[str, int | None]]) -> list[int | None]:
    """What is open after each, from what is open after all of them."""
    following: Counter[str] = Counter()
    counts: list[int | None] = []
    for run, open_steps in reversed(ended):
        counts.append(None if open_steps is None else open_steps + following[run])
        following[run] += open_steps is not None
    return counts[::-1]


def _finished_already(
    connection: Connection, claims: Sequence[Claim]
) -> dict[tuple[str, str, int], int]:
    names = {
        "runs": [claimed.run for claimed in claims],
        "steps": [claimed.step for claimed in claims],
        "tokens": [claimed.token for claimed in claims],
    }
    return _open_steps(connection, _FINISHED_ALREADY, names)


def _open_steps(
    connection: Connection, statement: str, names: dict[str, Any]
) -> dict[tuple[str, str, int], int]:
    rows = connection.execute(statement, names).fetchall()
    return {(row.run_id, row.key, row.token): row.open_steps for row in rows}


def _holding(end: StepEnd) -> tuple[str, str, int]:
    return end.claimed.run, end.claimed.step, end.claimed.token


def _end(connection: Connection, end: StepEnd) -> str:
    """An end as JSON; the reply is JSON already and goes in as it is."""
    fields = {
        "run": end.claimed.run,
        "step": end.claimed.step,
        "token": end.claimed.token,
        "status": StepStatus.DONE if end.failure is None else StepStatus.FAILED,
        "failure_kind": None if end.failure is None else end.failure.kind,
        "failure_message": None
        if end.failure is None
        else seal_text(connection, end.failure.message),
        "note": seal_text(connection, end.note),
        "tokens": end.tokens,
        "cost_usd": end.cost_usd,
    }
    return spliced(fields, reply=seal_json(connection, end.reply or "null"))


def finish(
    connection: Connection,
    claimed: Claim,
    *,
    reply: str | None,
    failure: Failure | None,
    note: str = "",
    tokens: int | None = None,
    cost_usd: float | None = None,
    responses: tuple[StoredResponse, ...] = (),
) -> int | None:
    """Accept the end of one step."""
    end = StepEnd(claimed, reply, failure, note, tokens, cost_usd, responses)
    [open_steps] = finish_steps(connection, [end])
    return open_steps

"""Write everything of one advance, in as few statements as it takes: two or three in most advances."""

from __future__ import annotations

import json
from collections.abc import Sequence

from shared.models.outcomes import RunStatus
from shared.store.children import report_to_parent
from shared.store.database import Connection
from shared.store.runs import Changes, LockedRun, NewDecision, NewRecord, NewStep, create_run

_SAVE = """
WITH stored AS (
    INSERT INTO documents (sha256, content)
    SELECT * FROM unnest(%(names)s::text[], %(contents)b::bytea[]) ON CONFLICT DO NOTHING
), scheduled AS (
    INSERT INTO steps (run_id, key, position, kind, participant, role, round, task, queue, fingerprint, request,
                       status, failure_kind, failure_message, finished_at, max_attempts, lease_s, dispatched_at,
                       dispatches)
    SELECT %(run)s, key, position, kind, participant, role, round, task, queue, fingerprint, request, status,
           failure_kind, failure_message, CASE WHEN status = 'failed' THEN clock_timestamp() END, max_attempts,
           lease_s, now(), 1
      FROM jsonb_to_recordset(%(steps)s::jsonb) AS s(
           key text, position int, kind text, participant text, role text, round int, task text, queue text,
           fingerprint text, request jsonb, status text, failure_kind text, failure_message text, max_attempts int,
           lease_s double precision)
), recorded AS (
    INSERT INTO records (run_id, key, kind, position, body)
    SELECT %(run)s, key, kind, position, body
      FROM jsonb_to_recordset(%(records)s::jsonb) AS r(key text, kind text, position int, body jsonb)
), logged AS (
    INSERT INTO events (run_id, seq, type, body)
    SELECT %(run)s, (SELECT coalesce(max(seq), 0) FROM events WHERE run_id = %(run)s) + n, e->>0, e->1
      FROM jsonb_array_elements(%(events)s::jsonb) WITH ORDINALITY AS t(e, n)
)
UPDATE runs SET status = %(status)s, phase = %(phase)s, noted_steps = %(noted_steps)s, advances = advances + 1,
       open_steps = %(open_steps)s, outcome = coalesce(%(outcome)s::jsonb, outcome),
       verdict = coalesce(%(verdict)s, verdict), ending = coalesce(%(ending)s, ending),
       blocked_reason = %(blocked_reason)s, updated_at = clock_timestamp(),
       finished_at = CASE WHEN %(final)s THEN now() END
 WHERE id = %(run)s
"""


# A run's clock stands still while a person is asked: only what machines take counts against its deadline, which is
# that of its root.
_CONSUME = """
WITH consumed AS (
    UPDATE decisions SET consumed_at = now() WHERE run_id = %(run)s AND key = ANY(%(keys)s) AND consumed_at IS NULL
 RETURNING now() - opened_at AS waited
)
UPDATE runs SET deadline_at = deadline_at + (SELECT sum(waited) FROM consumed)
 WHERE id = %(root)s AND EXISTS (SELECT FROM consumed)
"""


def save(connection: Connection, run: LockedRun, changes: Changes) -> str | None:
    """Write everything of one advance; the caller's transaction holds the run's lock.

    Returns the run's parent when this was the last that it waited for.
    """
    for decision in changes.decisions:
        _open_decision(connection, run.id, decision)
    for record in changes.records:
        if record.findings or record.stances:
            _write_ledger(connection, run.id, record)
    names = sorted(changes.documents)
    connection.execute(
        _SAVE,
        {
            "run": run.id,
            "names": names,
            "contents": [changes.documents[name] for name in names],
            "steps": _rows(changes.steps, "request"),
            "records": _rows(changes.records, "body", without=("findings", "stances")),
            "events": json.dumps(changes.events, ensure_ascii=False, default=str),
            "status": changes.status,
            "phase": changes.phase,
            "noted_steps": changes.noted_steps,
            "open_steps": changes.open_steps,
            "outcome": changes.outcome,
            "verdict": changes.verdict,
            "ending": changes.ending,
            "blocked_reason": changes.blocked_reason,
            "final": changes.status.final,
        },
    )
    for child in changes.children:
        create_run(
            connection,
            run=child.run,
            title=child.title,
            spec=child.spec,
            root_task=run.root_task,
            documents=child.documents,
            child_of=child.child_of,
        )
    awaited = _reported(connection, run, changes.status)
    if changes.consumed_decisions:  # last: what is locked goes from the leaf to the root
        keys = list(changes.consumed_decisions)
        root = run.root_run or run.id
        connection.execute(_CONSUME, {"run": run.id, "root": root, "keys": keys})
    return run.parent_run if awaited else None


def _reported(connection: Connection, run: LockedRun, status: RunStatus) -> bool:
    if run.parent_run is None or run.parent_step is None:
        return False
    if not status.final and status is not RunStatus.BLOCKED:
        return False
    return report_to_parent(connection, run.id, run.parent_run, run.parent_step)


def _rows(
    new: Sequence[NewStep] | Sequence[NewRecord], spliced: str, without: Sequence[str] = ()
) -> str:
    """Steps or records as a JSON array; the field `spliced` is JSON already and goes in as it is."""
    rows = []
    for row in new:
        fields = {name: value for name, value in row.__dict__.items() if name not in without}
        text = fields.pop(spliced)
        rows.append(f'{json.dumps(fields)[:-1]}, "{spliced}": {text}}}')
    return f"[{', '.join(rows)}]"


def _open_decision(connection: Connection, run: str, decision: NewDecision) -> None:
    connection.execute(
        "INSERT INTO decisions (run_id, key, kind, question, shown_sha256, state, on_timeout, deadline_at) "
        "VALUES (%s, %s, %s, %s::jsonb, %s, 'open', %s, now() + make_interval(secs => %s)) ON CONFLICT DO NOTHING",
        (
            run,
            decision.key,
            decision.kind,
            decision.question,
            decision.shown_sha256,
            decision.on_timeout,
            decision.timeout_s,
        ),
    )


_LEDGER = """
WITH found AS (
    INSERT INTO findings (run_id, id, title, severity, status, path, line, rule, body)
    SELECT %(run)s, f->>'id', f->>'title', f->>'severity', f->>'status', f->'place'->>'path',
           (f->'place'->>'line')::int, f->>'rule', f
      FROM jsonb_array_elements(%(findings)s::jsonb) AS f
    ON CONFLICT (run_id, id) DO UPDATE SET title = excluded.title, severity = excluded.severity,
           status = excluded.status, path = excluded.path, line = excluded.line, body = excluded.body
)
INSERT INTO stances (run_id, record, round, participant, role, finding, position, reason)
SELECT %(run)s, %(key)s, (s->>'round')::int, s->>'participant', s->>'role', s->>'finding', s->>'position',
       left(s->>'reason', 2000)
  FROM jsonb_array_elements(%(stances)s::jsonb) AS s
ON CONFLICT DO NOTHING
"""


def _write_ledger(connection: Connection, run: str, record: NewRecord) -> None:
    connection.execute(
        _LEDGER,
        {
            "run": run,
            "key": record.key,
            "findings": f"[{','.join(finding.model_dump_json() for finding in record.findings)}]",
            "stances": f"[{','.join(stance.model_dump_json() for stance in record.stances)}]",
        },
    )

"""Write everything of an advance, or of many in one transaction: one statement, and more for what few of them write."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shared.models.findings import Stance
from shared.models.outcomes import RunStatus
from shared.models.webhooks import WebhookEvent
from shared.store.children import report_to_parent
from shared.store.database import Connection
from shared.store.documents import STORED
from shared.store.outbox import announce_decision, announce_runs
from shared.store.requests import MOST_TOGETHER
from shared.store.runs import Changes, LockedRun, NewDecision, NewRecord, NewStep, create_run
from shared.store.sealing import seal_bytes, seal_json
from shared.store.splicing import spliced

_NOW = "(SELECT at FROM moment)"
_LONGEST_REASON = 2_000

# `named` are the runs of `runs`: of JSON the planner expects a hundred rows (of JSON in JSON ten thousand), and would
# read all runs for them, and have the statement compiled.
# One moment for all that is written: what ended before it was known to the advance (shared/store/events.py).
_SAVE = f"""
WITH given AS (
    SELECT * FROM jsonb_to_recordset(%(runs)s::jsonb) AS g(
           run text, status text, phase text, noted_steps int, open_steps int, outcome jsonb, verdict text,
           ending text, blocked_reason text, final boolean, steps jsonb, records jsonb, events jsonb)
     WHERE g.run = ANY(%(named)s)
), {STORED}, moment AS MATERIALIZED (
    SELECT clock_timestamp() AS at
), new_steps AS (
    SELECT g.run, s.*,
           s.position - mod(s.position - min(s.position) OVER (PARTITION BY g.run), {MOST_TOGETHER}) AS asked
      FROM given g, jsonb_to_recordset(g.steps) AS s(
           key text, position int, kind text, participant text, role text, round int, task text, queue text,
           fingerprint text, request jsonb, status text, failure_kind text, failure_message text, max_attempts int,
           lease_s double precision)
), asked AS (
    INSERT INTO requests (run_id, position, bodies)
    SELECT run, asked, jsonb_object_agg(key, request) FROM new_steps GROUP BY run, asked
), scheduled AS (
    INSERT INTO steps (run_id, key, position, kind, participant, role, round, task, queue, fingerprint, status,
                       failure_kind, failure_message, created_at, finished_at, max_attempts, lease_s, dispatched_at,
                       dispatches)
    SELECT s.run, s.key, s.position, s.kind, s.participant, s.role, s.round, s.task, s.queue, s.fingerprint, s.status,
           s.failure_kind, s.failure_message, {_NOW}, CASE WHEN s.status = 'failed' THEN {_NOW} END, s.max_attempts,
           s.lease_s, {_NOW}, 1
      FROM new_steps s
), recorded AS (
    INSERT INTO records (run_id, key, kind, position, body, at)
    SELECT g.run, r.key, r.kind, r.position, r.body, {_NOW}
      FROM given g, jsonb_to_recordset(g.records) AS r(key text, kind text, position int, body jsonb)
), logged AS (
    INSERT INTO events (run_id, seq, type, body, at)
    SELECT g.run, (SELECT logged FROM runs WHERE id = g.run) + n, e->>0, e->1, {_NOW}
      FROM given g CROSS JOIN jsonb_array_elements(g.events) WITH ORDINALITY AS t(e, n) WHERE e <> 'null'
)
UPDATE runs r SET status = g.status, phase = g.phase, noted_steps = g.noted_steps, advances = r.advances + 1,
       open_steps = g.open_steps, outcome = coalesce(g.outcome, r.outcome), verdict = coalesce(g.verdict, r.verdict),
       ending = coalesce(g.ending, r.ending), blocked_reason = g.blocked_reason, updated_at = {_NOW},
       logged = r.logged + jsonb_array_length(g.events), finished_at = CASE WHEN g.final THEN {_NOW} END
  FROM given g WHERE r.id = g.run AND r.id = ANY(%(named)s)
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


def save(connection: Connection, written: Sequence[tuple[LockedRun, Changes]]) -> dict[str, str]:
    """Write everything of the advances of one or many runs; the caller's transaction holds the runs' locks.

    Documents are inserted in the order of their names, in one statement: two transactions that store the same ones
    wait for one another in one direction only. Returns the parents of those that were the last that these waited for.
    """
    if not written:
        return {}
    documents = _documents(changes for _, changes in written)
    names = sorted(documents)
    connection.execute(
        _SAVE,
        {
            "runs": f"[{', '.join(_as_json(connection, run, changes) for run, changes in written)}]",
            "named": [run.id for run, _ in written],
            "names": names,
            "contents": seal_bytes(connection, [documents[name] for name in names]),
        },
    )
    parents = {run.id: _save_rest(connection, run, changes) for run, changes in written}
    announce_runs(connection, _ended(written))
    return {run: parent for run, parent in parents.items() if parent is not None}


def _ended(written: Iterable[tuple[LockedRun, Changes]]) -> list[str]:
    """The runs that no other waits for and that end with these advances."""
    return [
        run.id
        for run, changes in written
        if changes.status.final and not run.status.final and run.parent_run is None
    ]


def _documents(written: Iterable[Changes]) -> dict[str, bytes]:
    """What is to be stored, that of child runs too."""
    documents: dict[str, bytes] = {}
    for changes in written:
        documents.update(changes.documents)
        for child in changes.children:
            documents.update(child.documents)
    return documents


def _save_rest(connection: Connection, run: LockedRun, changes: Changes) -> str | None:
    """What few advances write; the run's parent when this was the last that it waited for."""
    for decision in changes.decisions:
        _open_decision(connection, run.id, decision)
    for record in changes.records:
        if record.findings or record.stances:
            _write_ledger(connection, run.id, record)
    for child in changes.children:
        create_run(
            connection,
            run=child.run,
            title=child.title,
            spec=child.spec,
            root_task=run.root_task,
            documents={},  # stored with everybody's
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


def _as_json(connection: Connection, run: LockedRun, changes: Changes) -> str:
    """What the statement is given of a run; what is JSON already goes in as it is."""
    fields = {
        "run": run.id,
        "status": changes.status,
        "phase": changes.phase,
        "noted_steps": changes.noted_steps,
        "open_steps": changes.open_steps,
        "verdict": changes.verdict,
        "ending": changes.ending,
        "blocked_reason": changes.blocked_reason,
        "final": changes.status.final,
        "events": changes.events,
    }
    return spliced(
        fields,
        outcome=seal_json(connection, changes.outcome or "null"),
        steps=_rows(connection, changes.steps, "request"),
        records=_rows(connection, changes.records, "body", without=("findings", "stances")),
    )


def _rows(
    connection: Connection,
    new: Sequence[NewStep] | Sequence[NewRecord],
    written: str,
    without: Sequence[str] = (),
) -> str:
    rows = []
    for row in new:
        fields = {name: value for name, value in row.__dict__.items() if name not in without}
        rows.append(spliced(fields, **{written: seal_json(connection, fields.pop(written))}))
    return f"[{', '.join(rows)}]"


def _open_decision(connection: Connection, run: str, decision: NewDecision) -> None:
    connection.execute(
        "INSERT INTO decisions (run_id, key, kind, question, shown_sha256, state, on_timeout, deadline_at) "
        "VALUES (%s, %s, %s, %s::jsonb, %s, 'open', %s, now() + make_interval(secs => %s)) ON CONFLICT DO NOTHING",
        (
            run,
            decision.key,
            decision.kind,
            seal_json(connection, decision.question),
            decision.shown_sha256,
            decision.on_timeout,
            decision.timeout_s,
        ),
    )
    announce_decision(connection, WebhookEvent.DECISION_ASKED, run, decision.key)


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
       s->>'reason'
  FROM jsonb_array_elements(%(stances)s::jsonb) AS s
ON CONFLICT DO NOTHING
"""


def _shortened(stance: Stance) -> str:
    return stance.model_copy(update={"reason": stance.reason[:_LONGEST_REASON]}).model_dump_json()


def _write_ledger(connection: Connection, run: str, record: NewRecord) -> None:
    connection.execute(
        _LEDGER,
        {
            "run": run,
            "key": record.key,
            "findings": seal_json(
                connection, f"[{','.join(each.model_dump_json() for each in record.findings)}]"
            ),
            "stances": seal_json(connection, f"[{','.join(map(_shortened, record.stances))}]"),
        },
    )

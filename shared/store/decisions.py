"""Decisions: asked once, answered once, bound to what was shown.

open ──answer──> answered          the same answer again is a no-op, another one a conflict
  ├──deadline──> expired           the policy's answer is written with it
  └──cancel────> cancelled
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from shared.errors import DecisionConflict, UnknownRun, UserError
from shared.models.decision import DecisionAnswer, DecisionQuestion, DecisionState
from shared.models.rows import DecisionRow
from shared.models.webhooks import WebhookEvent
from shared.store.database import Connection
from shared.store.events import append_events
from shared.store.listed_decisions import DECISION, decision_row
from shared.store.offered import NOBODY, note_offered
from shared.store.outbox import announce_decision
from shared.store.runs import lock_free_run, lock_run
from shared.store.sealing import seal_json


def answer_decision(
    connection: Connection, run: str, key: str, answer: DecisionAnswer, shown_sha256: str | None
) -> DecisionRow:
    """Record an answer; the caller's transaction commits it and then signals.

    Raises UserError for a choice that is not offered, DecisionConflict when what was shown is not what is asked
    (any more), or when another answer stands. Repeating the recorded answer is a no-op.
    """
    lock_run(connection, run)
    found = connection.execute(
        DECISION + " WHERE d.run_id = %s AND d.key = %s FOR UPDATE OF d", (run, key)
    ).fetchone()
    if found is None:
        raise UnknownRun("run {run} has no decision {key!r}", run=run, key=key)
    row = decision_row(found)
    question = DecisionQuestion.model_validate(row.question)
    _check(question, answer)
    if shown_sha256 is not None and shown_sha256 != row.shown_sha256:
        raise DecisionConflict(
            "decision {key} of run {run} now shows something else: look at it again with `quorate "
            "show {run}`",
            key=key,
            run=run,
        )
    if row.state is not DecisionState.OPEN:
        return _settled(row, answer)
    connection.execute(
        "UPDATE decisions SET state = 'answered', answer = %s::jsonb, answered_at = now() "
        "WHERE run_id = %s AND key = %s",
        (seal_json(connection, answer.model_dump_json()), run, key),
    )
    if answer.channel not in NOBODY:
        note_offered(connection, run, key)
    append_events(
        connection,
        run,
        [("decision.answered", {"key": key, **answer.model_dump(mode="json")})],
    )
    announce_decision(connection, WebhookEvent.DECISION_ANSWERED, run, key)
    return decision_row((*found[:5], "answered", json.loads(answer.model_dump_json()), *found[7:]))


def _check(question: DecisionQuestion, answer: DecisionAnswer) -> None:
    if answer.choice not in question.options:
        raise UserError(
            "{choice!r} is not offered here: choose one of {options}",
            choice=answer.choice,
            options=", ".join(question.options),
        )
    unknown = [item for item in answer.only or () if item not in question.selectable]
    if unknown:
        offered = ", ".join(question.selectable) or "none"
        raise UserError(
            "{unknown} cannot be selected here (selectable: {offered})",
            unknown=", ".join(unknown),
            offered=offered,
        )


def _settled(row: DecisionRow, answer: DecisionAnswer) -> DecisionRow:
    recorded = row.answer or {}
    same = row.state is DecisionState.ANSWERED and (
        recorded.get("choice") == answer.choice
        and _selection(recorded.get("only")) == _selection(answer.only)
    )
    if same:
        return row
    if row.state is DecisionState.ANSWERED:
        raise DecisionConflict(
            "the question of run {run_id} was already answered {choice!r} by {actor} at "
            "{answered_at:%Y-%m-%d %H:%M:%S %Z}; nothing was changed",
            run_id=row.run_id,
            choice=recorded.get("choice"),
            actor=recorded.get("actor"),
            answered_at=row.answered_at,
        )
    raise DecisionConflict(
        "the question of run {run_id} is {state}", run_id=row.run_id, state=row.state.value
    )


def _selection(only: Iterable[str] | None) -> list[str] | None:
    """None is everything, and an empty selection is nothing."""
    return None if only is None else sorted(set(only))


def expire_decisions(connection: Connection) -> list[tuple[str, str]]:
    """Take the policy's answer where a deadline has passed; returns (run, key) of each."""
    due = connection.execute(
        "SELECT run_id, key FROM decisions WHERE state = 'open' AND deadline_at <= now() LIMIT 100"
    ).fetchall()
    expired = []
    for run, key in due:
        if not lock_free_run(connection, run):
            continue  # the next sweep's: a sweep waits for nobody
        row = connection.execute(
            "UPDATE decisions SET state = 'expired', answered_at = now(), "
            "answer = jsonb_build_object('choice', on_timeout, 'actor', 'deadline', 'channel', 'deadline', "
            "'message', 'nobody answered in time') "
            "WHERE run_id = %s AND key = %s AND state = 'open' AND on_timeout IS NOT NULL RETURNING on_timeout",
            (run, key),
        ).fetchone()
        if row is not None:
            append_events(
                connection, run, [("decision.expired", {"key": key, "choice": row.on_timeout})]
            )
            announce_decision(connection, WebhookEvent.DECISION_ANSWERED, run, key)
            expired.append((run, key))
    return expired

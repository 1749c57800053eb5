"""Recordings of runs that a simulation held: rows as the store would give them."""

from __future__ import annotations

import json
from typing import Any

from orchestrator.core.replay.commands import Outcome, ToolRun, Turn
from orchestrator.engine.staging import outcome_json
from orchestrator.whatif.recording import Recording, make_recording
from shared.models.outcomes import RunStatus
from shared.models.rows import RunRow
from shared.store.journal import JournalRow, StoredJournal, StoredRecord
from tests.support.reports import MOMENT
from tests.support.review_panel import Submission
from tests.support.simulator import Simulation


def recorded(
    run: Submission, simulation: Simulation, outcome: Outcome | None = None, **changes: Any
) -> Recording:
    """The run as it would be stored; without an outcome it goes on still."""
    decisions = {
        key: answer.model_dump(mode="json") if (answer := simulation.answers.get(key)) else None
        for key in simulation.questions
    }
    stored = StoredJournal(
        steps=tuple(_row(simulation, key) for key in simulation.steps),
        records=tuple(
            StoredRecord(key, record.kind, record.model_dump(mode="json"))
            for key, record in simulation.records.items()
        ),
        decisions=decisions,
    )
    row: dict[str, Any] = {
        "id": "r1",
        "workflow": run.spec.workflow,
        "title": "a change",
        "status": RunStatus.RUNNING if outcome is None else RunStatus.COMPLETED,
        "phase": "",
        "verdict": None if outcome is None else outcome.verdict.value,
        "ending": None if outcome is None or outcome.ending is None else outcome.ending.value,
        "open_steps": 0,
        "blocked_reason": None,
        "spec": run.spec.model_dump(mode="json"),
        "outcome": None if outcome is None else json.loads(outcome_json(outcome)),
        "created_at": MOMENT,
        "updated_at": MOMENT,
        "finished_at": None,
        "elapsed_s": 1.0,
    }
    return make_recording(RunRow(**{**row, **changes}), stored, run.documents.__getitem__)


def _row(simulation: Simulation, key: str) -> JournalRow:
    entry, step = simulation.steps[key], simulation.commands[key]
    result = entry.result
    turn = isinstance(step, Turn)
    failure = None if result is None else result.failure
    status = "pending" if result is None else "done" if failure is None else "failed"
    return JournalRow(
        key=key,
        kind="turn" if turn else "tool",
        participant=step.participant if isinstance(step, ToolRun) else step.participant.name,
        role=str(step.role),
        round=step.round,
        fingerprint=entry.fingerprint,
        status=status,
        reply=None if result is None else result.reply,
        failure_kind=None if failure is None else failure.kind.value,
        failure_message=None if failure is None else failure.message,
        note="" if result is None else result.note,
        tokens=None if result is None else result.tokens,
        cost_usd=None if result is None else result.cost_usd,
        elapsed_s=0.0 if result is None else result.elapsed_s,
    )

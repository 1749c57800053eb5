"""A family of runs on real Postgres, at the moment that a test wants, without broker and workers."""

from __future__ import annotations

from typing import Any

from orchestrator.engine.advance import Engine
from shared.models.decision import DecisionAnswer
from shared.models.steps import StepResult
from shared.store.database import Database
from shared.store.decisions import answer_decision
from shared.store.runs import cancel_run
from tests.support.driving import do, keys, submit
from tests.support.runs import execute
from tests.support.small_workflows import small


def anything(_asked: object) -> StepResult:
    return StepResult(reply={"verdict": "APPROVED", "summary": "so it is"})


def spawned(engine: Engine, workflow: str = "boss", **fields: Any) -> tuple[str, list[str]]:
    """A parent that waits for what it has just started."""
    fields = {"labels": {"child": "machine"}, **fields}
    run = submit(engine, small(workflow, **fields))
    scheduled = engine.advance(run)
    if workflow == "boss":
        do(engine.database, run, "before", anything)
        scheduled = engine.advance(run)
    assert scheduled is not None
    return run, list(scheduled.children)


def begun(engine: Engine, child: str) -> list[str]:
    """Advance a child for the first time; what it scheduled."""
    return keys(engine.advance(child))


def later(database: Database) -> None:
    """What waits to be looked at has waited for two hours."""
    execute(database, "UPDATE runs SET updated_at = updated_at - interval '2 h'")
    execute(database, "UPDATE steps SET dispatched_at = dispatched_at - interval '2 h'")


def overdue(database: Database, run: str) -> None:
    execute(database, "UPDATE runs SET deadline_at = now() - interval '1 s' WHERE id = %s", run)


def answer(database: Database, run: str, choice: str) -> None:
    given = DecisionAnswer(choice=choice, actor="me", channel="cli")
    database.run(lambda c: answer_decision(c, run, "decision", given, None), atomic=True)


def cancel(database: Database, run: str) -> None:
    database.run(lambda c: cancel_run(c, run, "me"), atomic=True)

"""What ends a run early, and what is stored and sent on its way: deadlines, budgets, ids instead of texts."""

import hashlib
import json
from datetime import timedelta
from typing import Any

import pytest

from orchestrator.engine.advance import Engine
from orchestrator.workflows.review.options import ReviewOptions
from shared.models.outcomes import FailureKind
from shared.models.panel import Panel
from shared.models.run import Budget
from shared.models.steps import StepResult
from shared.store.database import Database
from shared.store.events import list_events
from shared.store.requests import step_request
from shared.store.sweeping import due_runs
from shared.store.views import (
    list_steps,
)
from tests.support.driving import Asked, answer, conceding, do, drive, event_kinds, keys, submit
from tests.support.review_panel import participant, submission
from tests.support.review_replies import failure
from tests.support.runs import execute, fetch, run_row, step_row

pytestmark = pytest.mark.component

FIRST_ROUND = ["critique/1/critic1", "critique/1/critic2"]


@pytest.fixture
def engine(database: Database) -> Engine:
    return Engine(database)


# ---- deadlines and budgets ----------------------------------------------------------------------


def test_a_deadline_fails_what_is_open_and_the_run_ends(engine: Engine) -> None:
    run = submit(engine)
    engine.advance(run)
    do(engine.database, run, FIRST_ROUND[0], conceding)
    execute(engine.database, "UPDATE runs SET deadline_at = now()")
    assert engine.database.run(lambda c: due_runs(c, 60)) == [run]

    assert keys(engine.advance(run)) == []

    row = run_row(engine.database, run)
    assert (row.status, row.verdict) == ("completed", "INCONCLUSIVE")
    assert row.ending == "degraded"
    assert step_row(engine.database, run, FIRST_ROUND[1]).failure_kind == FailureKind.DEADLINE
    assert "run.overdue" in event_kinds(engine, run)


def test_a_slow_person_does_not_make_the_fix_too_late(engine: Engine) -> None:
    run = submit(engine, submission(budget=Budget(max_seconds=600)))
    drive(engine, run, conceding)
    waited = timedelta(hours=5)
    execute(engine.database, "UPDATE decisions SET opened_at = opened_at - %s", waited)
    execute(engine.database, "UPDATE runs SET deadline_at = deadline_at - %s", waited)
    assert engine.database.run(lambda c: due_runs(c, 0)) == []

    answer(engine, run, "apply_fix")

    assert keys(engine.advance(run)) == ["apply"]
    assert engine.database.run(lambda c: due_runs(c, 60)) == [], "nobody may end it as overdue"
    do(engine.database, run, "apply", conceding)
    drive(engine, run, conceding)
    assert run_row(engine.database, run).outcome["detail"]["applied"]


def test_a_budget_of_calls_refuses_models_and_lets_rules_speak(engine: Engine) -> None:
    panel = Panel(
        critics=(participant("m1"), participant("ruff", "analyser", tool="ruff")),
        author=participant("author", "rules"),
        chair=participant("chair", "rules"),
    )
    run = submit(engine, submission(panel=panel, budget=Budget(max_calls=0)))

    assert keys(engine.advance(run)) == ["critique/1/ruff"]

    refused = step_row(engine.database, run, "critique/1/m1")
    assert (refused.status, refused.failure_kind) == ("failed", "over_budget")
    assert refused.attempts == 0
    drive_rest(engine, run, "critique/1/ruff")
    row = run_row(engine.database, run)
    assert (row.status, row.ending) == ("completed", "over_budget")


def drive_rest(engine: Engine, run: str, first: str) -> None:
    do(engine.database, run, first, conceding)
    drive(engine, run, conceding)
    if run_row(engine.database, run).status == "waiting":
        answer(engine, run, "skip")
        drive(engine, run, conceding)


def test_a_budget_of_calls_is_not_exceeded_by_turns_side_by_side(engine: Engine) -> None:
    run = submit(engine, submission(critics=4, budget=Budget(max_calls=3)))

    assert len(keys(engine.advance(run))) == 3
    assert engine.advance(run) is None


def test_a_run_without_any_budget_ends_at_once_and_asks_nobody(engine: Engine) -> None:
    run = submit(engine, submission(budget=Budget(max_calls=0)))

    assert keys(engine.advance(run)) == []

    row = run_row(engine.database, run)
    assert (row.status, row.ending, row.verdict) == ("completed", "over_budget", "INCONCLUSIVE")


def test_a_panel_that_always_fails_ends_too(engine: Engine) -> None:
    def silent(_asked: Asked) -> StepResult:
        return failure(FailureKind.UNPARSEABLE)

    run = submit(engine, submission(options=ReviewOptions(rounds=5)))

    assert drive(engine, run, silent) == [FIRST_ROUND]
    assert run_row(engine.database, run).verdict == "INCONCLUSIVE"


# ---- what is stored and what is sent ------------------------------------------------------------

CANARY = "canary-7f3a"


def test_messages_hold_ids_and_no_text(engine: Engine) -> None:
    panel = Panel(
        critics=(participant("critic1", persona=f"You are {CANARY}."), participant("critic2")),
        author=participant("author"),
        chair=participant("chair"),
    )
    submitted = submission(panel=panel, diff=f"--- a/app.py\n+++ b/app.py\n+{CANARY}\n")
    run = submit(engine, submitted)
    payloads = []
    while (scheduled := engine.advance(run)) is not None and scheduled.steps:
        payloads += [step.payload.model_dump_json() for step in scheduled.steps]
        for step in scheduled.steps:
            do(engine.database, run, step.payload.step, conceding)

    assert len(payloads) == 7
    assert CANARY in str(submitted.documents)
    assert not any(CANARY in payload or "eval" in payload for payload in payloads)
    assert all(json.loads(payload)["run"] == run for payload in payloads)
    told = str(engine.database.run(lambda c: list_events(c, run)))
    assert CANARY not in told


def test_what_several_are_shown_is_stored_once_and_the_exact_prompt_can_be_shown(
    engine: Engine,
) -> None:
    run = submit(engine, submission(critics=5))
    engine.advance(run)
    requests = [
        engine.database.run(lambda c, n=n: step_request(c, run, f"critique/1/critic{n}"))  # type: ignore[misc]
        for n in range(1, 6)
    ]

    def named(request: dict[str, Any]) -> list[str]:
        return [part["document"] for part in request["prompt"] if part["document"]]

    assert len({tuple(named(request)) for request in requests}) == 1
    assert named(requests[0]), "the instruction is long enough to be a document"
    stored = fetch(
        engine.database,
        "SELECT count(*) AS n FROM documents WHERE convert_from(content, 'UTF8') LIKE %s",
        "Review the change%",
    )
    assert stored.n == 1
    for request in requests:
        for part in (*request["system"], *request["prompt"]):
            if part["document"] is not None:
                content = fetch(
                    engine.database,
                    "SELECT content FROM documents WHERE sha256 = %s",
                    part["document"],
                ).content
                assert hashlib.sha256(bytes(content)).hexdigest() == part["document"]
    markers = {request["marker"] for request in requests}
    assert len(markers) == 1, "the beginning of a run's prompts must stay the same"


def test_a_step_that_was_refused_is_in_the_timeline(engine: Engine) -> None:
    run = submit(engine, submission(critics=2, budget=Budget(max_calls=1)))
    engine.advance(run)

    steps = engine.database.run(lambda c: list_steps(c, run))

    assert [(s.status, s.failure_kind) for s in steps] == [
        ("pending", None),
        ("failed", "over_budget"),
    ]

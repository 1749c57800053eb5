"""A database of an earlier version: finished runs are read, shown and replayed, runs in flight are finished."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from celery import Celery

from orchestrator.application.report import load_report
from orchestrator.cli.watching import rendered
from orchestrator.embedded.processes import wait_until
from orchestrator.embedded.throwaway import clone_database, drop_database
from orchestrator.engine.advance import Engine
from orchestrator.engine.dispatch import publish
from orchestrator.engine.sweeper import Sweeper
from orchestrator.whatif.recording import make_recording
from orchestrator.whatif.replaying import check
from orchestrator.workflows import WORKFLOWS
from shared.delivery.broker import make_app
from shared.instance import Endpoints
from shared.models.decision import Answer
from shared.models.outcomes import FailureKind
from shared.models.steps import Failure
from shared.store.database import Connection, Database
from shared.store.decisions import answer_decision, list_decisions
from shared.store.documents import get_documents
from shared.store.runs import StoredJournal, load_journal, load_spec
from shared.store.steps import Claim, claim, finish
from shared.store.views import find_run
from tests.recorded_runs.golden import check_golden
from tests.recorded_runs.loading import load
from tests.recorded_runs.reading import FILES, RecordedRun, Row, asked, read, runs
from tests.support.queues import drain
from tests.support.runs import run_row

pytestmark = pytest.mark.component

ENDED = [run for run in runs() if run.row["status"] in ("completed", "cancelled")]
OF_THIS_VERSION = [
    run for run in ENDED if WORKFLOWS[run.spec.workflow].version == run.spec.workflow_version
]
BEFORE, AFTER = read("real_workers", "earlier"), read("real_workers")
IN_FLIGHT = [RecordedRun(row, BEFORE) for row in BEFORE.tables["runs"]]


@pytest.fixture(scope="module")
def old(servers: Endpoints) -> Iterator[Database]:
    """All recorded runs as they ended, in a database that was upgraded."""
    url = clone_database(servers, "template0", "recorded_runs")
    load(url, *map(read, FILES))
    opened = Database(url, pool_size=2, patience_s=10)
    yield opened
    opened.close()
    drop_database(servers, "recorded_runs")


@pytest.mark.parametrize("run", ENDED, ids=lambda run: run.name)
def test_a_stored_run_is_read_as_it_was_recorded(old: Database, run: RecordedRun) -> None:
    def loaded(connection: Connection) -> tuple[Any, Any]:
        row = find_run(connection, run.row["id"])
        return load_journal(connection, row), load_spec(connection, row.id)

    assert old.run(loaded) == (run.stored, run.spec)


@pytest.mark.parametrize("run", OF_THIS_VERSION, ids=lambda run: run.name)
def test_a_stored_run_is_the_same_when_it_is_computed_anew(old: Database, run: RecordedRun) -> None:
    def differing(connection: Connection) -> Any:
        row = find_run(connection, run.row["id"])
        stored = load_journal(connection, row)
        recording = make_recording(
            row, stored, lambda name: get_documents(connection, [name])[name]
        )
        return check(recording).differences

    assert old.run(differing) == ()


@pytest.mark.parametrize("workflow", sorted(WORKFLOWS))
def test_a_stored_run_is_shown_as_it_was_accepted_and_asks_the_same(
    old: Database, workflow: str
) -> None:
    shown = {}
    for run in ENDED:
        if run.spec.workflow == workflow:
            name = run.row["id"]
            report = old.run(partial(load_report, name=name))
            texts = {
                f"{language}{suffix}": rendered(report, suffix, language)
                for suffix in (".json", ".txt", ".md")
                for language in ("en", "ko")
            }
            shown[name] = {**texts, "asked": json.dumps(asked(run), indent=0)}
    check_golden(workflow, shown)


# ---- runs in flight -----------------------------------------------------------------------------


@pytest.fixture
def in_flight(empty_url: str) -> Iterator[Database]:
    """The database of an instance that was stopped a minute ago, in the middle of nine runs."""
    load(empty_url, BEFORE, ago=timedelta(minutes=1))
    opened = Database(empty_url, pool_size=6, patience_s=10)
    yield opened
    opened.close()


@pytest.fixture
def app(broker_url: str) -> Iterator[Celery]:
    """An application whose published messages stay in their queues."""
    made = make_app(broker_url, slots=4)
    yield made
    made.close()


def of_run(table: str, run: str, key: str | None = None) -> list[Row]:
    """What became of it when the earlier version went on."""
    return [row for row in AFTER.of(table, run) if key in (None, row["key"])]


def work(database: Database, run: str, step: str) -> None:
    """Answer a step as it was answered then."""
    taken = database.run(lambda connection: claim(connection, run, step, "worker", f"w/{step}"))
    if not isinstance(taken, Claim):
        return  # a message that came twice
    (row,) = of_run("steps", run, step)
    kind = row["failure_kind"]
    failure = (
        None if kind is None else Failure(kind=FailureKind(kind), message=row["failure_message"])
    )
    reply = None if row["reply"] is None else json.dumps(row["reply"])
    database.run(
        lambda connection: finish(
            connection,
            taken,
            reply=reply,
            failure=failure,
            note=row["note"],
            tokens=row["tokens"],
            cost_usd=row["cost_usd"],
        )
    )


def decide(database: Database) -> None:
    """Answer what is asked as it was answered then."""
    for open_one in database.run(lambda connection: list_decisions(connection, only_open=True)):
        run, key = open_one.run_id, open_one.key
        (row,) = of_run("decisions", run, key)
        given = Answer.model_validate(row["answer"])
        shown = row["shown_sha256"]
        database.run(
            partial(answer_decision, run=run, key=key, answer=given, shown_sha256=shown),
            atomic=True,
        )


def go_on(database: Database, app: Celery) -> bool:
    """A sweep, whatever work it finds, and the advances behind it. True when every run has ended."""
    engine = Engine(database)
    Sweeper(database, app, engine).sweep()
    decide(database)
    worked = {
        (message.payload["run"], message.payload["step"])
        for message in drain(app)
        if "step" in message.payload
    }
    for run, step in sorted(worked):
        work(database, run, step)
    for run in sorted({run for run, _ in worked}):
        scheduled = engine.advance(run)
        if scheduled is not None:
            publish(app, scheduled)
    return all(run_row(database, run.row["id"]).status == "completed" for run in IN_FLIGHT)


def journal(run: str, connection: Connection) -> StoredJournal:
    return load_journal(connection, find_run(connection, run))


def lasting(outcome: Any) -> Any:
    """An outcome without the seconds that it took."""
    if isinstance(outcome, dict):
        return {key: lasting(value) for key, value in outcome.items() if key != "elapsed_s"}
    return [lasting(one) for one in outcome] if isinstance(outcome, list) else outcome


def test_runs_in_flight_are_finished_as_the_earlier_version_finished_them(
    in_flight: Database, app: Celery
) -> None:
    before = {run.row["id"]: run.row["status"] for run in IN_FLIGHT}
    assert sorted(before.values()) == ["running"] * 7 + ["waiting"] * 2

    assert wait_until(lambda: go_on(in_flight, app), 60, 0.2), "they did not end"

    for run in before:
        (then,) = (row for row in AFTER.tables["runs"] if row["id"] == run)
        row = run_row(in_flight, run)
        assert lasting(row.outcome) == lasting(then["outcome"])
        assert (row.verdict, row.ending) == (then["verdict"], then["ending"])
        stored = in_flight.run(partial(journal, run))
        assert {(one.key, one.fingerprint, one.status) for one in stored.steps} == {
            (one["key"], one["fingerprint"], one["status"]) for one in of_run("steps", run)
        }

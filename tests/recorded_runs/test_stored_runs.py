"""A database of an earlier version: finished runs are read, shown and replayed, runs in flight are finished."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from pathlib import PurePath
from typing import Any

import pytest
from celery import Celery

from orchestrator.application.report import load_report
from orchestrator.core.formats import format_of
from orchestrator.embedded.processes import wait_until
from orchestrator.embedded.throwaway import clone_database, drop_database
from orchestrator.engine.advance import Engine
from orchestrator.engine.dispatch import publish
from orchestrator.engine.sweeper import Sweeper
from orchestrator.presentation.locale.translator import Translator
from orchestrator.whatif.recording import make_recording
from orchestrator.whatif.replaying import check
from orchestrator.workflows.registry import WORKFLOWS
from shared.delivery.broker import make_app
from shared.instance import Endpoints
from shared.models.decision import DecisionAnswer
from shared.models.run import RunSpec
from shared.models.steps import Failure, Usage
from shared.store.database import Connection, Database
from shared.store.decisions import answer_decision
from shared.store.documents import get_documents
from shared.store.ends import StoredResponse, finish, store_response
from shared.store.events import list_events
from shared.store.journal import StoredJournal, load_journal
from shared.store.listed_decisions import list_decisions
from shared.store.people import answer_turn
from shared.store.runs import unblock_run
from shared.store.steps import Claim, claim
from shared.store.views import find_run
from shared.store.waiting_turns import waiting_turns
from tests.recorded_runs.golden import check_golden
from tests.recorded_runs.loading import load
from tests.recorded_runs.reading import FILES, RecordedRun, Row, asked, read, runs
from tests.support.notices import words
from tests.support.queues import drain
from tests.support.runs import run_row

pytestmark = pytest.mark.component

ENDED = [run for run in runs() if run.row["status"] in ("completed", "cancelled")]
OF_THIS_VERSION = [
    run for run in ENDED if WORKFLOWS[run.spec.workflow].version == run.spec.workflow_version
]


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
        return load_journal(connection, row.id), RunSpec.model_validate(row.spec)

    assert old.run(loaded) == (run.stored, run.spec)


@pytest.mark.parametrize("run", OF_THIS_VERSION, ids=lambda run: run.name)
def test_a_stored_run_is_the_same_when_it_is_computed_anew(old: Database, run: RecordedRun) -> None:
    def differing(connection: Connection) -> Any:
        row = find_run(connection, run.row["id"])
        stored = load_journal(connection, row.id)
        recording = make_recording(
            row, stored, lambda name: get_documents(connection, [name])[name]
        )
        return check(recording).differences

    assert old.run(differing) == ()


@pytest.mark.parametrize("workflow", sorted({run.spec.workflow for run in ENDED}))
def test_a_stored_run_is_shown_as_it_was_accepted_and_asks_the_same(
    old: Database, workflow: str
) -> None:
    shown = {}
    for run in ENDED:
        if run.spec.workflow == workflow:
            name = run.row["id"]
            report = old.run(partial(load_report, name=name))
            texts = {
                f"{language}{suffix}": format_of(PurePath(f"run{suffix}")).render(
                    report, Translator(language)
                )
                for suffix in (".json", ".txt", ".md")
                for language in ("en", "ko")
            }
            shown[name] = {**texts, "asked": json.dumps(asked(run), indent=0)}
    check_golden(workflow, shown)


# ---- runs in flight -----------------------------------------------------------------------------


class Earlier:
    """An instance that was stopped a minute ago in the middle of its runs, and what became of them at the time."""

    def __init__(self, url: str, name: str) -> None:
        before = read(name, "earlier")
        load(url, before, ago=timedelta(minutes=1))
        self.database = Database(url, pool_size=6, patience_s=10)
        self.engine = Engine(self.database)
        self.runs = {row["id"]: row for row in before.tables["runs"]}
        self.then = read(name)
        for run in self.runs:
            self.database.run(partial(unblock_run, run=run), atomic=True)

    def rows(self, table: str, run: str, **fields: str) -> list[Row]:
        """What was written in the end."""
        every = self.then.of(table, run)
        return [row for row in every if all(row[name] == fields[name] for name in fields)]

    def work(self, run: str, step: str) -> None:
        """Answer a step as it was answered then, with the same calls."""
        taken = self.database.run(
            lambda connection: claim(connection, run, step, "worker", f"w/{step}")
        )
        if not isinstance(taken, Claim):
            return  # a message that came twice
        for call in self.rows("usage", run, step=step):
            self.database.run(partial(store_response, response=self._response(call)))
        (row,) = self.rows("steps", run, key=step)
        kind = row["failure_kind"]
        failed = None if kind is None else Failure(kind=kind, message=row["failure_message"])
        end = partial(
            finish,
            claimed=taken,
            reply=None if row["reply"] is None else json.dumps(row["reply"]),
            failure=failed,
            **{name: row[name] for name in ("note", "tokens", "cost_usd")},
        )
        self.database.run(end)

    def _response(self, call: Row) -> StoredResponse:
        names = ("step", "token", "worker", "participant", "provider", "model", "request_sha")
        tokens = ("input_tokens", "output_tokens", "cached_tokens", "cost_usd")
        return StoredResponse(
            run=call["run_id"],
            attempt=call["attempt"],
            content=self._content(call),
            usage=Usage(**{name: call[name] for name in tokens}),
            **{name: call[name] for name in names},
        )

    def _content(self, call: Row) -> bytes:
        return self.then.documents.get(call["response"] or "", "").encode()

    def answer(self) -> None:
        """Say what people said then; where nobody did in time, nobody does."""
        for asked_one in self.database.run(partial(list_decisions, only_open=True)):
            run, key = asked_one.run_id, asked_one.key
            (row,) = self.rows("decisions", run, key=key)
            if row["state"] == "answered":
                given = DecisionAnswer.model_validate(row["answer"])
                # What is asked by now may be worded otherwise than it was.
                shown = asked_one.shown_sha256
                said = partial(answer_decision, answer=given, shown_sha256=shown)
                self.database.run(partial(said, run=run, key=key), atomic=True)
        for turn in self.database.run(waiting_turns):
            (call,) = self.rows("usage", turn.run_id, step=turn.step)
            text = json.loads(self._content(call))["text"]
            spoken = partial(answer_turn, run=turn.run_id, step=turn.step, text=text, actor="me")
            self.database.run(spoken, atomic=True)

    def go_on(self, app: Celery) -> bool:
        """A sweep, whatever work it finds, and the advances behind it. True when every run has ended."""
        Sweeper(self.database, app, self.engine).sweep()
        self.answer()
        payloads = [message.payload for message in drain(app)]
        worked = {(one["run"], one["step"]) for one in payloads if "step" in one}
        for run, step in sorted(worked):
            self.work(run, step)
        for run in sorted({run for run, _ in worked}):
            scheduled = self.engine.advance(run)
            if scheduled is not None:
                publish(app, scheduled)
        return all(run_row(self.database, run).status == "completed" for run in self.runs)


@pytest.fixture
def app(broker_url: str) -> Iterator[Celery]:
    """An application whose published messages stay in their queues."""
    made = make_app(broker_url, slots=4)
    yield made
    made.close()


@pytest.fixture(params=["real_workers", "stopped_midway"])
def earlier(empty_url: str, request: pytest.FixtureRequest) -> Iterator[Earlier]:
    """A database with runs in flight."""
    made = Earlier(empty_url, request.param)
    yield made
    made.database.close()


def lasting(outcome: Any) -> Any:
    """An outcome in English, without the seconds that it took and the keys that hold nothing."""
    if isinstance(outcome, dict):
        if outcome.keys() == {"code", "params"}:
            return words(outcome)
        kept = {key: value for key, value in outcome.items() if key != "elapsed_s"}
        return {key: lasting(value) for key, value in kept.items() if value not in (None, [], {})}
    return [lasting(one) for one in outcome] if isinstance(outcome, list) else outcome


def journal(run: str, connection: Connection) -> StoredJournal:
    return load_journal(connection, find_run(connection, run).id)


@pytest.mark.timeout(150)
def test_runs_in_flight_are_finished_as_the_earlier_version_finished_them(
    earlier: Earlier, app: Celery
) -> None:
    assert {row["status"] for row in earlier.runs.values()} >= {"running", "waiting"}

    assert wait_until(lambda: earlier.go_on(app), 100, 0.2), "they did not end"

    for run in earlier.runs:
        (then,) = (row for row in earlier.then.tables["runs"] if row["id"] == run)
        row = run_row(earlier.database, run)
        assert lasting(row.outcome) == lasting(then["outcome"])
        assert (row.verdict, row.ending) == (then["verdict"], then["ending"])
        stored = earlier.database.run(partial(journal, run))
        assert {(one.key, one.fingerprint, one.status) for one in stored.steps} == {
            (one["key"], one["fingerprint"], one["status"]) for one in earlier.rows("steps", run)
        }


# In these files the moments of the rows are those of the database's clock when they were written.
RECORDED_LIVE = ("real_workers", "stopped_midway")
TOLD_BY_ROWS = (
    "run.submitted run.completed step.scheduled step.done step.failed record.written round.assessed"
)


def test_the_rows_tell_the_log_that_was_stored_event_by_event(empty_url: str) -> None:
    load(empty_url, *map(read, RECORDED_LIVE))
    database = Database(empty_url, pool_size=1, patience_s=10)

    def logs(connection: Connection) -> dict[str, Any]:
        stored = connection.execute("SELECT id FROM runs").fetchall()
        return {row.id: list_events(connection, row.id) for row in stored}

    recorded = database.run(logs)
    forgetting = "DELETE FROM events WHERE type = ANY(%s)"
    database.run(lambda connection: connection.execute(forgetting, (TOLD_BY_ROWS.split(),)))
    told = database.run(logs)
    database.close()

    # Then, what an advance wrote carried the moment of its beginning, before the ends that its deadline brought.
    differing = {run for run, log in told.items() if log != recorded[run]}
    overdue = {
        run for run, log in recorded.items() if "run.overdue" in {kind for _, kind, _ in log}
    }
    assert differing <= overdue
    assert len(told) > 80
    assert sum(kind in TOLD_BY_ROWS for log in told.values() for _, kind, _ in log) > 2000

"""Replay and fork of runs that the engine held on real Postgres: what is stored is what is computed."""

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.engine.advance import Engine
from orchestrator.engine.children import new_run_id
from orchestrator.whatif.changes import change_of, changed
from orchestrator.whatif.comparing import Side, compare
from orchestrator.whatif.forking import ForkPlan, plan_fork, prefix_of
from orchestrator.whatif.recording import Recording, make_recording
from orchestrator.whatif.replaying import State, check, what_if
from orchestrator.workflows.review.options import ReviewOptions
from shared.models.decision import DecisionAnswer
from shared.models.run import RunSpec
from shared.store.database import Connection, Database
from shared.store.decisions import answer_decision
from shared.store.documents import get_documents
from shared.store.events import list_events
from shared.store.forking import Fork, create_fork
from shared.store.journal import load_journal
from shared.store.runs import unblock_run
from shared.store.views import find_run, list_assessments, run_usage
from tests.support.driving import conceding, drive, keys
from tests.support.notices import words
from tests.support.review_panel import submission
from tests.support.runs import execute, run_row

pytestmark = pytest.mark.component


@pytest.fixture
def engine(database: Database) -> Engine:
    return Engine(database)


def submit(engine: Engine, **options: Any) -> str:
    wanted = submission(options=ReviewOptions(**options))
    return engine.submit(wanted.spec, "a change", wanted.documents)


def loaded(engine: Engine, run: str) -> Recording:
    def document(name: str) -> bytes:
        return engine.database.run(lambda c: get_documents(c, [name]))[name]

    def read(connection: Connection) -> Recording:
        row = find_run(connection, run)
        return make_recording(row, load_journal(connection, row.id), document)

    return engine.database.run(read)


def answer(engine: Engine, run: str, choice: str) -> None:
    given = DecisionAnswer(choice=choice, actor="me", channel="cli")
    engine.database.run(lambda c: answer_decision(c, run, "decision", given, None), atomic=True)


def held(engine: Engine, choice: str = "skip") -> str:
    run = submit(engine)
    drive(engine, run, conceding)
    answer(engine, run, choice)
    drive(engine, run, conceding)
    assert run_row(engine.database, run).status == "completed"
    return run


def forked(engine: Engine, run: str, at: str, spec: RunSpec | None = None) -> tuple[str, ForkPlan]:
    recording = loaded(engine, run)
    plan = plan_fork(recording, prefix_of(recording, at), spec or recording.spec)
    fork = Fork(
        run=new_run_id(),
        origin=run,
        at=at,
        title=plan.title,
        spec=plan.spec,
        root_task="root",
        steps=plan.steps,
        decisions=plan.decisions,
    )
    return engine.database.run(lambda c: create_fork(c, fork, {}), atomic=True), plan


def scores_of(engine: Engine, run: str) -> list[float]:
    found = engine.database.run(lambda c: list_assessments(c, run))
    return [one["metrics"]["overall_score"] for one in found]


def side(engine: Engine, run: str) -> Side:
    return Side(loaded(engine, run), engine.database.run(lambda c: run_usage(c, run)))


def test_a_stored_run_is_computed_as_it_is_stored(engine: Engine) -> None:
    found = check(loaded(engine, held(engine, "apply_fix")))

    assert found.differences == ()
    assert found.state is State.ENDED


def test_a_run_that_waits_is_the_same_so_far_and_can_be_forked(engine: Engine) -> None:
    run = submit(engine)
    drive(engine, run, conceding)

    found = check(loaded(engine, run))

    assert found.same
    assert found.state is State.WAITS
    other, _ = forked(engine, run, "round:2")
    assert drive(engine, other, conceding)[0] == ["rebuttal/2/author"]


def test_a_fork_asks_for_nothing_that_was_copied_and_comes_to_its_own_end(engine: Engine) -> None:
    run = held(engine)
    before = engine.database.run(lambda c: list_assessments(c, run))

    other, plan = forked(engine, run, "critique/3/critic1")
    stages = drive(engine, other, conceding)

    assert stages == [["critique/3/critic1"], ["synthesis/chair"], ["fixes/check"]]
    assert plan.then == ("critique/3/critic1",)
    answer(engine, other, "apply_fix")
    assert drive(engine, other, conceding) == [["apply"]]
    row = run_row(engine.database, other)
    assert (row.status, row.verdict) == ("completed", "APPROVED")
    after = engine.database.run(lambda c: list_assessments(c, other))
    assert after == before
    events = engine.database.run(lambda c: list_events(c, other))
    ended = [body["key"] for _, kind, body in events if kind == "step.done"]
    assert ended == ["critique/3/critic1", "synthesis/chair", "fixes/check", "apply"]
    assert check(loaded(engine, other)).same


def test_a_fork_under_other_rules_judges_the_copied_rounds_anew(engine: Engine) -> None:
    run = held(engine)
    recording = loaded(engine, run)
    spec = changed(recording.spec, [change_of(recording.spec, "agreement-weight", "1")])

    other, _ = forked(engine, run, "synthesis", spec)
    assert keys(engine.advance(other)) == ["synthesis/chair"]

    scores = [scores_of(engine, run), scores_of(engine, other)]
    assert scores[0] != scores[1]
    would = what_if(recording, [(change_of(recording.spec, "agreement-weight", "1"),)])
    figures = would.variants[0].result.rounds.values()
    assert scores[1] == [one.metrics.overall_score for one in figures]


def test_a_fork_may_be_forked_and_both_are_compared(engine: Engine) -> None:
    run = held(engine)
    first, _ = forked(engine, run, "round:2")
    drive(engine, first, conceding)
    second, _ = forked(engine, first, "synthesis")
    drive(engine, second, conceding)

    found = compare(side(engine, first), side(engine, second))

    assert found.same
    assert words(found.relation) == f"{second} is a fork of {first} from synthesis"
    assert (found.options, found.rounds, found.positions) == ((), (), ())


def test_a_run_that_was_cancelled_half_way_is_forked_where_it_was_left(engine: Engine) -> None:
    run = submit(engine)
    engine.advance(run)
    execute(engine.database, "UPDATE steps SET status = 'cancelled', finished_at = now()")
    execute(engine.database, "UPDATE runs SET status = 'cancelled', finished_at = now()")

    other, plan = forked(engine, run, "round:1")

    assert plan.steps == ()
    assert drive(engine, other, conceding)[0] == ["critique/1/critic1", "critique/1/critic2"]


def test_a_blocked_run_shows_what_does_not_fit(engine: Engine) -> None:
    run = held(engine)
    execute(
        engine.database,
        "UPDATE steps SET fingerprint = 'other' WHERE run_id = %s AND key = 'rebuttal/2/author'",
        run,
    )
    execute(
        engine.database, "UPDATE runs SET status = 'running', outcome = NULL WHERE id = %s", run
    )
    assert engine.advance(run) is None
    assert run_row(engine.database, run).status == "blocked"

    found = check(loaded(engine, run))

    assert not found.same
    assert found.differences[0].where == "rebuttal/2/author"
    other, plan = forked(engine, run, "round:2")
    assert plan.then == ("rebuttal/2/author",)
    assert engine.advance(other) is not None
    assert engine.database.run(lambda c: unblock_run(c, run))

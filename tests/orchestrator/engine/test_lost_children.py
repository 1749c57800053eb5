"""Child runs that do not complete, are cancelled with their parent, or whose messages were lost."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from celery import Celery

from orchestrator.engine.advance import Engine
from orchestrator.engine.sweeper import Sweeper
from shared.store.database import Database
from shared.store.runs import unblock_run
from shared.store.views import list_children
from tests.support.driving import claimed_by_nobody, do, drive_family, event_kinds
from tests.support.families import anything, begun, cancel, later, spawned
from tests.support.runs import at_once, refused, run_row, step_row
from tests.support.small_workflows import SMALL_WORKFLOWS

pytestmark = pytest.mark.component


@pytest.fixture
def engine(database: Database) -> Engine:
    return Engine(database, SMALL_WORKFLOWS)


@pytest.fixture
def sweeper(database: Database, app: Celery, engine: Engine) -> Iterator[Sweeper]:
    made = Sweeper(database, app, engine)
    yield made
    made.stop()


# ---- what does not complete ---------------------------------------------------------------------


def test_a_blocked_child_is_a_result_and_its_parent_goes_on(
    engine: Engine, sweeper: Sweeper
) -> None:
    parent, (child,) = spawned(engine, labels={"child": "broken"})
    drive_family(engine, child, worker=anything)

    assert run_row(engine.database, child).status == "blocked"
    summary = run_row(engine.database, parent).outcome["summary"]
    assert summary == "blocked: the code changed under the run"

    engine.database.run(lambda c: unblock_run(c, child))
    sweeper.sweep()
    assert run_row(engine.database, child).status == "cancelled", "nobody waits for it any more"


def test_a_cancelled_child_is_a_result(engine: Engine) -> None:
    parent, (child,) = spawned(engine)
    begun(engine, child)

    cancel(engine.database, child)
    drive_family(engine, parent, worker=anything)

    assert run_row(engine.database, parent).outcome["summary"] == "cancelled: cancelled by me"


# ---- cancellation of the parent, in every state of the child --------------------------------------


def pending(engine: Engine, child: str) -> None:
    begun(engine, child)


def leased(engine: Engine, child: str) -> None:
    begun(engine, child)
    claimed_by_nobody(engine.database, child, "planning")


def waiting(engine: Engine, child: str) -> None:
    engine.advance(child)
    assert run_row(engine.database, child).status == "waiting"


def unborn(_engine: Engine, _child: str) -> None:
    """Committed, and never advanced."""


@pytest.mark.parametrize(
    ("workflow", "reach"),
    [("machine", unborn), ("machine", pending), ("machine", leased), ("asking", waiting)],
    ids=["unborn", "pending", "leased", "waiting"],
)
def test_a_cancelled_parent_takes_its_child_along(
    engine: Engine, sweeper: Sweeper, workflow: str, reach: Any
) -> None:
    parent, (child,) = spawned(engine, labels={"child": workflow})
    reach(engine, child)

    cancel(engine.database, parent)
    sweeper.sweep()

    assert run_row(engine.database, child).status == "cancelled"
    assert event_kinds(engine, child)[-1] == "run.cancelled"
    assert run_row(engine.database, parent).status == "cancelled"


def test_a_blocked_child_goes_along_too(engine: Engine, sweeper: Sweeper) -> None:
    parent, children = spawned(engine, "pair", labels={"child": "broken"})
    drive_family(engine, children[0], worker=anything)
    assert run_row(engine.database, children[0]).status == "blocked"

    cancel(engine.database, parent)
    sweeper.sweep()

    assert [run_row(engine.database, child).status for child in children] == ["cancelled"] * 2


def test_from_the_commit_of_a_cancellation_on_nothing_below_is_claimed(
    engine: Engine, sweeper: Sweeper
) -> None:
    parent, (child,) = spawned(engine, labels={"child": "machine", "levels": 2})
    do_all(engine, child)
    (grandchild,) = engine.database.run(lambda c: list_children(c, [child]))[child]
    begun(engine, grandchild.id)

    cancel(engine.database, parent)

    assert refused(engine.database, grandchild.id, "planning").status == "pending"
    sweeper.sweep()
    sweeper.sweep()
    assert run_row(engine.database, grandchild.id).status == "cancelled"


def do_all(engine: Engine, run: str) -> None:
    """Until the run waits for what it started."""
    for step in begun(engine, run):
        do(engine.database, run, step, anything)
    engine.advance(run)


def test_a_parent_that_is_cancelled_while_its_children_end_locks_nobody_out(
    engine: Engine, sweeper: Sweeper
) -> None:
    for _ in range(4):
        parent, children = spawned(engine, "pair")
        for child in children:
            begun(engine, child)
            do(engine.database, child, "planning", anything)
            engine.advance(child)
            do(engine.database, child, "coding", anything)
        work = [
            partial(cancel, engine.database, parent),
            *(partial(engine.advance, run) for run in (*children, parent)),
        ]
        at_once(len(work), lambda number, work=work: work[number]())
        sweeper.sweep()

        assert run_row(engine.database, parent).status == "cancelled"
        assert {run_row(engine.database, child).status for child in children} <= {
            "completed",
            "cancelled",
        }


# ---- what gets lost -----------------------------------------------------------------------------


def test_a_child_that_was_committed_and_never_published_is_found(
    engine: Engine, sweeper: Sweeper
) -> None:
    _, (child,) = spawned(engine)
    later(engine.database)

    sweeper.sweep()

    assert run_row(engine.database, child).open_steps == 1


def test_a_parent_that_was_never_told_of_its_child_s_end_is_found(
    engine: Engine, sweeper: Sweeper
) -> None:
    parent, (child,) = spawned(engine)
    for step in ("planning", "coding"):
        engine.advance(child)
        do(engine.database, child, step, anything)
    ended = engine.advance(child)
    assert ended is not None
    assert ended.parent == parent, "whoever hears of this publishes it; nobody did"
    later(engine.database)

    sweeper.sweep()

    assert step_row(engine.database, parent, "after").status == "pending"


def test_a_child_s_end_that_is_told_twice_counts_once(engine: Engine) -> None:
    parent, (child,) = spawned(engine)
    drive_family(engine, child, worker=anything)
    before = run_row(engine.database, parent)

    assert engine.advance(child) is None
    assert engine.advance(parent) is None
    assert run_row(engine.database, parent) == before

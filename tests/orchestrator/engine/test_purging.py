"""Purges on real Postgres: whole families or nothing, never what is under way or held, no document too many."""

from __future__ import annotations

import threading
from functools import partial

import psycopg
import pytest

from orchestrator.engine.purging import Purger, purge
from shared.models.retention import BY_RULES, Purged, RetentionRule
from shared.store.database import Database
from shared.store.holds import add_hold, list_holds, remove_hold
from shared.store.purging import LeaseLost, begin_purge, list_purges, what_fits
from tests.support.ended_runs import DAY, OLD, end, ended, purged, runs
from tests.support.runs import at_once, execute, fetch

pytestmark = pytest.mark.component


@pytest.fixture
def child(database: Database) -> tuple[str, str]:
    """A run and its child, both ended long ago."""
    parent, below = ended(database), ended(database)
    execute(
        database,
        "UPDATE runs SET parent_run = %s, root_run = %s, depth = 1 WHERE id = %s",
        parent,
        parent,
        below,
    )
    return parent, below


def test_what_is_old_goes_and_what_is_not_stays(database: Database) -> None:
    old, young = ended(database), ended(database, days=10)

    assert purged(database) == Purged(runs=1)

    assert runs(database) == {young}
    assert old not in runs(database)


@pytest.mark.parametrize("status", ["running", "waiting", "blocked", "queued"])
def test_what_has_not_ended_is_never_purged(database: Database, status: str) -> None:
    run = ended(database)
    execute(database, "UPDATE runs SET status = %s WHERE id = %s", status, run)

    assert purged(database, (RetentionRule(1.0),)) == Purged()

    assert runs(database) == {run}


def test_the_first_rule_that_fits_counts(database: Database) -> None:
    failed, cancelled = (ended(database, status=status) for status in ("failed", "cancelled"))
    rules = (RetentionRule(None, status="failed"), RetentionRule(DAY, workflow="review"))

    purged(database, rules)

    assert runs(database) == {failed}
    assert cancelled not in runs(database)


def test_another_workflow_is_left_alone(database: Database) -> None:
    run = ended(database)

    purged(database, (RetentionRule(DAY, workflow="agent"),))

    assert runs(database) == {run}


def test_children_go_with_their_parents_and_never_before(
    database: Database, child: tuple[str, str]
) -> None:
    parent, below = child
    end(database, parent, days=10)

    assert purged(database) == Purged()
    assert runs(database) == {parent, below}

    end(database, parent)
    assert purged(database) == Purged(runs=2)
    assert runs(database) == set()


def test_a_child_that_has_not_ended_keeps_its_parent(
    database: Database, child: tuple[str, str]
) -> None:
    execute(database, "UPDATE runs SET status = 'blocked' WHERE id = %s", child[1])

    assert purged(database) == Purged()


def test_a_hold_on_a_child_keeps_the_family(database: Database, child: tuple[str, str]) -> None:
    held = partial(add_hold, run=child[1], batch=None, reason="audit", actor="me")
    assert database.run(held, atomic=True)

    assert purged(database) == Purged(held=1)
    [fitting] = database.run(partial(what_fits, rules=OLD))
    assert (fitting.runs, fitting.held) == (1, True)

    assert database.run(partial(remove_hold, run=child[1], batch=None))
    assert purged(database) == Purged(runs=2)


def test_the_database_itself_refuses_to_delete_what_is_held(database: Database) -> None:
    run = ended(database)
    database.run(partial(add_hold, run=run, batch=None, reason="audit", actor="me"), atomic=True)

    with pytest.raises(psycopg.errors.IntegrityError):
        execute(database, "DELETE FROM runs")


def batch_of(database: Database, *items: str, name: str = "nightly") -> None:
    execute(
        database,
        "INSERT INTO batches (name, source, fingerprint, total, state, finished_at) "
        "VALUES (%s, 'f', 'f', %s, 'open', now())",
        name,
        len(items),
    )
    for position, run in enumerate(items):
        execute(
            database,
            "INSERT INTO batch_items (batch, position, custom_id, key, run_id, body) "
            "VALUES (%s, %s, %s, 'k', %s, '{}')",
            name,
            position,
            str(position),
            run,
        )


def test_a_batch_goes_whole_or_not_at_all(database: Database) -> None:
    first, second = ended(database), ended(database, days=10)
    batch_of(database, first, second)

    assert purged(database) == Purged()
    assert runs(database) == {first, second}

    end(database, second)
    assert purged(database) == Purged(runs=2, batches=1)
    assert fetch(database, "SELECT count(*) AS n FROM batch_items").n == 0


def test_a_held_batch_keeps_its_runs(database: Database) -> None:
    batch_of(database, run := ended(database))
    held = partial(add_hold, run=None, batch="nightly", reason="claim", actor="me")
    database.run(held, atomic=True)

    assert purged(database) == Purged()
    assert runs(database) == {run}
    assert [(each.batch, each.reason) for each in database.run(list_holds)] == [
        ("nightly", "claim")
    ]


def test_holding_twice_changes_nothing(database: Database) -> None:
    run = ended(database)
    hold = partial(add_hold, run=run, batch=None, reason="audit", actor="me")

    assert database.run(hold, atomic=True)
    assert not database.run(partial(hold, reason="other"), atomic=True)
    assert [each.reason for each in database.run(list_holds)] == ["audit"]


def test_a_purge_is_recorded_with_what_it_removed(database: Database) -> None:
    for _ in range(3):
        ended(database)
    purged(database)
    assert purged(database) == Purged()

    nothing, first = database.run(partial(list_purges, limit=10))
    assert (first.actor, first.runs, first.rules) == (
        "me",
        3,
        [{"keep_s": 90 * DAY, "workflow": None, "status": None}],
    )
    assert nothing.runs == 0
    assert first.ended_at is not None


def test_one_purge_at_a_time(database: Database) -> None:
    for _ in range(120):
        ended(database)

    gone = [each for each in at_once(3, lambda _: purge(database, OLD, "me")) if each is not None]

    assert sum(each.runs for each in gone) == 120
    assert runs(database) == set()


def test_a_purge_that_stood_still_removes_nothing_more(database: Database) -> None:
    ended(database)
    for _ in range(60):
        ended(database)
    others: list[Purged | None] = []

    def overtaken() -> None:
        if not others:
            execute(database, "UPDATE purges SET seen_at = now() - interval '10 minutes'")
            others.append(purge(database, OLD, "other"))

    with pytest.raises(LeaseLost):
        purge(database, OLD, "me", pause=overtaken)

    assert others == [Purged(runs=11)]
    assert sum(each.runs for each in database.run(partial(list_purges, limit=10))) == 61


def test_a_purge_waits_until_a_killed_ones_lease_is_over(database: Database) -> None:
    run = ended(database)
    assert database.run(partial(begin_purge, rules=OLD, actor="killed"), atomic=True)

    assert purge(database, OLD, "me") is None
    assert runs(database) == {run}

    execute(database, "UPDATE purges SET seen_at = now() - interval '10 minutes'")
    assert purged(database) == Purged(runs=1)


def test_a_run_that_somebody_has_locked_is_the_next_purges(database: Database) -> None:
    run = ended(database)
    locked, gone = threading.Event(), threading.Event()

    def hold() -> None:
        with database.transaction() as connection:
            connection.execute("SELECT id FROM runs WHERE id = %s FOR KEY SHARE", (run,))
            locked.set()
            gone.wait(30)

    holder = threading.Thread(target=hold)
    holder.start()
    locked.wait(30)
    assert purged(database) == Purged()
    gone.set()
    holder.join()

    assert purged(database) == Purged(runs=1)


def test_the_services_purge_by_the_rules_as_they_are_now(database: Database) -> None:
    run = ended(database)
    rules: list[RetentionRule] = []
    purger = Purger(database, lambda: rules)

    assert purger.poll() is None
    assert runs(database) == {run}

    rules.extend(OLD)
    assert purger.poll() == Purged(runs=1)
    assert purger.poll() == Purged()
    assert [each.actor for each in database.run(partial(list_purges, limit=10))] == [BY_RULES]

"""Runs that nobody waits for are queued by batch and admitted in turn, and nobody waits for ever."""

import itertools
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shared.delivery.contracts import QUEUES
from shared.models.run import Budget
from shared.store.admission import (
    ADMITTED_AT_ONCE,
    PLACES_UNKNOWN,
    STILL_S,
    admit_runs,
    is_anything_queued,
)
from shared.store.database import Connection, Database
from shared.store.forking import Fork, create_fork
from shared.store.runs import ChildOf, cancel_run, create_run
from shared.store.sweeping import (
    due_runs,
    fail_exhausted_steps,
    release_lost_leases,
    take_lost_steps,
)
from shared.store.views import queued_by_batch
from tests.support.review_panel import submission
from tests.support.runs import alive, at_once, execute, fetch, run_row

pytestmark = pytest.mark.component

_numbers = itertools.count(1)
SUBMITTED = submission()


def submit(
    database: Database,
    batch: object = None,
    *,
    watched: bool = False,
    child_of: ChildOf | None = None,
    budget: Budget | None = None,
) -> str:
    """A run as it is submitted."""
    labels = {} if batch is None else {"batch": batch}
    changes: dict[str, Any] = {"watched": watched, "labels": labels}
    if budget is not None:
        changes["budget"] = budget
    run = f"r{next(_numbers):06}"
    return database.run(
        lambda connection: create_run(
            connection,
            run=run,
            title=run,
            spec=SUBMITTED.spec.model_copy(update=changes),
            root_task="root",
            documents={},
            child_of=child_of,
        ),
        atomic=True,
    )


def fill(database: Database, status: str, batch: str | None, count: int) -> None:
    """Many runs at once, as rows; the queued ones after everybody who is there, one millisecond apart."""
    execute(
        database,
        "INSERT INTO runs (id, workflow, title, status, root_task, batch, created_at) "
        "SELECT %s || lpad(n::text, 7, '0'), 'review', 't', %s, 'root', %s, now() + n * interval '1 ms' "
        "FROM generate_series(1, %s) n",
        f"{status[0]}{next(_numbers):05}-",
        status,
        batch,
        count,
    )


def workers(database: Database, *slots: int) -> None:
    """These turn workers, and no others."""
    execute(database, "DELETE FROM processes")
    for number, count in enumerate(slots):
        alive(database, f"w{number}", slots=count)


def admit(database: Database) -> list[str]:
    """The runs that are admitted now."""
    admitted: list[str] = []
    while some := database.run(admit_runs, atomic=True):
        assert len(some) <= ADMITTED_AT_ONCE
        admitted += some
    return sorted(admitted)


def statuses(database: Database, runs: Sequence[str]) -> list[str]:
    return [run_row(database, run).status for run in runs]


def batches_of(database: Database, runs: Sequence[str]) -> Counter[str]:
    return Counter(run_row(database, run).batch for run in runs)


# ---- who is queued ------------------------------------------------------------------------------


def test_a_run_begins_at_once_while_there_are_places_and_is_queued_after_that(
    database: Database,
) -> None:
    workers(database, 2)

    runs = [submit(database) for _ in range(6)]

    assert statuses(database, runs) == ["running"] * 4 + ["queued"] * 2
    assert database.run(queued_by_batch) == {"": 2}


def test_who_finds_a_queue_joins_it_though_a_place_is_free(database: Database) -> None:
    workers(database, 1)
    first, _, third = (submit(database) for _ in range(3))
    assert run_row(database, third).status == "queued"
    execute(database, "UPDATE runs SET status = 'completed' WHERE id = %s", first)

    late = submit(database)

    assert run_row(database, late).status == "queued"
    assert admit(database) == [third]


def test_watched_runs_and_child_runs_are_in_no_line(database: Database) -> None:
    workers(database, 1)
    fill(database, "queued", "nightly", 100)
    parent = submit(database, "nightly", watched=True)

    child = submit(database, "nightly", child_of=ChildOf(parent, "s", parent, 1))

    assert statuses(database, [parent, child]) == ["running", "running"]
    assert [run_row(database, run).batch for run in (parent, child)] == [None, None]
    assert fetch(database, "SELECT count(*) AS n FROM runs WHERE status = 'running'").n == 2


@pytest.mark.parametrize(
    ("label", "line"), [("nightly", "nightly"), (None, ""), (7, ""), ("x" * 5000, "x" * 200)]
)
def test_a_line_is_a_batch_and_whatever_is_no_name_is_in_the_line_of_no_batch(
    database: Database, label: object, line: str
) -> None:
    assert run_row(database, submit(database, label)).batch == line


def test_places_follow_the_slots_of_living_turn_workers(database: Database) -> None:
    fill(database, "queued", "a", 400)
    assert len(admit(database)) == PLACES_UNKNOWN

    workers(database, 50)
    alive(database, "tools", kind="tools", slots=900)
    alive(database, "silent", 9.0, slots=900)
    assert len(admit(database)) == 2 * 50 - PLACES_UNKNOWN

    workers(database, 50, 10)  # one came
    assert len(admit(database)) == 2 * 10
    workers(database, 10)  # and the large one left
    assert admit(database) == []


# ---- who is admitted ----------------------------------------------------------------------------


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(
    lines=st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=1, max_size=6),
    slots=st.integers(1, 16),
)
def test_places_are_given_one_by_one_to_the_line_with_the_fewest_runs(
    database: Database, lines: list[tuple[int, int]], slots: int
) -> None:
    """Compared with a plain model: places are given away singly, each to the line with the fewest runs under way."""
    execute(database, "TRUNCATE runs CASCADE")
    workers(database, slots)
    heads: dict[str, list[tuple[Any, str]]] = {}
    under_way = {f"b{number}": running for number, (running, _) in enumerate(lines)}
    for number, (running, queued) in enumerate(lines):
        fill(database, "running", f"b{number}", running)
        fill(database, "queued", f"b{number}", queued)
    for row in database.run(
        lambda c: c.execute(
            "SELECT id, batch, created_at FROM runs WHERE status = 'queued' ORDER BY created_at, id"
        ).fetchall()
    ):
        heads.setdefault(row.batch, []).append((row.created_at, row.id))
    present = {batch for batch, runs in under_way.items() if runs} | heads.keys()
    free = 2 * slots - sum(under_way.values())
    share = max(2 * slots // max(len(present), 1), 1)
    expected = []
    while waiting := [batch for batch, line in heads.items() if line]:
        batch = min(waiting, key=lambda name: (under_way[name], heads[name][0]))
        if free <= 0 and under_way[batch] >= share:
            break
        expected.append(heads[batch].pop(0)[1])
        under_way[batch] += 1
        free -= 1

    assert admit(database) == sorted(expected)
    assert admit(database) == [], "all places are given away"


def test_a_newcomer_s_line_is_given_every_free_place_until_it_has_as_many_as_the_other(
    database: Database,
) -> None:
    workers(database, 10)
    fill(database, "running", "large", 20)
    fill(database, "queued", "large", 400)
    fill(database, "queued", "small", 40)

    at_first = admit(database)

    assert batches_of(database, at_first) == {"small": 10}, "its share, though no place is free"
    execute(
        database,
        "UPDATE runs SET status = 'completed' WHERE id IN "
        "(SELECT id FROM runs WHERE status = 'running' AND batch = 'large' LIMIT 12)",
    )
    # 8 and 10 are under way, of 20 places.
    assert batches_of(database, admit(database)) == {"large": 2}


@pytest.mark.parametrize(
    "leave",
    [
        lambda c, run: c.execute("UPDATE runs SET status = 'completed' WHERE id = %s", (run,)),
        lambda c, run: c.execute("UPDATE runs SET status = 'waiting' WHERE id = %s", (run,)),
        lambda c, run: c.execute("UPDATE runs SET status = 'blocked' WHERE id = %s", (run,)),
        lambda c, run: cancel_run(c, run, "a person"),
        lambda c, run: c.execute(
            "UPDATE runs SET updated_at = now() - make_interval(secs => %s) WHERE id = %s",
            (STILL_S + 1, run),
        ),
    ],
    ids=["ended", "waits for a person", "blocked", "cancelled", "stands still"],
)
def test_a_run_gives_its_place_up(database: Database, leave: Any) -> None:
    workers(database, 1)
    runs = [submit(database) for _ in range(4)]
    assert admit(database) == []

    database.run(lambda c: leave(c, runs[0]), atomic=True)

    assert admit(database) == [runs[2]]
    assert admit(database) == []


def test_runs_that_wait_for_people_for_days_keep_nobody_from_beginning(database: Database) -> None:
    """Bounded waiting: whoever holds all places and does nothing is passed after ten minutes."""
    workers(database, 2)
    fill(database, "running", "", 4)
    run = submit(database)
    assert run_row(database, run).status == "queued"

    execute(database, "UPDATE runs SET updated_at = now() - interval '601 s' WHERE id <> %s", run)

    assert admit(database) == [run]


def test_a_queued_run_that_is_cancelled_never_begins(database: Database) -> None:
    workers(database, 1)
    runs = [submit(database) for _ in range(4)]
    execute(database, "UPDATE runs SET status = 'completed' WHERE id = ANY(%s)", runs[:2])

    database.run(lambda c: cancel_run(c, runs[2], "a person"), atomic=True)

    assert admit(database) == [runs[3]]
    assert run_row(database, runs[2]).status == "cancelled"
    assert not database.run(is_anything_queued)


# ---- clocks, locks, several at once -------------------------------------------------------------


def test_the_clock_of_a_run_begins_when_it_is_admitted(database: Database) -> None:
    workers(database, 1)
    budget = Budget(max_seconds=60)
    first, second, third = (submit(database, budget=budget) for _ in range(3))
    past = "UPDATE runs SET created_at = created_at - interval '1 h', deadline_at = deadline_at - interval '1 h'"
    execute(database, f"{past} WHERE id = %s", third)
    execute(database, "UPDATE runs SET status = 'completed' WHERE id = ANY(%s)", [first, second])

    assert admit(database) == [third]

    left = fetch(
        database,
        "SELECT extract(epoch FROM deadline_at - now()) AS s FROM runs WHERE id = %s",
        third,
    )
    assert 50 < left.s <= 60
    assert run_row(database, third).admitted_at is not None


def test_a_fork_waits_its_turn(database: Database) -> None:
    workers(database, 1)
    origin = submit(database)
    submit(database)
    fork = Fork("fork1", origin, "start", "t", SUBMITTED.spec, "root")

    database.run(lambda c: create_fork(c, fork, {}), atomic=True)

    assert run_row(database, "fork1").status == "queued"
    execute(database, "UPDATE runs SET status = 'completed' WHERE id = %s", origin)
    assert admit(database) == ["fork1"]


def test_a_row_that_somebody_else_holds_is_left_to_the_next_admission(database: Database) -> None:
    workers(database, 1)
    fill(database, "queued", "a", 2)
    with database.transaction() as other:
        held = other.execute("SELECT id FROM runs ORDER BY id LIMIT 1 FOR UPDATE").fetchone()
        assert held is not None
        assert len(admit(database)) == 1
    assert admit(database) == [held.id]


def test_admissions_at_the_same_time_admit_no_run_twice(database: Database) -> None:
    fill(database, "queued", "a", 300)
    fill(database, "queued", "b", 300)

    admitted = [run for runs in at_once(6, lambda _: admit(database)) for run in runs]

    assert len(admitted) == len(set(admitted)) >= PLACES_UNKNOWN


# ---- what it costs ------------------------------------------------------------------------------


_READ = (
    "SELECT (SELECT sum(heap_blks_read + heap_blks_hit) FROM pg_statio_user_tables)::int "
    "+ (SELECT sum(idx_blks_read + idx_blks_hit) FROM pg_statio_user_indexes)::int AS blocks"
)


def blocks(database: Database, work: Any) -> int:
    """How many blocks of tables and indexes `work` reads."""

    def measure(connection: Connection) -> int:
        counts = []
        for look in (lambda _: None, work, lambda _: None):
            look(connection)
            connection.execute("SELECT pg_stat_force_next_flush()")
            counts.append(int(connection.execute(_READ).fetchone().blocks))  # type: ignore[union-attr]
        return counts[1] - counts[0]

    return database.run(measure)


def test_fifty_thousand_queued_runs_cost_what_fifty_cost(database: Database) -> None:
    """Submission, admission and a sweep read the index where they need it, whatever is queued."""
    workers(database, 20)
    for batch in ("a", "b", ""):
        fill(database, "running", batch, 13)
    fill(database, "queued", "a", 50)
    execute(database, "ANALYZE")
    few = _cost(database)
    for batch in ("a", "b", ""):
        fill(database, "queued", batch, 50_000)
    execute(database, "ANALYZE")

    many = _cost(database)

    # An index of 150,000 rows is one or two pages higher, and three lines have something queued.
    assert {name: many[name] <= 3 * few[name] + 60 for name in few} == dict.fromkeys(few, True), (
        few,
        many,
    )
    assert fetch(database, "SELECT count(*) AS n FROM runs WHERE status = 'queued'").n > 149_000


def _cost(database: Database) -> dict[str, int]:
    def submit_one(connection: Connection) -> None:
        run = f"r{next(_numbers):06}"
        spec = SUBMITTED.spec
        create_run(connection, run=run, title=run, spec=spec, root_task="root", documents={})

    def end_some(connection: Connection) -> None:
        connection.execute(
            "UPDATE runs SET status = 'completed' WHERE id IN "
            "(SELECT id FROM runs WHERE status = 'running' AND batch = 'a' LIMIT 3)"
        )

    database.run(end_some)
    costs = {"admission": blocks(database, admit_runs)}
    costs["nothing to admit"] = blocks(database, admit_runs)
    costs["look"] = blocks(database, is_anything_queued)
    costs["submission"] = blocks(database, submit_one)
    costs["due"] = blocks(database, lambda c: due_runs(c, 1.5))
    costs["exhausted"] = blocks(database, lambda c: fail_exhausted_steps(c, 8.0))
    costs["released"] = blocks(database, lambda c: release_lost_leases(c, 8.0))
    costs["lost"] = blocks(database, lambda c: take_lost_steps(c, dict.fromkeys(QUEUES, 9.0), 500))
    return costs

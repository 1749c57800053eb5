"""Many runs advanced in one transaction, on real Postgres: each comes to what it would come to alone."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, TypeVar

import psycopg
import pytest

from orchestrator.engine.advance import MOST_AT_ONCE, Engine
from orchestrator.engine.staging import Scheduled
from shared.errors import EnvironmentFault
from shared.store.database import Connection, Database
from shared.store.ends import StepEnd, finish_steps
from shared.store.events import list_events
from shared.store.runs import lock_run
from tests.support.driving import (
    Asked,
    answer,
    approving,
    claimed_by_nobody,
    conceding,
    do,
    drive,
    keys,
    submit,
)
from tests.support.families import anything, cancel, overdue, spawned
from tests.support.review_panel import submission
from tests.support.runs import at_once, execute, run_row
from tests.support.small_workflows import SMALL_WORKFLOWS, small

pytestmark = pytest.mark.component

T = TypeVar("T")


@pytest.fixture
def engine(database: Database) -> Engine:
    return Engine(database, SMALL_WORKFLOWS)


def advanced(engine: Engine, runs: Sequence[str]) -> dict[str, Scheduled]:
    """What is to be published of runs that are advanced together, by run."""
    found = list(chain.from_iterable(engine.advance_all(runs)))
    assert len({one.run for one in found}) == len(found), "each is published once"
    return {one.run: one for one in found}


# ---- runs in every state ------------------------------------------------------------------------


def fresh(engine: Engine) -> str:
    return submit(engine)


def half_of_a_round(engine: Engine) -> str:
    run = submit(engine)
    do(engine.database, run, keys(engine.advance(run))[0], conceding)
    return run


def a_round(engine: Engine) -> str:
    run = submit(engine)
    for name in keys(engine.advance(run)):
        do(engine.database, run, name, conceding)
    return run


def advanced_elsewhere(engine: Engine) -> str:
    run = submit(engine)
    engine.advance(run)
    other = Engine(engine.database, SMALL_WORKFLOWS)
    for name in ("critique/1/critic1", "critique/1/critic2"):
        do(engine.database, run, name, conceding)
    other.advance(run)
    do(engine.database, run, "rebuttal/2/author", conceding)
    return run


def about_to_ask(engine: Engine) -> str:
    return submit(engine, small("asking"))


def answered(engine: Engine) -> str:
    run = submit(engine)
    drive(engine, run, conceding)
    answer(engine, run, "apply_fix")
    return run


def about_to_end(engine: Engine) -> str:
    run = submit(engine, small("machine"))
    for mode in ("planning", "coding"):
        engine.advance(run)
        do(engine.database, run, mode, anything)
    return run


def too_late(engine: Engine) -> str:
    run = half_of_a_round(engine)
    overdue(engine.database, run)
    return run


def mismatching(engine: Engine) -> str:
    run = submit(engine, small("broken"))
    engine.advance(run)
    do(engine.database, run, "only", anything)
    return run


def unreadable(engine: Engine) -> str:
    run = submit(engine)
    execute(
        engine.database, "UPDATE specs SET spec = spec || '{\"new\": 1}' WHERE run_id = %s", run
    )
    return run


def cancelled(engine: Engine) -> str:
    run = half_of_a_round(engine)
    cancel(engine.database, run)
    return run


def about_to_have_children(engine: Engine) -> str:
    return submit(engine, small("pair", labels={"child": "machine"}))


def another_version(engine: Engine) -> str:
    return submit(engine, submission(version=99))


STATES = (
    fresh,
    half_of_a_round,
    a_round,
    advanced_elsewhere,
    about_to_ask,
    answered,
    about_to_end,
    too_late,
    mismatching,
    unreadable,
    cancelled,
    about_to_have_children,
    another_version,
)


def rows(database: Database, run: str) -> str:
    """All that is stored of a run, without names and moments that are its own."""
    found = [
        database.run(
            lambda c, table=table, name=name: c.execute(  # type: ignore[misc]
                f"SELECT coalesce(json_agg(t ORDER BY to_jsonb(t)::text), '[]')::text AS text FROM "
                f"(SELECT to_jsonb(x) - '{{id,root_task,claim}}'::text[] AS t FROM {table} x WHERE {name} = %s) s",
                (run,),
            ).fetchone()
        ).text
        for table, name in (
            ("runs", "id"),
            ("runs", "parent_run"),
            ("steps", "run_id"),
            ("requests", "run_id"),
            ("records", "run_id"),
            ("decisions", "run_id"),
            ("findings", "run_id"),
            ("stances", "run_id"),
            ("events", "run_id"),
        )
    ]
    text = "\n".join(found).replace(run, "RUN")
    text = re.sub(r'"\d{4}-\d\d-\d\dT[^"]*"', "MOMENT", text)
    return re.sub(r"\br[23456789abcdefghjkmnpqrstvwxyz]{9}\b", "OTHER", text)


def test_runs_in_any_state_come_to_the_same_together_as_one_by_one(engine: Engine) -> None:
    database = engine.database
    single = [state(engine) for state in STATES]
    together = [state(engine) for state in STATES]

    one_by_one = [engine.advance(run) for run in single]
    at_once_ = advanced(engine, ["nobody", *together])

    for state, alone, run, mine in zip(STATES, one_by_one, together, single, strict=True):
        assert keys(at_once_.get(run)) == keys(alone), state.__name__
        if alone is not None and run in at_once_:
            found = at_once_[run]
            assert (len(found.children), found.priority, found.parent) == (
                len(alone.children),
                alone.priority,
                alone.parent,
            ), state.__name__
        assert rows(database, run) == rows(database, mine), state.__name__
    statuses = {run_row(database, run).status for run in together}
    assert statuses == {"running", "waiting", "blocked", "completed", "cancelled"}


def test_together_is_one_transaction_for_each_sixteen(database: Database) -> None:
    counting = Counts(database.url)
    engine = Engine(counting, SMALL_WORKFLOWS)
    runs = [submit(engine, small("machine")) for _ in range(2 * MOST_AT_ONCE + 2)]
    counting.transactions = 0

    found = advanced(engine, [*runs, *runs])

    assert list(found) == runs, "in the order in which they were asked for"
    assert counting.transactions == 3
    counting.close()


class Counts(Database):
    """Counts the transactions of advances; the server may die before one of them is committed."""

    transactions = 0
    dies = False

    def run(self, work: Callable[[Connection], T], **how: Any) -> T:
        def dying(connection: Connection) -> T:
            done = work(connection)
            if self.dies and how.get("pipelined"):
                raise psycopg.OperationalError("gone")
            return done

        self.transactions += bool(how.get("pipelined"))
        return super().run(dying, **how)


def numbers(database: Database, run: str) -> list[int]:
    return [number for number, _, _ in database.run(lambda c: list_events(c, run))]


def test_what_was_not_committed_is_done_again_and_no_number_is_missing(database: Database) -> None:
    losing = Counts(database.url)
    engine = Engine(losing, SMALL_WORKFLOWS)
    runs = [submit(engine) for _ in range(3)]
    stages: list[int] = []
    while True:
        losing.dies = True
        before = [run_row(database, run) for run in runs]
        with pytest.raises(EnvironmentFault):
            advanced(engine, runs)
        assert [run_row(database, run) for run in runs] == before
        losing.dies = False
        found = advanced(engine, runs)
        if not any(one.steps for one in found.values()):
            break
        stages.append(sum(len(one.steps) for one in found.values()))
        for run, one in found.items():
            for name in keys(one):
                do(database, run, name, conceding)
    losing.close()

    assert stages == [6, 3, 6, 3, 3]
    for run in runs:
        assert run_row(database, run).status == "waiting"
        assert numbers(database, run) == list(range(1, len(numbers(database, run)) + 1))


# ---- those that do not go with the others -------------------------------------------------------


def test_a_run_that_somebody_else_is_at_follows_the_others(engine: Engine) -> None:
    held, free, other = (submit(engine, small("machine")) for _ in range(3))

    with engine.database.transaction() as elsewhere:
        assert lock_run(elsewhere, held) is not None
        portions = engine.advance_all([held, free, other])
        assert [one.run for one in next(portions)] == [free, other]

    assert [[one.run for one in portion] for portion in portions] == [[held]]


def test_a_run_that_fails_keeps_no_other_back(engine: Engine) -> None:
    first, bad, last = (submit(engine, small(name)) for name in ("machine", "buggy", "machine"))
    for run, step in ((first, "planning"), (bad, "only"), (last, "planning")):
        engine.advance(run)
        do(engine.database, run, step, anything)
    before = run_row(engine.database, bad)

    found = advanced(engine, [first, bad, last])

    assert {run: keys(one) for run, one in found.items()} == {first: ["coding"], last: ["coding"]}
    assert run_row(engine.database, bad) == before
    with pytest.raises(ZeroDivisionError):
        engine.advance(bad)


def test_a_family_that_is_always_advanced_together_comes_to_its_end(engine: Engine) -> None:
    parent, children = spawned(engine, "pair")
    families = [parent, *children, *(submit(engine, small("machine")) for _ in range(2))]
    work = [(parent, "beside")]
    for _ in range(12):
        for run, name in work:
            do(engine.database, run, name, anything)
        found = advanced(engine, families)
        work = [(run, name) for run, one in found.items() for name in keys(one)]
        woken = {one.parent for one in found.values() if one.parent}
        assert woken <= {parent}

    assert run_row(engine.database, parent).outcome["summary"] == "completed, completed, spoke"
    assert {run_row(engine.database, run).status for run in families} == {"completed"}


# ---- side by side -------------------------------------------------------------------------------


def approved(database: Database, run: str, step: str) -> StepEnd:
    claimed = claimed_by_nobody(database, run, step)
    asked = Asked(step, "", 1, json.loads(claimed.request)["reply_model"], {})
    return StepEnd(claimed, reply=json.dumps(approving(asked).reply))


def test_batches_in_any_order_and_finishers_side_by_side_never_block_one_another(
    database: Database,
) -> None:
    wide = Database(database.url, pool_size=20, patience_s=0)  # a deadlock is an error at once
    engines = [Engine(wide, SMALL_WORKFLOWS) for _ in range(3)]
    runs = [submit(engines[0]) for _ in range(6)]
    open_work: list[tuple[str, str]] = []
    stages = 0
    while True:
        done: list[tuple[str, str]] = []

        def work(
            number: int, todo: list[tuple[str, str]] = open_work, done: list[tuple[str, str]] = done
        ) -> None:
            ends = [approved(wide, run, name) for run, name in todo[number::6]]
            if ends:
                wide.run(lambda c: finish_steps(c, ends))
            order = runs if number % 2 else runs[::-1]
            for one in advanced(engines[number % 3], order).values():
                done.extend((one.run, name) for name in keys(one))

        at_once(6, work)
        if not done:
            break
        assert len(set(done)) == len(done), "no step is scheduled twice"
        stages += 1
        open_work = done
    wide.close()

    assert {run_row(database, run).status for run in runs} == {"completed"}
    assert stages == 2
    for run in runs:
        assert numbers(database, run) == list(range(1, len(numbers(database, run)) + 1))

"""Kept replays save work, and nothing else depends on them: whoever went on elsewhere is not overlooked."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from itertools import cycle
from typing import Any, TypeVar

import psycopg
import pytest

from orchestrator.core.replay.replay import Replay
from orchestrator.engine.advance import Engine
from orchestrator.engine.kept import BEGUN_BYTES, KeptReplay, KeptReplays
from shared.errors import EnvironmentFault
from shared.store.database import Connection, Database
from shared.text.bounded_cache import RUNS_S
from tests.support.driving import answer, conceding, do, drive, keys, submit
from tests.support.programs import starter
from tests.support.runs import execute, run_row
from tests.support.small_workflows import SMALL_WORKFLOWS, small

T = TypeVar("T")


def kept(read: int = 0) -> KeptReplay:
    return KeptReplay(Replay(starter(())()), 0, 0, [read])


def test_a_kept_replay_is_given_to_one_at_a_time() -> None:
    replays = KeptReplays()
    mine = kept()
    replays.keep("r", mine)

    assert replays.take("r") is mine
    assert replays.take("r") is None


def test_memory_is_bounded_and_the_longest_unused_goes_first() -> None:
    replays = KeptReplays(most_bytes=3 * (BEGUN_BYTES + 100))
    for name in ("a", "b", "c"):
        replays.keep(name, kept(100))
    replays.keep("a", kept(100))
    replays.keep("d", kept(100))

    assert [name for name in "abcd" if replays.take(name)] == ["a", "c", "d"]

    replays.keep("e", kept(10 * BEGUN_BYTES))
    assert replays.take("e") is None, "larger than all the room there is"


def test_what_another_process_went_on_with_is_not_kept_for_ever() -> None:
    now = 0.0
    replays = KeptReplays(clock=lambda: now)
    elsewhere = kept()
    replays.keep("a", elsewhere)
    now += RUNS_S
    replays.keep("b", kept())
    assert replays.take("b") is not None
    now += 1
    replays.keep("c", kept())

    assert replays.take("a") is None
    assert inspect.getgeneratorstate(elsewhere.replay.workflow) == inspect.GEN_CLOSED
    assert replays.take("c") is not None


@pytest.mark.component
def test_orchestrators_that_take_turns_notice_what_the_other_has_advanced(
    database: Database,
) -> None:
    engines = cycle([Engine(database), Engine(database), Engine(database)])
    run = submit(next(engines))
    stages = []
    while names := keys(next(engines).advance(run)):
        stages.append(names)
        for name in names:
            do(database, run, name, conceding)
            next(engines).advance(run) if name != names[-1] else None
    answer(next(engines), run, "skip")
    next(engines).advance(run)

    assert [len(stage) for stage in stages] == [2, 1, 2, 1, 1]
    assert run_row(database, run).status == "completed"


class LosesCommits(Database):
    """The server dies before it has committed, each time that it is told to."""

    dies = False

    def run(self, work: Callable[[Connection], T], **how: Any) -> T:
        def dying(connection: Connection) -> T:
            done = work(connection)
            if self.dies and how.get("pipelined"):
                raise psycopg.OperationalError("gone")
            return done

        return super().run(dying, **how)


@pytest.mark.component
def test_what_was_not_committed_is_replayed_from_the_journal(
    database: Database,
) -> None:
    losing = LosesCommits(database.url)
    engine = Engine(losing)
    run = submit(engine)
    stages = []
    while True:
        losing.dies = True
        with pytest.raises(EnvironmentFault):
            engine.advance(run)
        losing.dies = False
        if not (names := keys(engine.advance(run))):
            break
        stages.append(names)
        for name in names:
            do(database, run, name, conceding)
    losing.close()

    assert [len(stage) for stage in stages] == [2, 1, 2, 1, 1]
    assert run_row(database, run).status == "waiting"


@pytest.mark.component
def test_an_advance_that_goes_on_reads_nothing_that_it_knows(database: Database) -> None:
    """What it knows is spoiled in the database: only the comparison with the whole journal sees it."""
    engine = Engine(database, SMALL_WORKFLOWS)
    run = submit(engine, small("machine"))
    assert keys(engine.advance(run)) == ["planning"]
    spoil = 'UPDATE records SET body = body || \'{"after": "elsewhere"}\' WHERE run_id = %s'
    execute(database, spoil, run)
    do(database, run, "planning", conceding)

    with pytest.raises(RuntimeError, match="the kept replay of"):
        engine.advance(run)

    drive(engine, run, conceding)
    assert run_row(database, run).outcome["summary"] == "idle > elsewhere > coding"

"""Signals on a real Redis: each advances one run, a lost listener's signals are taken over, forged ones only wake."""

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
import redis
from celery import Celery

from orchestrator.engine.advance import MOST_AT_ONCE, Engine
from orchestrator.engine.listener import TAKE_OVER_EVERY_S, SignalListener
from orchestrator.engine.staging import Scheduled
from shared.delivery.contracts import SIGNAL_GROUP, SIGNAL_STREAM, TASK_ADVANCE, TASK_TURN
from shared.delivery.signals import Signals
from shared.errors import EnvironmentFault
from shared.instance import Endpoints
from shared.store.database import Database
from shared.store.runs import lock_run
from tests.support.driving import approving, do, submit
from tests.support.queues import Lying, drain
from tests.support.small_workflows import SMALL_WORKFLOWS, small

pytestmark = pytest.mark.component


@pytest.fixture
def engine(database: Database) -> Engine:
    return Engine(database, SMALL_WORKFLOWS)


@pytest.fixture
def run(engine: Engine) -> str:
    return submit(engine)


@pytest.fixture
def listener(servers: Endpoints, engine: Engine, app: Celery) -> Iterator[SignalListener]:
    listening = SignalListener(Signals(servers.redis_url), engine, app, "me")
    listening.start()
    yield listening
    listening.stop()


def until(found: Callable[[], list[Lying]], timeout_s: float = 40) -> list[Lying]:
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        if messages := found():
            return messages
        threading.Event().wait(0.02)
    raise AssertionError("nothing was published")


def pending(client: redis.Redis) -> int:
    summary = client.xpending(SIGNAL_STREAM, SIGNAL_GROUP)
    return int(summary["pending"])


def none_is_pending(client: redis.Redis) -> bool:
    deadline = time.monotonic() + 30
    while pending(client) and time.monotonic() < deadline:
        threading.Event().wait(0.02)
    return not pending(client)


def test_a_signal_advances_its_run_in_place_and_is_acknowledged(
    listener: SignalListener, app: Celery, run: str, servers: Endpoints, client: redis.Redis
) -> None:
    assert Signals(servers.redis_url).send(run)

    messages = until(lambda: drain(app))

    assert [(message.task, message.payload["run"]) for message in messages] == [
        (TASK_TURN, run)
    ] * 2
    assert none_is_pending(client)


def test_anything_that_writes_the_documented_signal_resumes_a_run(
    listener: SignalListener, app: Celery, run: str, client: redis.Redis
) -> None:
    client.execute_command(  # type: ignore[no-untyped-call]
        "XADD", SIGNAL_STREAM, "MAXLEN", "~", 10000, "*", "v", 1, "run", run
    )

    assert {m.payload["run"] for m in until(lambda: drain(app))} == {run}


def test_forged_and_malformed_signals_are_dropped_and_the_next_one_is_heard(
    listener: SignalListener, app: Celery, run: str, client: redis.Redis
) -> None:
    client.xadd(SIGNAL_STREAM, {"run": "nobody"})
    client.xadd(SIGNAL_STREAM, {"choice": "apply_fix"})
    client.xadd(SIGNAL_STREAM, {"run": "\x00"})
    client.xadd(SIGNAL_STREAM, {"run": b"\xff", b"\xfe": b"\xff"})
    client.xadd(SIGNAL_STREAM, {"run": run, "choice": "apply_fix"})

    assert {m.payload["run"] for m in until(lambda: drain(app))} == {run}
    assert none_is_pending(client)


def test_a_run_that_cannot_be_advanced_keeps_no_other_s_signal(
    servers: Endpoints, engine: Engine, app: Celery, client: redis.Redis, run: str
) -> None:
    bad = submit(engine, small("buggy"))
    engine.advance(bad)
    do(engine.database, bad, "only", approving)
    signals = Signals(servers.redis_url)
    for name in (bad, run, bad):
        signals.send(name)
    listening = SignalListener(signals, engine, app, "me")
    listening.start()

    assert {m.payload["run"] for m in until(lambda: drain(app))} == {run}
    assert none_is_pending(client)
    listening.stop()


def test_a_signal_for_a_run_that_somebody_else_is_at_is_not_lost(
    listener: SignalListener,
    servers: Endpoints,
    engine: Engine,
    app: Celery,
    client: redis.Redis,
    run: str,
) -> None:
    free = submit(engine)
    signals = Signals(servers.redis_url)
    with engine.database.transaction() as other:
        assert lock_run(other, run) is not None
        for name in (run, free):
            signals.send(name)
        assert {m.payload["run"] for m in until(lambda: drain(app))} == {free}

    assert {m.payload["run"] for m in until(lambda: drain(app))} == {run}
    assert none_is_pending(client)


def test_a_flood_of_signals_goes_into_the_queue_and_what_somebody_waits_for_goes_first(
    servers: Endpoints, engine: Engine, app: Celery, client: redis.Redis
) -> None:
    signals = Signals(servers.redis_url)
    runs = [submit(engine, small("machine", watched=n == 7)) for n in range(MOST_AT_ONCE + 1)]
    for run in runs:
        signals.send(run)
    listening = SignalListener(signals, engine, app, "me")
    listening.start()

    messages: list[Lying] = []
    until(lambda: messages.extend(drain(app)) or messages[MOST_AT_ONCE:])
    listening.stop()
    assert {m.task for m in messages} == {TASK_ADVANCE}
    assert {m.payload["cause"] for m in messages} == {"signal"}
    assert sorted(m.payload["run"] for m in messages) == sorted(runs)
    first = [m.payload["run"] for m in messages if json.loads(m.raw)[0]["properties"]["priority"]]
    assert first == [runs[7]]
    assert none_is_pending(client)


class Away(Engine):
    """Its database is away; `asked` says that somebody noticed."""

    asked = threading.Event()

    def advance_all(self, runs: Iterable[str]) -> Iterator[list[Scheduled]]:
        """As when the patience is over."""
        self.asked.set()
        raise EnvironmentFault("the database does not answer")


def test_a_signal_is_not_acknowledged_while_its_run_could_not_be_advanced(
    servers: Endpoints, database: Database, app: Celery, client: redis.Redis, run: str
) -> None:
    away = Away(database)
    signals = Signals(servers.redis_url)
    signals.send(run)
    listening = SignalListener(signals, away, app, "me")
    listening.start()

    assert away.asked.wait(30)
    listening.stop()
    assert pending(client) == 1
    assert drain(app) == []


def test_dead_listeners_signals_are_asked_for_now_and_then(
    listener: SignalListener, servers: Endpoints, engine: Engine, app: Celery, client: redis.Redis
) -> None:
    signals = Signals(servers.redis_url)
    client.config_resetstat()
    began = time.monotonic()
    for _ in range(20):
        signals.send(submit(engine))
        until(lambda: drain(app))
    took_s = time.monotonic() - began

    commands: Any = client.info("commandstats")
    assert commands["cmdstat_xreadgroup"]["calls"] >= 20
    asked = commands.get("cmdstat_xautoclaim", {"calls": 0})["calls"]
    assert asked <= took_s / TAKE_OVER_EVERY_S + 1


def test_a_signal_that_was_sent_while_nobody_listened_is_heard(
    servers: Endpoints, engine: Engine, app: Celery, run: str
) -> None:
    Signals(servers.redis_url).send(run)
    late = SignalListener(Signals(servers.redis_url), engine, app, "late")
    late.start()

    assert {m.payload["run"] for m in until(lambda: drain(app))} == {run}
    late.stop()


def test_signals_that_a_dead_listener_read_are_taken_over(
    servers: Endpoints, client: redis.Redis
) -> None:
    signals = Signals(servers.redis_url)
    signals.prepare()
    signals.send("r1")
    dead = list(signals.receive("dead", block_ms=10, idle_ms=60_000))

    too_early = list(signals.receive("heir", block_ms=10, idle_ms=60_000))
    taken_over = list(signals.receive("heir", block_ms=10, idle_ms=0))

    assert [run for _, run in dead] == ["r1"]
    assert too_early == []
    assert taken_over == dead
    signals.acknowledge(taken_over[0][0])
    assert list(signals.receive("heir", block_ms=10, idle_ms=0)) == []
    signals.close()


def test_a_redis_that_was_wiped_is_listened_to_again(
    listener: SignalListener,
    engine: Engine,
    app: Celery,
    run: str,
    client: redis.Redis,
    servers: Endpoints,
) -> None:
    Signals(servers.redis_url).send(run)
    until(lambda: drain(app))
    later = {submit(engine) for _ in range(3)}
    client.flushall()
    client.client_kill_filter(_type="normal")

    def again() -> list[Lying]:
        for name in later:
            Signals(servers.redis_url).send(name)
        return drain(app)

    assert {m.payload["run"] for m in until(again)} <= later


def test_without_redis_a_signal_is_only_not_sent(tmp_path: object) -> None:
    assert Signals(f"unix://{tmp_path}/nobody.sock").send("r1") is False


def test_listeners_of_processes_that_ended_are_forgotten(
    servers: Endpoints, client: redis.Redis
) -> None:
    signals = Signals(servers.redis_url, forgotten_after_ms=-1)
    signals.prepare()
    for name in ("gone", "holding"):
        if name == "holding":
            signals.send("r1")
        list(signals.receive(name, block_ms=1, idle_ms=60_000))

    signals.prepare()

    left = [consumer["name"] for consumer in client.xinfo_consumers(SIGNAL_STREAM, SIGNAL_GROUP)]
    assert left == ["holding"], "what it read must be claimed by another one first"


def test_a_listener_that_asks_now_and_then_is_kept(servers: Endpoints, client: redis.Redis) -> None:
    signals = Signals(servers.redis_url)
    signals.prepare()
    list(signals.receive("alive", block_ms=1, idle_ms=60_000))

    signals.prepare()

    assert len(client.xinfo_consumers(SIGNAL_STREAM, SIGNAL_GROUP)) == 1

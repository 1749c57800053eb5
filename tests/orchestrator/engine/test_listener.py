"""Signals on a real Redis: each wakes one advance, a lost listener's signals are taken over, forged ones only wake."""

import threading
import time
from collections.abc import Callable, Iterator

import pytest
import redis
from celery import Celery

from orchestrator.engine.advance import Engine
from orchestrator.engine.listener import SignalListener
from shared.delivery.contracts import SIGNAL_GROUP, SIGNAL_STREAM
from shared.delivery.signals import Signals
from shared.instance import Endpoints
from shared.store.database import Database
from tests.support.queues import Lying, drain
from tests.support.review_panel import submission

pytestmark = pytest.mark.component


@pytest.fixture
def client(servers: Endpoints, broker_url: str) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(servers.redis_url, decode_responses=True) as connected:
        yield connected


@pytest.fixture
def run(database: Database) -> str:
    wanted = submission()
    return Engine(database).submit(wanted.spec, "t", wanted.documents)


@pytest.fixture
def listener(servers: Endpoints, database: Database, app: Celery) -> Iterator[SignalListener]:
    listening = SignalListener(Signals(servers.redis_url), database, app, "me")
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


def test_a_signal_becomes_an_advance_and_is_acknowledged(
    listener: SignalListener, app: Celery, run: str, servers: Endpoints, client: redis.Redis
) -> None:
    assert Signals(servers.redis_url).send(run)

    (message,) = until(lambda: drain(app))

    assert message.task == "quorate.run.advance"
    assert message.payload == {"v": 1, "run": run, "cause": "signal"}
    deadline = time.monotonic() + 30
    while pending(client) and time.monotonic() < deadline:
        threading.Event().wait(0.02)
    assert pending(client) == 0


def test_anything_that_writes_the_documented_signal_resumes_a_run(
    listener: SignalListener, app: Celery, run: str, client: redis.Redis
) -> None:
    client.execute_command(  # type: ignore[no-untyped-call]
        "XADD", SIGNAL_STREAM, "MAXLEN", "~", 10000, "*", "v", 1, "run", run
    )

    assert [m.payload["run"] for m in until(lambda: drain(app))] == [run]


def test_forged_and_malformed_signals_are_dropped_and_the_next_one_is_heard(
    listener: SignalListener, app: Celery, run: str, client: redis.Redis
) -> None:
    client.xadd(SIGNAL_STREAM, {"run": "nobody"})
    client.xadd(SIGNAL_STREAM, {"choice": "apply_fix"})
    client.xadd(SIGNAL_STREAM, {"run": "\x00"})
    client.xadd(SIGNAL_STREAM, {"run": b"\xff", b"\xfe": b"\xff"})
    client.xadd(SIGNAL_STREAM, {"run": run, "choice": "apply_fix"})

    (message,) = until(lambda: drain(app))

    assert message.payload == {"v": 1, "run": run, "cause": "signal"}


def test_a_signal_that_was_sent_while_nobody_listened_is_heard(
    servers: Endpoints, database: Database, app: Celery, run: str
) -> None:
    Signals(servers.redis_url).send(run)
    late = SignalListener(Signals(servers.redis_url), database, app, "late")
    late.start()

    assert [m.payload["run"] for m in until(lambda: drain(app))] == [run]
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
    listener: SignalListener, app: Celery, run: str, client: redis.Redis, servers: Endpoints
) -> None:
    Signals(servers.redis_url).send(run)
    until(lambda: drain(app))
    client.flushall()
    client.client_kill_filter(_type="normal")

    def again() -> list[Lying]:
        Signals(servers.redis_url).send(run)
        return drain(app)

    assert {m.payload["run"] for m in until(again)} == {run}


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

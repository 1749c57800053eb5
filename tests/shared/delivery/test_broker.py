"""Celery on the journal: barriers published once, a channel that survives its connection, JSON and nothing else."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
import redis
import structlog
from celery import Celery, chain, chord
from celery.contrib.testing.worker import start_worker
from kombu.entity import Queue
from kombu.messaging import Producer

from orchestrator.embedded.processes import wait_until
from shared.delivery.broker import Channel, JournalBackend, Transport, make_app
from shared.delivery.contracts import (
    QUEUE_ORCHESTRATOR,
    QUEUE_TURNS,
    QUEUES,
)
from shared.delivery.publishing import Application
from shared.models.priority import ORDINARY, PRIORITIES, SOON, TURN_EVERY, WATCHED
from tests.support.poison import good, poisons
from tests.support.queues import depths

pytestmark = pytest.mark.component


class Heard:
    """What the tasks of a test were called with."""

    def __init__(self) -> None:
        self.calls: list[Any] = []
        self.changed = threading.Condition()

    def add(self, what: Any) -> None:
        with self.changed:
            self.calls.append(what)
            self.changed.notify_all()

    def wait_for(self, count: int, timeout_s: float = 60) -> list[Any]:
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.calls) >= count, timeout_s), self.calls
            return list(self.calls)


@pytest.fixture
def heard() -> Heard:
    return Heard()


def made(broker_url: str, heard: Heard, slots: int = 4, late_acks: bool = False) -> Application:
    """The real application with two tasks: a step that says whether it was the last, and an advance."""
    counted_at = plain(broker_url) if broker_url.startswith("redis") else None
    app = make_app(broker_url, slots=slots, late_acks=late_acks, redis_url=counted_at)

    def step(name: str, ready: bool) -> dict[str, Any]:
        heard.add(("step", name))
        return {"step": name, "status": "done", "ready": ready}

    def advance(cause: str) -> None:
        heard.add(("advance", cause))

    app.task(step, name="step", ignore_result=True, shared=False)
    app.task(advance, name="advance", ignore_result=True, shared=False)
    return app


@pytest.fixture
def app(broker_url: str, heard: Heard) -> Iterator[Celery]:
    """The application of a test."""
    app = made(broker_url, heard)
    yield app
    app.close()


def plain(broker_url: str) -> str:
    """redis-py's spelling of kombu's URL."""
    return broker_url.replace("redis+socket://", "unix://").replace("virtual_host=", "db=")


def step_of(app: Celery, name: str, ready: bool) -> Any:
    return app.signature(
        "step", (name, ready), immutable=True, options={"queue": QUEUE_TURNS, "ignore_result": True}
    )


def advance_of(app: Celery, cause: str) -> Any:
    options = {"queue": QUEUE_ORCHESTRATOR, "ignore_result": True}
    return app.signature("advance", (cause,), immutable=True, options=options)


def published(app: Celery, queue: str) -> dict[str, Any]:
    with app.connection_for_write() as connection:
        message = connection.default_channel._get(queue)
    found: dict[str, Any] = message
    return found


# ---- canvases -----------------------------------------------------------------------------------


@pytest.mark.parametrize("last", [0, 1, 2])
def test_a_chord_s_body_is_published_once_by_whoever_was_the_last(
    app: Celery, heard: Heard, last: int
) -> None:
    steps = [step_of(app, str(number), ready=number == last) for number in range(3)]
    chord(steps, advance_of(app, "barrier")).apply_async(ignore_result=True)

    with start_worker(app, pool="threads", concurrency=3, perform_ping_check=False):
        heard.wait_for(4)
        advance_of(app, "sentinel").apply_async()
        calls = heard.wait_for(5)

    assert sorted(calls) == [
        ("advance", "barrier"),
        ("advance", "sentinel"),
        *[("step", str(number)) for number in range(3)],
    ]
    assert set(depths(app).values()) == {0}


def test_nobody_s_receipt_says_ready_and_no_body_is_published(app: Celery, heard: Heard) -> None:
    steps = [step_of(app, str(number), ready=False) for number in range(3)]
    chord(steps, advance_of(app, "barrier")).apply_async(ignore_result=True)

    with start_worker(app, pool="threads", concurrency=1, perform_ping_check=False):
        heard.wait_for(3)
        step_of(app, "sentinel", ready=False).apply_async()
        calls = heard.wait_for(4)

    assert [name for kind, name in calls if kind == "advance"] == []
    assert depths(app)[QUEUE_ORCHESTRATOR] == 0


def test_a_chain_of_one_step_is_followed_by_its_advance(app: Celery, heard: Heard) -> None:
    chain(step_of(app, "only", ready=True), advance_of(app, "chain")).apply_async(
        ignore_result=True
    )

    with start_worker(app, pool="threads", concurrency=2, perform_ping_check=False):
        assert heard.wait_for(2) == [("step", "only"), ("advance", "chain")]


@pytest.mark.parametrize(
    ("result", "bodies"),
    [
        ({"ready": True}, 1),
        ({"ready": False}, 0),
        ({"step": "s"}, 0),
        (None, 0),
        (ValueError("a step never raises, but if"), 0),
    ],
)
def test_only_a_receipt_that_says_ready_passes_the_barrier(
    app: Celery, result: Any, bodies: int
) -> None:
    backend = JournalBackend(app)
    request = SimpleNamespace(chord=dict(advance_of(app, "barrier")))

    backend.on_chord_part_return(request, "SUCCESS", result)

    assert depths(app)[QUEUE_ORCHESTRATOR] == bodies


# ---- transport ----------------------------------------------------------------------------------


def test_every_redis_address_is_served_by_our_transport(app: Celery) -> None:
    for url in (app.conf.broker_url, "redis://localhost:1/0"):
        transport = make_app(url).connection_for_write().transport
        assert isinstance(transport, Transport)
        assert transport.Channel is Channel


def test_a_channel_whose_connection_was_collected_raises_what_a_worker_recovers_from(
    app: Celery,
) -> None:
    connection = app.connection_for_write()
    channel = connection.default_channel
    recoverable = connection.recoverable_connection_errors
    connection.transport.client = None  # what `collect()` does when Redis was killed

    with pytest.raises(ConnectionError, match="closed broker connection") as caught:
        channel._connparams()

    assert isinstance(caught.value, recoverable)


def test_queues_live_under_our_own_prefix(app: Celery) -> None:
    step_of(app, "a", ready=False).apply_async()

    with app.connection_for_write() as connection:
        keys = {key.decode() for key in connection.default_channel.client.keys("*")}

    assert keys
    assert all(key.startswith(("quorate", "_kombu")) for key in keys)


# ---- which list goes first ----------------------------------------------------------------


@pytest.mark.parametrize("priority", [SOON, WATCHED])
@pytest.mark.parametrize("slots", [1, 4, 64])
def test_what_has_priority_is_taken_first_and_every_eighth_take_is_the_ordinary_list_s(
    broker_url: str, heard: Heard, slots: int, priority: int
) -> None:
    app = made(broker_url, heard, slots=slots)
    for number in range(12):
        step_of(app, f"ordinary {number}", ready=False).apply_async(priority=ORDINARY)
    for number in range(60):
        step_of(app, f"first {number}", ready=False).apply_async(priority=priority)
    assert depths(app)[QUEUE_TURNS] == 72

    with start_worker(app, pool="threads", concurrency=slots, perform_ping_check=False):
        names = [name.partition(" ")[0] for _, name in heard.wait_for(72)]

    app.close()
    # Slots at work at the same time end in any order.
    assert names[: 6 - min(slots, 4)] == ["first"] * (6 - min(slots, 4))
    for end in range(24, 73, 8):
        taken = names[:end].count("ordinary")
        assert taken >= min(12, end // TURN_EVERY) - max(1, slots // TURN_EVERY), names
    assert names[:48].count("first") >= 48 * 3 // 4, names


def test_all_lists_are_counted_and_purged(app: Celery) -> None:
    for priority in PRIORITIES:
        step_of(app, "a", ready=False).apply_async(priority=priority)
    assert depths(app)[QUEUE_TURNS] == 3

    with app.connection_for_write() as connection:
        assert connection.default_channel.queue_purge(QUEUE_TURNS) == 3

    assert depths(app)[QUEUE_TURNS] == 0


# ---- messages -----------------------------------------------------------------------------------


@pytest.mark.parametrize("serializer", ["pickle", "yaml"])
def test_what_is_not_json_is_refused_and_the_worker_lives(
    app: Celery, heard: Heard, serializer: str
) -> None:
    body: Any = (("evil", False), {}, {})
    headers = {"task": "step", "id": "1", "lang": "py"}
    with app.connection_for_write() as connection:
        producer = Producer(connection.default_channel)  # type: ignore[no-untyped-call]
        producer.publish(  # type: ignore[no-untyped-call]
            body, routing_key=QUEUE_TURNS, serializer=serializer, headers=headers
        )
    assert depths(app)[QUEUE_TURNS] == 1

    with start_worker(app, pool="threads", concurrency=1, perform_ping_check=False):
        step_of(app, "good", ready=False).apply_async()
        calls = heard.wait_for(1)

    assert calls == [("step", "good")]
    assert depths(app)[QUEUE_TURNS] == 0


@pytest.mark.parametrize("late_acks", [False, True])
def test_nothing_in_a_queue_ends_a_worker_or_keeps_one_of_its_slots(
    broker_url: str, heard: Heard, late_acks: bool
) -> None:
    app = made(broker_url, heard, slots=1, late_acks=late_acks)
    lists = redis.Redis.from_url(plain(broker_url))
    evil = {queue: poisons(queue=queue) for queue in QUEUES}
    for queue in QUEUES:
        for text in evil[queue]:
            lists.lpush(f"quorate:{queue}", text)
        # Behind the poison and in the middle of a batch of it.
        app.signature("step", (queue, False), queue=queue, ignore_result=True).apply_async()
        lists.lpush(f"quorate:{queue}", *evil[queue][:5])

    with start_worker(app, pool="threads", concurrency=1, perform_ping_check=False):
        heard.wait_for(len(QUEUES))
        step_of(app, "last", ready=False).apply_async()
        calls = heard.wait_for(len(QUEUES) + 1)
        assert wait_until(lambda: not any(depths(app).values()), 30)

    assert sorted(calls) == sorted(("step", name) for name in (*QUEUES, "last"))
    assert set(depths(app).values()) == {0}
    assert not [key for key in lists.keys("*unacked*") if b"mutex" not in key]
    counts = app.refusals.counts()
    assert sum(counts.values()) == sum(len(texts) + 5 for texts in evil.values())
    app.close()


def test_a_refusal_is_logged_once_with_its_size_and_without_its_text(
    broker_url: str, heard: Heard
) -> None:
    app = made(broker_url, heard)
    text = json.dumps({"a stranger's": "words"}).encode()
    redis.Redis.from_url(plain(broker_url)).lpush(f"quorate:{QUEUE_TURNS}", text)

    with (
        structlog.testing.capture_logs() as logged,
        start_worker(app, pool="threads", concurrency=1, perform_ping_check=False),
    ):
        step_of(app, "good", ready=False).apply_async()
        heard.wait_for(1)

    (refused,) = [line for line in logged if line["event"] == "message.refused"]
    assert (refused["queue"], refused["size"]) == (QUEUE_TURNS, len(text))
    assert "stranger" not in repr(refused)
    app.close()


@pytest.mark.parametrize(
    "text", [b"null", b"1", b"[]", b"{}", b"[" * 5_000, b"\xff", b'{"body": 5}']
)
def test_broadcasts_that_are_none_end_no_worker(broker_url: str, heard: Heard, text: bytes) -> None:
    app = made(broker_url, heard)
    server = redis.Redis.from_url(plain(broker_url))
    with start_worker(app, pool="threads", concurrency=1, perform_ping_check=False):
        assert wait_until(lambda: server.publish("quorate:/0.celery.pidbox", text), 30)
        assert wait_until(app.refusals.counts, 30)
        step_of(app, "good", ready=False).apply_async()
        heard.wait_for(1)
    app.close()


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("add_consumer", {"queue": QUEUE_TURNS, "exchange": {"a": 1}, "exchange_type": 5}),
        ("add_consumer", {"queue": {"a": 1}}),
        ("cancel_consumer", {"queue": [1]}),
        ("hello", {"from_node": "x", "revoked": 5}),
        ("objgraph", {"num": 10**6, "max_depth": 10**4}),
    ],
)
def test_a_command_from_afar_that_is_none_ends_no_worker(
    broker_url: str, heard: Heard, command: str, arguments: dict[str, object]
) -> None:
    app = made(broker_url, heard)
    with start_worker(app, pool="threads", concurrency=1, perform_ping_check=False):
        assert wait_until(lambda: app.control.ping(timeout=0.5, limit=1), 30)
        app.control.broadcast(command, arguments=arguments, reply=True, timeout=0.5)
        step_of(app, "good", ready=False).apply_async()
        heard.wait_for(1)
        assert app.control.ping(timeout=10, limit=1)
    app.close()


@pytest.mark.needs_rabbitmq
def test_nothing_in_rabbitmq_ends_a_worker_either(heard: Heard) -> None:
    url = os.environ["QUORATE_TEST_AMQP_URL"]
    app = made(url, heard, slots=1)
    name = f"quorate.test-{uuid4()}"
    app.conf.task_queues = [Queue(name, durable=False, auto_delete=True)]  # type: ignore[no-untyped-call]
    ours = good(queue=name)
    sent = 0
    with (
        app.connection_for_write() as connection,
        start_worker(
            app, pool="threads", concurrency=1, perform_ping_check=False, shutdown_timeout=60
        ),
    ):
        producer = Producer(connection.default_channel)  # type: ignore[no-untyped-call]
        for body in (b"null", b"1", b"", b"\xff", b"[" * 5_000, b'{"a": 1}', b"[[], {}, {}]"):
            for headers in ({}, ours["headers"], {"task": 5}, {"task": "step", "id": 7}):
                for kind in ("application/json", "application/x-python-serialize", "x"):
                    producer.publish(  # type: ignore[no-untyped-call]
                        body,
                        routing_key=name,
                        headers=headers,
                        content_type=kind,
                        content_encoding="utf-8",
                    )
                    sent += 1
        producer.publish(  # type: ignore[no-untyped-call]
            b"x" * 100, routing_key=name, headers={"compression": "application/x-gzip"}
        )
        app.signature("step", ("good", False), queue=name, ignore_result=True).apply_async()
        calls = heard.wait_for(1)

    assert (calls, sent) == ([("step", "good")], 84)
    app.close()


def test_only_json_is_written_and_read(app: Celery) -> None:
    assert app.conf.accept_content == ["json"]
    assert app.conf.result_accept_content == ["json"]
    step_of(app, "a", ready=False).apply_async()

    message = published(app, QUEUE_TURNS)

    assert message["content-type"] == "application/json"
    json.dumps(message)

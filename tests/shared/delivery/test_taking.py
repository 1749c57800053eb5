"""The lean consumer on a real Redis: in which order it takes, and what goes wrong on the way to the pool."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
import redis
from celery.worker import state

from orchestrator.embedded.processes import wait_until
from shared.delivery.broker import make_app
from shared.delivery.contracts import QUEUE_TURNS, TASK_TURN, StepPayload
from shared.delivery.lean import Job, LeanConsumer, accepted, succeeded
from shared.delivery.publishing import Application
from shared.delivery.taking import ListReader
from shared.models.priority import TURN_EVERY
from shared.models.steps import StepKind
from tests.support.queues import redis_lists
from workers.tasks import register

pytestmark = pytest.mark.component


@pytest.fixture(autouse=True)
def _clean_state() -> None:
    state.reset_state()


@pytest.fixture
def broker(broker_url: str) -> Iterator[redis.Redis]:
    """The Redis of the test, beside Celery."""
    url = broker_url.replace("redis+socket://", "unix://").replace("virtual_host=", "db=")
    with redis.Redis.from_url(url) as client:
        yield client


def stage(app: Application, *steps: str) -> None:
    """Publish a message for each of these steps."""
    for step in steps:
        payload = {"payload": StepPayload(run="r1", step=step).model_dump()}
        app.send_task(TASK_TURN, (), payload, queue=QUEUE_TURNS, ignore_result=True)


# ---- taking -------------------------------------------------------------------------------------


@pytest.mark.parametrize("rights", [(), ("-blmpop",), ("-blmpop", "-client|id")])
def test_watched_goes_first_and_each_other_list_has_a_turn_in_eight_takes(
    broker_url: str, broker: redis.Redis, rights: tuple[str, ...]
) -> None:
    """Also where Redis has no BLMPOP, or does not allow it: BRPOP takes the same."""
    ordinary, soon, watched = redis_lists(QUEUE_TURNS)
    app = make_app(broker_url)
    try:
        broker.execute_command("ACL", "SETUSER", "default", *rights)
        for name, count in ((watched, 40), (soon, 3), (ordinary, 4)):
            broker.lpush(name, *(f"{name} {number}" for number in range(count)))
        with app.connection_for_read() as connection:
            reader = ListReader(connection)
            takes = [reader.take([QUEUE_TURNS], 1)[1] for _ in range(3 * TURN_EVERY)]
            assert reader.take([QUEUE_TURNS], 64) == (
                QUEUE_TURNS,
                [f"{watched} {number}".encode() for number in range(18, 40)],
            )
            assert reader.take([QUEUE_TURNS], 64) == (QUEUE_TURNS, [f"{ordinary} 3".encode()])
            assert reader.take([QUEUE_TURNS], 64) == (QUEUE_TURNS, [])
            reader.close()
    finally:
        broker.execute_command("ACL", "SETUSER", "default", "+@all")
        app.close()
    firsts = [texts[0].decode() for texts in takes]
    turns = {
        name: [n for n, text in enumerate(firsts, 1) if text == f"{name} {(n - 1) // 8}"]
        for name in (soon, ordinary)
    }
    assert turns == {soon: [4, 12, 20], ordinary: [8, 16, 24]}
    others = [text for text in firsts if text.startswith(f"{watched} ")]
    assert others == [f"{watched} {number}" for number in range(18)]


# ---- what goes wrong ----------------------------------------------------------------------------


class NoThreads:
    """A pool that can start no thread, as where the machine's limit of processes is reached."""

    def submit(self, *_work: object) -> None:
        raise RuntimeError("can't start new thread")


class Handling:
    """A handler that does what a test wants, and remembers which messages it was given."""

    most = 64
    is_whole = False

    def __init__(self, work: Callable[[str], None] = lambda _step: None) -> None:
        self.given: list[list[str]] = []
        self.done: list[str] = []
        self.refuses: set[str] = set()
        self._work = work

    def jobs(self, requests: Sequence[Any]) -> Iterator[Job]:
        self.given.append([step_of(request) for request in requests])
        for request in requests:
            if step_of(request) in self.refuses:
                raise LookupError(step_of(request))
            yield Job((request,), lambda request=request: self._do(request))

    def close(self) -> None:
        self.done.append("closed")

    def _do(self, request: Any) -> None:
        since = accepted(request)
        self._work(step_of(request))
        self.done.append(step_of(request))
        succeeded(request, None, since)


def step_of(request: Any) -> str:
    return str(request.kwargs["payload"]["step"])


@contextmanager
def consuming(broker_url: str, handler: Any, executor: Any, *steps: str) -> Iterator[LeanConsumer]:
    """A consumer beside Celery's worker, with messages for these steps."""
    app = make_app(broker_url)
    register(app, lambda: None, StepKind.TURN)  # type: ignore[arg-type, return-value]
    stage(app, *steps)
    queues = [SimpleNamespace(name=QUEUE_TURNS)]
    task_consumer = SimpleNamespace(queues=queues)
    worker = SimpleNamespace(
        app=app,
        concurrency=8,
        pool=SimpleNamespace(executor=executor),
        consumer=SimpleNamespace(
            task_consumer=task_consumer, hostname="w@here", event_dispatcher=None
        ),
    )
    consumer = LeanConsumer(worker, handler)
    consumer.start()
    yield consumer
    consumer.stop()
    app.close()


def test_a_pool_that_can_start_no_thread_does_what_was_taken_all_the_same(broker_url: str) -> None:
    handler = Handling()
    with consuming(broker_url, handler, NoThreads(), "a", "b", "c"):
        assert wait_until(lambda: sorted(handler.done) == ["a", "b", "c"], 30)
    assert handler.done[-1] == "closed"
    assert not state.requests


def test_a_handler_that_fails_forgets_what_it_did_not_begin_and_takes_the_next(
    broker_url: str, broker: redis.Redis
) -> None:
    handler = Handling()
    handler.refuses = {"b"}
    with consuming(broker_url, handler, NoThreads(), "a", "b", "c") as consumer:
        assert wait_until(lambda: handler.done == ["a"], 30)
        assert wait_until(lambda: not state.requests, 10), "they are held for ever"
        stage(consumer._app, "d")
        assert wait_until(lambda: handler.done == ["a", "d"], 30)
    assert handler.given == [["a", "b", "c"], ["d"]]


def test_a_job_that_fails_frees_its_slot_and_is_not_shown_for_ever(broker_url: str) -> None:
    def fail(step: str) -> None:
        if step < "i":
            raise LookupError(step)

    handler = Handling(fail)
    with consuming(broker_url, handler, NoThreads(), *"abcdefghi"):
        assert wait_until(lambda: handler.done == ["i"], 30), handler.given
        assert not state.requests


def test_a_consumer_that_waits_stops_at_once(broker_url: str) -> None:
    handler = Handling()
    with consuming(broker_url, handler, NoThreads(), "a") as consumer:
        assert wait_until(lambda: handler.done == ["a"], 30)
        stopping = threading.Thread(target=consumer.stop)
        stopping.start()
        stopping.join(0.5)
        assert not stopping.is_alive(), "it waited for the broker's answer"

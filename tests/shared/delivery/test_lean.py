"""The lean consumer beside Celery's own: whoever looks, listens or commands sees the same worker."""

from __future__ import annotations

import difflib
import json
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import pytest
import redis
from celery import current_task
from celery.contrib.testing.worker import start_worker
from celery.signals import task_postrun, task_prerun, task_received, task_success
from celery.worker import state

from orchestrator.embedded.processes import wait_until
from orchestrator.engine.dispatch import publish
from orchestrator.engine.staging import Scheduled, ScheduledStep
from orchestrator.engine.tasks import AdvanceHandler
from orchestrator.engine.tasks import register as register_advance
from shared.delivery.broker import make_app
from shared.delivery.contracts import (
    HANDED_BACK,
    QUEUE_ORCHESTRATOR,
    QUEUE_TURNS,
    TASK_ADVANCE,
    TASK_TURN,
    Receipt,
    StepPayload,
)
from shared.delivery.lean import take_leanly
from shared.delivery.publishing import Application
from shared.models.priority import ORDINARY, SOON, WATCHED
from shared.models.steps import StepKind
from tests.support.queues import drain
from workers.tasks import StepHandler, register

pytestmark = pytest.mark.component
CONSUMERS = ("celery", "lean")
SLOTS = 2
TURN = "quorate.turn.critique"
ENDS: dict[str, dict[str, Any]] = {
    "failed": {"status": "failed", "failure": "timeout"},
    "paused": {"status": HANDED_BACK},
}


class Busy:
    """A step worker that holds its steps until it is let go; the last step of a run is called `last`.

    A step whose name ends in a word of `ENDS` ends like that.
    """

    def __init__(self) -> None:
        self.taken: list[str] = []
        self.over = threading.Event()

    def work(self, payload: StepPayload) -> Receipt:
        self.taken.append(payload.step)
        self.over.wait(60)
        end = ENDS.get(payload.step.rpartition("-")[2], {"status": "done"})
        return Receipt(step=payload.step, ready=payload.step.startswith("last"), **end)

    def take(self, payloads: Sequence[StepPayload]) -> Sequence[StepPayload]:
        return payloads

    def perform(self, payload: StepPayload) -> Future[Receipt]:
        done: Future[Receipt] = Future()
        done.set_result(self.work(payload))
        return done

    def around_ends(self) -> AbstractContextManager[None]:
        return nullcontext()

    def close(self) -> None:
        """Nothing is gathered."""


class Advancing:
    """An engine whose every run goes on with two steps."""

    def advance(self, run: str) -> Scheduled:
        steps = tuple(
            ScheduledStep(TURN, QUEUE_TURNS, StepPayload(run=run, step=key, role="critique"))
            for key in ("a", "b")
        )
        return Scheduled(run, f"root-{run}", steps)

    def advance_all(self, runs: Iterable[str]) -> Iterator[list[Scheduled]]:
        yield [self.advance(run) for run in runs]


def plain(broker_url: str) -> str:
    """redis-py's spelling of kombu's URL."""
    return broker_url.replace("redis+socket://", "unix://").replace("virtual_host=", "db=")


@contextmanager
def serving(
    broker_url: str, consumer: str, queue: str = QUEUE_TURNS
) -> Iterator[tuple[Application, Busy]]:
    """A worker of the real tasks, with one of the two consumers."""
    with redis.Redis.from_url(plain(broker_url)) as client:
        client.flushall()
    state.reset_state()
    app = make_app(broker_url, slots=SLOTS)
    busy: Any = Busy()
    handler: StepHandler | AdvanceHandler
    if queue == QUEUE_TURNS:
        register(app, lambda: busy, StepKind.TURN)
        handler = StepHandler(app, lambda: busy)
    else:
        engine: Any = Advancing()
        register_advance(app, engine)
        handler = AdvanceHandler(app, engine)
    if consumer == "lean":
        take_leanly(app, handler)
    with start_worker(
        app,
        pool="threads",
        concurrency=SLOTS,
        queues=[queue],
        hostname="w@here",
        without_heartbeat=False,
        perform_ping_check=False,
    ):
        try:
            yield app, busy
        finally:
            busy.over.set()
    app.close()


def stage(app: Application, *steps: str, run: str = "r1", priority: int = ORDINARY) -> None:
    """Publish a stage with these steps."""
    scheduled = [
        ScheduledStep(TURN, QUEUE_TURNS, StepPayload(run=run, step=step, role="critique"))
        for step in steps
    ]
    assert publish(app, Scheduled(run, f"root-{run}", tuple(scheduled), priority))


_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")

_PASSING = re.compile(
    r'"(time_start|timestamp|local_received|runtime|origin|clock|pid|worker_pid|utcoffset)"'
    r': ("[^"]*"|[-0-9.e+]+)'
)


def nameless(value: object) -> Any:
    """The same with ids replaced by their order, and without moments and places that differ from time to time."""
    seen: dict[str, str] = {}
    text = json.dumps(value, sort_keys=True, default=repr)
    text = _ID.sub(lambda found: seen.setdefault(found[0], f"id{len(seen)}"), text)
    text = _PASSING.sub(r'"\1": "then"', text)
    return json.loads(text)


def both(look: Callable[[str], Any]) -> Any:
    """What is seen with Celery's consumer, which is what is seen with the lean one."""
    celerys, lean = (nameless(look(consumer)) for consumer in CONSUMERS)
    shown = [json.dumps(one, indent=1, sort_keys=True).splitlines() for one in (celerys, lean)]
    assert lean == celerys, "\n".join(difflib.unified_diff(*shown, *CONSUMERS, n=8))
    return celerys


def lying(app: Application) -> list[Any]:
    """The messages in the queues, without the text of bodies, which are listed apart."""
    found = [json.loads(message.raw) for message in drain(app)]
    for envelope, *_ in found:
        del envelope["body"]
    return found


# ---- looking ------------------------------------------------------------------------------------


def test_inspect_shows_what_it_shows_of_any_worker(broker_url: str) -> None:
    def look(consumer: str) -> Any:
        with serving(broker_url, consumer) as (app, busy):
            stage(app, "a", "b", "c")
            assert wait_until(lambda: len(busy.taken) == SLOTS, 30)
            inspect = app.control.inspect(timeout=5, limit=1)
            active = inspect.active()
            one = active["w@here"][0]["id"]
            active["w@here"].sort(key=lambda shown: shown["kwargs"]["payload"]["step"])
            stats = inspect.stats()["w@here"]
            return {
                "active": active,
                "reserved": inspect.reserved(),
                "scheduled": inspect.scheduled(),
                "query": [shown[0] for shown in inspect.query_task(one)["w@here"].values()],
                "registered": inspect.registered(),
                "queues": inspect.active_queues(),
                "ping": inspect.ping(),
                "revoked": inspect.revoked(),
                "stats": {name: stats[name] for name in ("total", "pool", "prefetch_count")},
                "left": app.depths([QUEUE_TURNS]),
            }

    seen = both(look)
    assert [one["name"] for one in seen["active"]["w@here"]] == [TURN] * SLOTS
    assert seen["left"] == {QUEUE_TURNS: 1}


def test_inspect_is_answered_while_turns_come_and_go(broker_url: str) -> None:
    with serving(broker_url, "lean") as (app, busy):
        busy.over.set()
        stage(app, *(str(number) for number in range(2_000)))
        inspect = app.control.inspect(timeout=5, limit=1)
        answers = 0
        while app.depths([QUEUE_TURNS]) != {QUEUE_TURNS: 0}:
            for shown in (inspect.active(), inspect.reserved(), inspect.stats()):
                assert isinstance(shown, dict)
                assert "error" not in shown["w@here"], shown
                answers += 1
        assert wait_until(lambda: len(busy.taken) == 2_000, 30)
        assert answers > 3
        assert wait_until(lambda: not state.requests, 10)
        assert inspect.stats()["w@here"]["total"] == {TURN: 2_000}


def test_task_events_are_celery_s_and_sent_only_while_somebody_looks(broker_url: str) -> None:
    def look(consumer: str) -> Any:
        with serving(broker_url, consumer) as (app, busy):
            busy.over.set()
            events: list[dict[str, Any]] = []
            heard = threading.Event()

            def hear(event: dict[str, Any]) -> None:
                if event["type"].startswith("task-"):
                    events.append(event)
                    heard.set()

            with app.connection_for_read() as connection:
                receiver = app.events.Receiver(connection, handlers={"*": hear})
                listener = threading.Thread(target=receiver.capture, kwargs={"wakeup": False})
                listener.start()
                look_on(app, busy, events, heard)
                receiver.should_stop = True
                listener.join()
            return sorted(events, key=lambda event: str(event["clock"]))

    def look_on(app: Application, busy: Busy, events: list[Any], heard: threading.Event) -> None:
        stage(app, "unseen")
        assert wait_until(lambda: len(busy.taken) == 1, 30)
        assert not heard.wait(1), "events are sent although nobody asked for them"
        app.control.enable_events(reply=True, timeout=5, limit=1)
        for number, step in enumerate(("seen", "seen-failed", "seen-paused"), 1):
            stage(app, step)
            assert wait_until(lambda wanted=3 * number: len(events) == wanted, 30), events

    seen = both(look)
    assert [one["name"] for one in seen if one["type"] == "task-received"] == [TURN] * 3
    ends = [one for one in seen if one["type"] not in ("task-received", "task-started")]
    assert {one["type"]: one.get("exception") for one in ends} == {
        "task-succeeded": None,
        "task-failed": "timeout",
        "task-retried": "handed back",
    }


def test_a_tracer_hears_celery_s_signals_with_the_task_as_the_current_one(broker_url: str) -> None:
    def look(consumer: str) -> Any:
        heard: list[Any] = []

        def received(request: Any, **_more: object) -> None:
            heard.append(["received", request.id, request.name])

        def prerun(task_id: str, task: Any, args: Any, kwargs: Any, **_more: object) -> None:
            request = current_task.request
            about = [request.id, request.root_id, request.delivery_info, request.retries]
            heard.append(
                ["prerun", task_id, task.name, args, kwargs, *about, request.chain, request.chord]
            )

        def postrun(task_id: str, retval: object, state: str, **_more: object) -> None:
            heard.append(["postrun", task_id, retval, state])

        def success(result: object, **_more: object) -> None:
            heard.append(["success", result])

        listeners = {
            task_received: received,
            task_prerun: prerun,
            task_postrun: postrun,
            task_success: success,
        }
        with serving(broker_url, consumer) as (app, busy):
            busy.over.set()
            for signal, listener in listeners.items():
                signal.connect(listener, weak=False)
            try:
                stage(app, "last")
                assert wait_until(lambda: len(heard) == 4, 30), heard
            finally:
                for signal, listener in listeners.items():
                    signal.disconnect(listener)
        return heard

    seen = both(look)
    assert [one[0] for one in seen] == ["received", "prerun", "success", "postrun"]


# ---- what is published --------------------------------------------------------------------------


@pytest.mark.parametrize("priority", [ORDINARY, WATCHED])
@pytest.mark.parametrize(
    "steps",
    [["last"], ["a", "last"], ["a-failed", "last-failed"]],
    ids=["chain", "chord", "chord of failed steps"],
)
def test_what_follows_a_step_is_the_message_that_celery_s_tracer_sends(
    broker_url: str, steps: list[str], priority: int
) -> None:
    def look(consumer: str) -> Any:
        with serving(broker_url, consumer) as (app, busy):
            busy.over.set()
            stage(app, *steps, priority=priority)
            wanted = {QUEUE_ORCHESTRATOR: 1}
            assert wait_until(lambda: app.depths([QUEUE_ORCHESTRATOR]) == wanted, 30)
            assert wait_until(lambda: len(busy.taken) == len(steps), 30)
            return lying(app)

    (seen,) = both(look)
    assert seen[0]["properties"]["priority"] == max(SOON, priority)


def test_what_an_advance_publishes_hangs_where_celery_s_tracer_hangs_it(broker_url: str) -> None:
    def look(consumer: str) -> Any:
        published = []
        with serving(broker_url, consumer, QUEUE_ORCHESTRATOR) as (app, _):
            for run in ("r1", "r2"):
                payload = {"v": 1, "run": run, "cause": "stage"}
                options = {"queue": QUEUE_ORCHESTRATOR, "root_id": f"root-{run}", "priority": SOON}
                app.send_task(TASK_ADVANCE, (), {"payload": payload}, ignore_result=True, **options)
                assert wait_until(lambda: app.depths([QUEUE_TURNS]) == {QUEUE_TURNS: 2}, 30)
                # `reply_to` names the thread, and any may advance the second run.
                published += nameless(lying(app))
        return published

    seen = both(look)
    assert [message["headers"]["root_id"] for message, *_ in seen] == ["root-r1"] * 2 + [
        "root-r2"
    ] * 2
    assert all(message["headers"]["parent_id"] for message, *_ in seen)


# ---- commands -----------------------------------------------------------------------------------


@pytest.mark.parametrize("consumer", CONSUMERS)
def test_a_worker_can_be_told_to_take_nothing_and_to_go_on(broker_url: str, consumer: str) -> None:
    with serving(broker_url, consumer) as (app, busy):
        busy.over.set()
        stage(app, "a")
        assert wait_until(lambda: busy.taken == ["a"], 30)
        app.control.cancel_consumer(QUEUE_TURNS, reply=True, timeout=5, limit=1)
        threading.Event().wait(1.2)  # the question that is out is answered, or over
        stage(app, "b")
        assert not wait_until(lambda: len(busy.taken) > 1, 1.5)
        app.control.add_consumer(QUEUE_TURNS, reply=True, timeout=5, limit=1)
        assert wait_until(lambda: busy.taken == ["a", "b"], 30)


@pytest.mark.parametrize("consumer", CONSUMERS)
def test_a_revoked_message_is_not_worked_on(broker_url: str, consumer: str) -> None:
    with serving(broker_url, consumer) as (app, busy):
        stage(app, "a", "b")
        assert wait_until(lambda: len(busy.taken) == 2, 30)
        payload = {"payload": StepPayload(run="r1", step="revoked").model_dump()}
        sent = app.send_task(TASK_TURN, (), payload, queue=QUEUE_TURNS, ignore_result=True)
        app.control.revoke(sent.id, reply=True, timeout=5, limit=1)
        stage(app, "c")
        busy.over.set()
        assert wait_until(lambda: sorted(busy.taken) == ["a", "b", "c"], 30)
        assert wait_until(lambda: not state.requests, 10), "it is held for ever"

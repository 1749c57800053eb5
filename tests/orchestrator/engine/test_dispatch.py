"""Stages as canvases on a real Redis: what is published, where it hangs, and what happens without a broker."""

import json
import re
import time
from dataclasses import replace
from typing import Any

import pytest
import redis
from celery import Celery, chain, chord
from celery._state import _task_stack
from celery.canvas import Signature
from celery.signals import before_task_publish

from orchestrator.engine.dispatch import SHOWN, publish, publish_all, wake
from orchestrator.engine.staging import Scheduled, ScheduledStep
from shared.delivery.broker import make_app
from shared.delivery.contracts import PAYLOADS, TASK_TURN, StepPayload
from shared.models.priority import ORDINARY, PRIORITIES, SOON
from tests.support.queues import Lying, drain

pytestmark = pytest.mark.component

TURN = "quorate.turn.critique"


def scheduled(*names: str) -> Scheduled:
    steps = tuple(
        ScheduledStep(
            TURN,
            "quorate.turns",
            StepPayload(run="r1", step=name, participant="claude", role="critique", round=2),
        )
        for name in names
    )
    return Scheduled("r1", "root-id", steps)


def woken(child: str) -> Scheduled:
    """A stage that only starts a child run."""
    return Scheduled("r0", "root-id", children=(child,))


def test_one_step_is_a_chain_that_ends_in_an_advance(app: Celery) -> None:
    assert publish(app, scheduled("a"))

    (message,) = drain(app)
    assert (message.queue, message.task) == ("quorate.turns", TASK_TURN)
    assert message.headers["shadow"] == TURN, "what Flower shows"
    (after,) = message.embed["chain"]
    assert after["task"] == "quorate.run.advance"
    assert after["options"]["queue"] == "quorate.orchestrator"
    assert after["kwargs"] == {"payload": {"v": 1, "run": "r1", "cause": "stage"}}
    assert after["immutable"] is True
    assert message.embed["chord"] is None


def test_a_group_is_a_chord_whose_body_is_an_advance(app: Celery) -> None:
    assert publish(app, scheduled("a", "b", "c"))

    messages = drain(app)
    assert [m.payload["step"] for m in messages] == ["a", "b", "c"]
    assert {m.queue for m in messages} == {"quorate.turns"}
    assert {m.embed["chord"]["task"] for m in messages} == {"quorate.run.advance"}
    assert len({m.headers["group"] for m in messages}) == 1
    assert [m for m in messages if m.task == "quorate.run.advance"] == []


@pytest.mark.parametrize("names", ["a", "ab"])
@pytest.mark.parametrize("priority", PRIORITIES)
def test_a_stage_has_its_run_s_priority_and_what_follows_it_goes_soon_at_least(
    app: Celery, names: str, priority: int
) -> None:
    publish(app, replace(scheduled(*names), priority=priority))
    wake(app, {f"r{number}": ("root-id", number) for number in PRIORITIES}, "signal")

    messages = drain(app)
    steps = [m for m in messages if m.task == TASK_TURN]
    advances = [m for m in messages if m.task != TASK_TURN]
    following = [m.embed["chord"] or m.embed["chain"][0] for m in steps]
    assert {_priority(m) for m in steps} == {priority}
    assert {m.payload["run"]: _priority(m) for m in advances} == {
        f"r{number}": number for number in PRIORITIES
    }
    assert {signature["options"]["priority"] for signature in following} == {max(SOON, priority)}


def _priority(message: Lying) -> int:
    return int(json.loads(message.raw)[0]["properties"]["priority"])


def test_all_messages_of_a_run_hang_under_its_root_task(app: Celery) -> None:
    publish(app, scheduled("a"))
    publish(app, scheduled("a", "b"))
    publish(app, woken("r1"))

    assert {message.headers["root_id"] for message in drain(app)} == {"root-id"}


def test_people_who_watch_see_names_and_ids(app: Celery) -> None:
    publish(app, scheduled("critique/2/claude"))
    publish(app, woken("r1"))

    turn, advance = drain(app)
    assert turn.headers["argsrepr"] == "()"
    assert turn.headers["kwargsrepr"] == str(
        {
            "participant": "claude",
            "role": "critique",
            "round": 2,
            "step": "critique/2/claude",
            "run": "r1",
        }
    )
    assert advance.headers["kwargsrepr"] == str({"cause": "spawned", "run": "r1"})


def test_stages_of_many_runs_are_pushed_with_one_command_a_list(
    app: Celery, client: redis.Redis
) -> None:
    stages = [
        scheduled("a"),
        scheduled("b", "c"),
        replace(scheduled("d"), priority=SOON),
        woken("r1"),
        replace(scheduled(), parent="r9"),
        scheduled(),
    ]
    client.config_resetstat()

    assert publish_all(app, stages)

    commands: Any = client.info("commandstats")
    assert commands["cmdstat_lpush"]["calls"] == 4, "steps and advances, soon and not"
    named = [m.payload.get("step") or m.payload["run"] for m in drain(app)]
    assert sorted(named) == ["a", "b", "c", "d", "r1", "r9"]


def test_payloads_are_what_the_contract_says(app: Celery) -> None:
    publish_all(app, [scheduled("a"), woken("r1")])

    for message in drain(app):
        said = [(message.task, message.payload)]
        said += [
            (after["task"], after["kwargs"]["payload"]) for after in message.embed["chain"] or ()
        ]
        for task, payload in said:
            assert PAYLOADS[task].model_validate(payload).model_dump(mode="json") == payload


def test_nothing_scheduled_is_nothing_published(app: Celery) -> None:
    assert publish(app, scheduled())
    assert drain(app) == []


def test_without_a_broker_publishing_says_so_within_seconds(tmp_path: object) -> None:
    nowhere = make_app(f"redis+socket://{tmp_path}/nobody.sock")
    started = time.monotonic()

    assert publish(nowhere, scheduled("a")) is False
    assert publish(nowhere, scheduled("a", "b")) is False
    assert publish_all(nowhere, [scheduled("a"), woken("r1")]) is False
    assert wake(nowhere, {"r1": ("root-id", False)}, "signal") is False

    assert time.monotonic() - started < 30  # and not for ever
    nowhere.close()


@pytest.mark.parametrize("writes_lists", [True, False], ids=["our-way", "celery-s-way"])
@pytest.mark.parametrize("inside_a_task", [False, True])
def test_messages_are_those_that_celery_s_canvases_write(
    app: Celery, writes_lists: bool, inside_a_task: bool
) -> None:
    @app.task(name="quorate.test.outer", shared=False)
    def outer() -> None:
        """What publishes."""

    if inside_a_task:
        outer.push_request(id="outer-id", root_id="outer-root")
        _task_stack.push(outer)
    try:
        app.writes_lists = writes_lists
        for names in ("a", "ab"):
            publish(app, scheduled(*names))
        publish(app, woken("r1"))
        ours = drain(app)

        app.writes_lists = False
        advance = canvas_of(
            app, "quorate.run.advance", {"v": 1, "run": "r1", "cause": "stage"}, SOON
        )
        a, b = (
            canvas_of(app, "quorate.turn", step.payload.model_dump(), shadow=step.task)
            for step in scheduled("a", "b").steps
        )
        chain(a, advance).apply_async(root_id="root-id", ignore_result=True)
        chord([a, b], advance).apply_async(root_id="root-id", ignore_result=True)
        canvas_of(
            app, "quorate.run.advance", {"v": 1, "run": "r1", "cause": "spawned"}
        ).apply_async()
        celery_s = drain(app)
    finally:
        if inside_a_task:
            _task_stack.pop()
            outer.pop_request()

    assert [message.queue for message in ours] == [message.queue for message in celery_s]
    assert [_without_ids(message.raw) for message in ours] == [
        _without_ids(message.raw) for message in celery_s
    ]


def canvas_of(
    app: Celery, task: str, payload: dict[str, Any], priority: int = ORDINARY, **options: str
) -> Signature:
    """A signature of Celery's own making."""
    shown = {name: payload[name] for name in SHOWN if name in payload}
    queue = "quorate.turns" if task == TASK_TURN else "quorate.orchestrator"
    return app.signature(
        task,
        kwargs={"payload": payload},
        immutable=True,
        options={
            "queue": queue,
            "root_id": "root-id",
            "priority": priority,
            "ignore_result": True,
            "argsrepr": "()",
            "kwargsrepr": repr(shown),
            **options,
        },
    )


def _without_ids(raw: str) -> object:
    """A message with every generated id (a UUID) as `#`; the encoded body is in there in plain, too.

    Celery says some words twice: in the headers, where they are read, and in the properties.
    """
    message, *plain = json.loads(raw)
    del message["body"]
    for word in ("argsrepr", "kwargsrepr"):
        message["properties"].pop(word, None)
    return json.loads(
        re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "#", json.dumps([message, *plain]))
    )


def test_what_is_said_of_a_message_beyond_the_usual_goes_celery_s_way(app: Celery) -> None:
    app.send_task(TURN, (), {}, queue="quorate.turns", ignore_result=True, expires=60)

    (message,) = drain(app)
    assert message.headers["expires"] is not None


def test_who_listens_to_what_is_published_hears_of_every_message(app: Celery) -> None:
    heard: list[str] = []

    def listen(sender: str, **_: object) -> None:
        heard.append(sender)

    before_task_publish.connect(listen)
    try:
        publish(app, scheduled("a", "b"))
    finally:
        before_task_publish.disconnect(listen)
    drain(app)
    publish(app, scheduled("a"))
    assert heard == [TASK_TURN, TASK_TURN]


def test_what_is_gathered_is_pushed_at_the_end_and_not_at_all_when_something_fails(
    app: Celery,
) -> None:
    with app.gathered():
        assert publish_one(app)
        assert drain(app) == []
    assert [message.task for message in drain(app)] == [TURN]

    with pytest.raises(ZeroDivisionError):
        fail_after_publishing(app)
    assert drain(app) == []


def publish_one(app: Celery) -> object:
    return app.send_task(TURN, (), {}, queue="quorate.turns", ignore_result=True)


def fail_after_publishing(app: Celery) -> None:
    with app.gathered():
        publish_one(app)
        raise ZeroDivisionError

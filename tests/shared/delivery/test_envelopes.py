"""What is refused before Celery sees it: everything that is not one of our wake-up calls."""

from __future__ import annotations

import json
from typing import Any

import pytest
from celery import chain, chord
from hypothesis import given
from hypothesis import strategies as st
from kombu.transport.virtual import Message

from shared.delivery.broker import Channel, make_app
from shared.delivery.contracts import (
    PAYLOADS,
    QUEUE_ORCHESTRATOR,
    QUEUE_TOOLS,
    TASK_ADVANCE,
    TASK_TOOL,
    TASK_TURN,
)
from shared.delivery.envelopes import MAX_BYTES, Refused, check_envelope, check_task, parse
from tests.support.poison import changed, good, poisons, with_body

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)
CODEC = Channel.codecs["base64"]


class Decoding:
    """All that a message asks of its channel."""

    @staticmethod
    def decode_body(body: str, _encoding: str) -> Any:
        return CODEC.decode(body)


def accept(text: bytes) -> None:
    """What the transport and the consumer do with a message before Celery."""
    envelope = parse(text)
    check_envelope(envelope)
    envelope["properties"].setdefault("delivery_tag", "t")  # type: ignore[index]
    message = Message(envelope, channel=Decoding())
    message.accept = {"application/json"}
    check_task(set(PAYLOADS), message)


def test_a_message_of_ours_is_accepted() -> None:
    for task in PAYLOADS:
        accept(json.dumps(good(task)).encode())


def test_a_turn_is_shown_under_the_name_of_its_role_and_under_no_other() -> None:
    for role in ("critique", "risk-analysis", "mode-17", "a" * 40):
        accept(
            json.dumps(
                changed(good(TASK_TURN), "headers", "shadow", to=f"quorate.turn.{role}")
            ).encode()
        )
    for name in (
        "quorate.turn.",
        "quorate.turn.A b",
        "celery.chord_unlock",
        "quorate.turn.x\n",
        "quorate.turn." + "a" * 90,
    ):
        with pytest.raises(Refused, match="shadow"):
            accept(json.dumps(changed(good(TASK_TURN), "headers", "shadow", to=name)).encode())
    with pytest.raises(Refused, match="shown under"):
        accept(
            json.dumps(
                changed(good(TASK_TOOL), "headers", "shadow", to="quorate.turn.critique")
            ).encode()
        )


def test_whatever_else_lies_in_a_queue_is_refused_or_harmless() -> None:
    refused = 0
    for text in (found := poisons()):
        try:
            accept(text)
        except (Refused, ValueError):
            refused += 1
        else:  # ours in everything that Celery and the task look at
            assert json.loads(text)["headers"]["task"] == TASK_TOOL
    assert refused > 0.8 * len(found)


@given(JSON)
def test_no_json_value_is_taken_for_a_message(value: object) -> None:
    with pytest.raises(Refused):
        check_envelope(parse(json.dumps(value).encode()))


@given(JSON)
def test_no_json_value_is_taken_for_a_call(value: object) -> None:
    with pytest.raises((Refused, ValueError, TypeError)):
        accept(json.dumps(with_body(good(), value)).encode())


@given(JSON, st.sampled_from(sorted(good()["headers"])))
def test_headers_that_celery_acts_upon_have_our_values_only(value: object, name: str) -> None:
    try:
        accept(json.dumps(changed(good(), "headers", name, to=value)).encode())
    except (Refused, ValueError):
        return
    # What no header of ours is; nobody acts upon `lang`.
    assert name == "lang" or not isinstance(value, float)
    assert name not in {"eta", "expires", "shadow"} or value is None


def test_the_reason_names_the_place_and_none_of_the_text() -> None:
    secret = "a-stranger-s-words"
    for poison in (
        changed(good(), "headers", "id", to=[secret]),
        with_body(good(), [[], {"payload": {"run": "r", "step": "s", secret: 1}}, {}]),
        with_body(good(), [[], {secret: 1}, {}]),
        {secret: secret},
    ):
        with pytest.raises(Refused) as refused:
            accept(json.dumps(poison).encode())
        assert secret not in str(refused.value)


def test_what_is_too_large_is_not_even_parsed() -> None:
    with pytest.raises(Refused, match="larger than"):
        parse(b" " * (MAX_BYTES + 1))


@pytest.mark.component
def test_a_canvas_of_ours_fits_and_no_other(broker_url: str) -> None:
    app = make_app(broker_url)
    options = {"queue": QUEUE_ORCHESTRATOR, "ignore_result": True}
    advance = app.signature(
        TASK_ADVANCE, kwargs={"payload": {"run": "r"}}, immutable=True, options=options
    )
    step = app.signature(
        TASK_TOOL,
        kwargs={"payload": {"run": "r", "step": "s"}},
        immutable=True,
        options={"queue": QUEUE_TOOLS, "ignore_result": True},
    )
    chain(step, advance).apply_async(ignore_result=True)
    chord([step.clone(), step.clone()], advance).apply_async(ignore_result=True)

    with app.connection_for_write() as connection:
        pushed = connection.default_channel.client.lrange(f"quorate:{QUEUE_TOOLS}", 0, -1)
    app.close()
    assert len(pushed) == 3
    for text in pushed:
        accept(text)
    call = [[], {"payload": {"run": "r", "step": "s"}}, {}]
    for embedded in (
        {"chord": {**advance, "task": "celery.chord_unlock"}},
        {"chord": {**advance, "subtask_type": "chord"}},
        {"chord": {**advance, "options": {**options, "countdown": 10**9}}},
        {"chord": {**advance, "kwargs": {"payload": {"run": "\x00"}}}},
        {"chain": [dict(advance)] * 50},
        {"errbacks": [dict(advance)]},
    ):
        with pytest.raises(Refused):
            accept(json.dumps(with_body(good(), [*call[:2], embedded])).encode())

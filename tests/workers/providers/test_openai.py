"""The chat-completions provider against the stand-in server: every fault has its typed end."""

from __future__ import annotations

import json
import os
import threading
import time
from pathlib import Path

import pytest
from pydantic import JsonValue

from shared.errors import ProviderError
from shared.models.outcomes import FailureKind
from shared.models.review_replies import ReviewCritique
from shared.models.steps import Usage
from tests.support.model_process import ModelServer
from tests.support.promptness import promptly
from tests.workers.providers.calls import at, call_of
from workers.providers import openai
from workers.providers.calls import Completion, Finish
from workers.turns.replies import obtain

pytestmark = pytest.mark.component

NO_CANCEL = threading.Event()
KEY_ENV = "QUORATE_TEST_MODEL_KEY"


@pytest.fixture
def key() -> object:
    os.environ[KEY_ENV] = "sk-test-0123456789abcdef"
    yield os.environ[KEY_ENV]
    del os.environ[KEY_ENV]


def test_a_valid_answer_is_a_reply_with_usage_and_limits(model_server: ModelServer) -> None:
    stored: list[Completion] = []
    got = obtain(openai, call_of(model="plain", options=at(model_server)), NO_CANCEL, stored.append)
    assert isinstance(got.reply, ReviewCritique)
    assert got.reply.verdict == "NEEDS_FIX"
    assert not got.repaired
    assert tuple(stored) == got.completions
    assert stored[0].finish_reason is Finish.STOP
    assert stored[0].usage.input_tokens == 10
    assert stored[0].usage.cost_usd is None
    assert stored[0].model == "plain"
    assert stored[0].limits == {"x-ratelimit-remaining-requests": "99"}
    assert json.loads(stored[0].raw or b"")["object"] == "chat.completion"


def test_without_a_retry_after_the_waits_grow(model_server: ModelServer) -> None:
    model = "grows?fault=500"
    began = time.monotonic()
    with pytest.raises(ProviderError):
        openai.complete(call_of(model=model, options=at(model_server)), NO_CANCEL)
    assert time.monotonic() - began < 30
    first, second, third = (call["t"] for call in model_server.calls(model))
    assert second - first > 0.49
    assert third - second > 0.99


def test_a_short_retry_after_is_waited_for_in_place(model_server: ModelServer) -> None:
    model = "soon?fault=503&times=1&retry_after=1"
    began = time.monotonic()
    got = openai.complete(call_of(model=model, options=at(model_server)), NO_CANCEL)
    assert got.text
    assert time.monotonic() - began >= 1.0
    assert len(model_server.calls(model)) == 2


@pytest.mark.parametrize("fault", ["429", "529"])
def test_what_is_about_the_account_is_told_at_once_for_everybody_to_learn(
    model_server: ModelServer, fault: str
) -> None:
    asked: list[str] = []

    def refused() -> ProviderError:
        asked.append(f"account-{fault}-{len(asked)}?fault={fault}&times=1&retry_after=1")
        with pytest.raises(ProviderError) as caught:
            openai.complete(call_of(model=asked[-1], options=at(model_server)), NO_CANCEL)
        return caught.value

    error = promptly(0.5, refused)
    assert (error.retryable, error.retry_after_s) == (True, 1.0)
    assert [len(model_server.calls(model)) for model in asked] == [1] * len(asked)


@pytest.mark.parametrize(("retry_after", "deadline_s"), [("60", 100.0), ("3", 1.0)])
def test_a_long_retry_after_frees_the_worker_at_once(
    model_server: ModelServer, retry_after: str, deadline_s: float
) -> None:
    model = f"later?fault=503&retry_after={retry_after}"

    def refused() -> ProviderError:
        call = call_of(model=model, options=at(model_server), deadline_s=deadline_s)
        with pytest.raises(ProviderError) as caught:
            openai.complete(call, NO_CANCEL)
        return caught.value

    error = promptly(0.5, refused)
    assert error.retry_after_s == float(retry_after)
    assert error.retryable


@pytest.mark.parametrize("model", ["slow?latency=60", "wait?fault=503&retry_after=4"])
def test_a_cancelled_call_and_a_cancelled_wait_for_a_retry_end_within_a_second(
    model_server: ModelServer, model: str
) -> None:
    def cancelled() -> ProviderError:
        cancel = threading.Event()
        threading.Timer(0.2, cancel.set).start()
        with pytest.raises(ProviderError) as caught:
            openai.complete(call_of(model=model, options=at(model_server)), cancel)
        return caught.value

    assert promptly(1.2, cancelled).kind is FailureKind.CANCELLED


def test_garbage_is_repaired_once_and_both_answers_are_stored(model_server: ModelServer) -> None:
    stored: list[Completion] = []
    model = "learns?fault=garbage&times=1"
    got = obtain(openai, call_of(model=model, options=at(model_server)), NO_CANCEL, stored.append)
    assert got.repaired
    assert [bool(completion.usage.output_tokens) for completion in stored] == [True, True]
    assert [call["nth"] for call in model_server.calls(model)] == [1, 2]


def test_stored_answers_are_adopted_instead_of_paying_again(model_server: ModelServer) -> None:
    call = call_of(model="adopted?fault=garbage&times=1", options=at(model_server))
    stored: list[Completion] = []
    first = obtain(openai, call, NO_CANCEL, stored.append)
    kept = [Completion.unpacked(completion.packed()) for completion in stored]
    calls = len(model_server.calls())
    again: list[Completion] = []
    second = obtain(openai, call, NO_CANCEL, again.append, stored=kept)
    assert second.reply == first.reply
    assert second.repaired
    assert again == []
    assert len(model_server.calls()) == calls


def test_half_a_stored_exchange_is_continued_where_it_stopped(model_server: ModelServer) -> None:
    call = call_of(model="half", options=at(model_server))
    garbage = Completion(text="I think not", usage=Usage(output_tokens=3))
    fresh: list[Completion] = []
    got = obtain(openai, call, NO_CANCEL, fresh.append, stored=[garbage])
    assert got.repaired
    assert len(fresh) == 1
    assert got.completions == (garbage, *fresh)


def test_the_key_is_sent_and_never_shown(model_server: ModelServer, key: str) -> None:
    call = call_of(model="wrong?fault=401", options=at(model_server, api_key_env=KEY_ENV))
    with pytest.raises(ProviderError) as caught:
        openai.complete(call, NO_CANCEL)
    assert model_server.calls("wrong?fault=401")[0]["key"]
    assert key not in f"{caught.value} {caught.value!r} {call!r}"
    assert key not in repr(openai.DIALECT.build(call, frozenset()))


def test_a_missing_key_says_which_variable_to_set(model_server: ModelServer) -> None:
    call = call_of(model="nokey", options=at(model_server, api_key_env="QUORATE_TEST_ABSENT"))
    with pytest.raises(ProviderError, match="export QUORATE_TEST_ABSENT") as caught:
        openai.complete(call, NO_CANCEL)
    assert caught.value.kind is FailureKind.CREDENTIALS
    assert model_server.calls("nokey") == []


def test_the_official_key_never_goes_to_another_address() -> None:
    os.environ["OPENAI_API_KEY"] = "sk-official-0123456789"
    try:
        elsewhere = openai.DIALECT.build(
            call_of(options={"base_url": "http://127.0.0.1:9/v1"}), frozenset()
        )
        official = openai.DIALECT.build(call_of(), frozenset())
    finally:
        del os.environ["OPENAI_API_KEY"]
    assert "authorization" not in elsewhere.headers
    assert official.headers["authorization"] == "Bearer sk-official-0123456789"
    assert official.url == "https://api.openai.com/v1/chat/completions"


def test_a_key_may_lie_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("sk-from-file-123\n")
    options: dict[str, JsonValue] = {
        "base_url": "http://127.0.0.1:9",
        "api_key_file": str(file),
        "auth": "api-key",
        "query": {"api-version": "1"},
    }
    request = openai.DIALECT.build(call_of(options=options), frozenset())
    assert request.headers["api-key"] == "sk-from-file-123"
    assert request.url == "http://127.0.0.1:9/chat/completions?api-version=1"


@pytest.mark.parametrize(
    "options",
    [
        {"base_url": "ftp://x"},
        {"base_url": "http://user:pw@127.0.0.1/"},
        {"base_url": "http://127.0.0.1/v1?key=clear"},
        {"headers": {"X-한글": "clear"}},
        {"headers": {"Authorization": "Bearer sk-given-in-clear"}},
        {"api_key": "sk-given-in-clear"},
        {"json_mode": "xml"},
    ],
)
def test_a_bad_option_is_named_and_its_value_is_not_repeated(options: dict[str, JsonValue]) -> None:
    with pytest.raises(ProviderError) as caught:
        openai.complete(call_of(options=options), NO_CANCEL)
    assert caught.value.kind is FailureKind.BAD_REQUEST
    assert f"'{next(iter(options))}" in str(caught.value)
    assert "clear" not in str(caught.value)


@pytest.mark.parametrize("field", ["temperature", "response_format", "max_tokens"])
def test_a_parameter_that_an_endpoint_refuses_is_left_out_from_then_on(
    model_server: ModelServer, field: str
) -> None:
    model = f"picky?fault=refuse-{field}"
    call = call_of(model=model, options=at(model_server))
    for _ in range(2):
        assert obtain(openai, call, NO_CANCEL, lambda _: None).reply
    assert len(model_server.calls(model)) == 3


def body_of(**arguments: object) -> dict[str, JsonValue]:
    quirks = frozenset(arguments.pop("quirks", ()))  # type: ignore[call-overload]
    body: dict[str, JsonValue] = json.loads(openai.DIALECT.build(call_of(**arguments), quirks).body)  # type: ignore[arg-type]
    return body


ELSEWHERE: dict[str, JsonValue] = {"base_url": "http://127.0.0.1:9/v1"}


def test_the_schema_is_sent_strictly_and_a_parameter_that_is_refused_is_left_out() -> None:
    body = body_of(options=ELSEWHERE)
    form = body["response_format"]
    assert isinstance(form, dict)
    assert form["type"] == "json_schema"
    assert form["json_schema"]["strict"] is True  # type: ignore[index,call-overload]
    assert body["temperature"] == 0.7
    assert body["max_tokens"] == 8192
    assert "temperature" not in body_of(options=ELSEWHERE, quirks=["temperature"])
    assert "max_completion_tokens" in body_of(options=ELSEWHERE, quirks=["max_tokens"])


def test_an_endpoint_without_schemas_gets_the_schema_in_words() -> None:
    body = body_of(options=ELSEWHERE, quirks=["json_schema"])
    assert body["response_format"] == {"type": "json_object"}
    messages = body["messages"]
    assert isinstance(messages, list)
    assert "JSON schema" in str(messages[-1])


@pytest.mark.parametrize(
    ("message", "param", "expected"),
    [
        ("Unsupported value: 'temperature' does not support 0.7", "temperature", "temperature"),
        (
            "Unsupported parameter: 'max_tokens' is not supported with this model. "
            "Use 'max_completion_tokens' instead.",
            "max_tokens",
            "max_tokens",
        ),
        ("response_format type json_schema is not supported", "", "json_schema"),
        ("response_format is not supported", "", "response_format"),
        ("Your messages are wrong", "messages", None),
    ],
)
def test_a_refused_parameter_is_recognised(message: str, param: str, expected: str | None) -> None:
    assert openai.quirk(openai.ErrorBody(message=message, param=param)) == expected

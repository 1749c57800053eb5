"""Every protocol against every fault, whole and streamed: a typed end, in time, no call paid twice."""

from __future__ import annotations

import dataclasses
import threading
import time

import pytest
from pydantic import JsonValue

from shared.errors import ProviderError
from shared.models.outcomes import FailureKind
from tests.support.model_process import ModelServer
from tests.support.promptness import promptly
from tests.workers.providers.calls import call_of
from workers.providers.calls import Completion, Finish, ProviderCall
from workers.providers.registry import load_provider
from workers.turns.replies import obtain

pytestmark = pytest.mark.component

NO_CANCEL = threading.Event()
PATHS = {
    "openai": "/v1",
    "openai-responses": "/v1",
    "anthropic": "",
    "gemini": "/v1beta",
    "ollama": "",
}

# fault -> kind, retryable, calls that reach the server, answers stored
FAULTS: dict[str, tuple[FailureKind, bool, int, int]] = {
    "400": (FailureKind.BAD_REQUEST, False, 1, 0),
    "401": (FailureKind.CREDENTIALS, False, 1, 0),
    "402": (FailureKind.RATE_LIMITED, False, 1, 0),
    "403": (FailureKind.CREDENTIALS, False, 1, 0),
    "404": (FailureKind.BAD_REQUEST, False, 1, 0),
    "408": (FailureKind.TIMEOUT, True, 1, 0),
    "409": (FailureKind.OVERLOADED, True, 3, 0),
    "413": (FailureKind.CONTEXT_OVERFLOW, False, 1, 0),
    "429": (FailureKind.RATE_LIMITED, True, 1, 0),
    "500": (FailureKind.OVERLOADED, True, 3, 0),
    "503": (FailureKind.OVERLOADED, True, 3, 0),
    "504": (FailureKind.TIMEOUT, True, 1, 0),
    "529": (FailureKind.OVERLOADED, True, 1, 0),
    "context": (FailureKind.CONTEXT_OVERFLOW, False, 1, 0),
    "quota": (FailureKind.RATE_LIMITED, False, 1, 0),
    "model": (FailureKind.UNKNOWN_MODEL, False, 1, 0),
    "redirect": (FailureKind.BAD_REQUEST, False, 1, 0),
    "reset": (FailureKind.UNREACHABLE, True, 1, 0),
    "cut": (FailureKind.UNREACHABLE, True, 1, 0),
    "malformed": (FailureKind.UNPARSEABLE, True, 1, 0),
    "nobody": (FailureKind.UNPARSEABLE, True, 1, 0),
    "no-choices": (FailureKind.UNPARSEABLE, True, 1, 0),
    "hang": (FailureKind.TIMEOUT, True, 1, 0),
    "drip": (FailureKind.TIMEOUT, True, 1, 0),
    "empty": (FailureKind.EMPTY, False, 1, 1),
    "length": (FailureKind.TRUNCATED, False, 1, 1),
    "refusal": (FailureKind.REFUSAL, False, 1, 1),
    "garbage": (FailureKind.UNPARSEABLE, False, 2, 2),
}
STREAM_FAULTS = FAULTS | {
    "in-stream": (FailureKind.OVERLOADED, True, 1, 0),
    "no-terminal": (FailureKind.UNREACHABLE, True, 1, 0),
}
CASES = [
    (provider, fault, streamed)
    for provider in PATHS
    for streamed, faults in ((False, FAULTS), (True, STREAM_FAULTS))
    for fault in faults
    # Ollama has no word for a refusal.
    if (provider, fault) != ("ollama", "refusal")
]


def call_to(
    server: ModelServer, provider: str, model: str, *, streamed: bool, deadline_s: float = 60.0
) -> tuple[ProviderCall, list[str]]:
    options: dict[str, JsonValue] = {"base_url": f"{server.url}{PATHS[provider]}"}
    pieces: list[str] = []
    call = call_of(provider, model, options=options, deadline_s=deadline_s)
    return dataclasses.replace(call, watch=pieces.append if streamed else None), pieces


@pytest.mark.parametrize(("provider", "fault", "streamed"), CASES)
def test_every_fault_ends_typed_within_the_deadline_and_pays_no_call_twice(
    model_server: ModelServer, provider: str, fault: str, streamed: bool
) -> None:
    kind, retryable, calls, answers = STREAM_FAULTS[fault]
    for deadline_s in (0.5, 15.0) if fault in ("hang", "drip") else (60.0,):
        model = f"{provider}-{streamed}-{deadline_s}?fault={fault}&retry_after=0"
        call, _ = call_to(model_server, provider, model, streamed=streamed, deadline_s=deadline_s)
        stored: list[Completion] = []
        began = time.monotonic()
        with pytest.raises(ProviderError) as caught:
            obtain(load_provider(provider), call, NO_CANCEL, stored.append)
        assert time.monotonic() - began < 30  # the stand-in hangs for an hour and drips for minutes
        if model_server.calls(model):  # else the machine stood still until the call's time was over
            break
    assert (caught.value.kind, caught.value.retryable) == (kind, retryable)
    assert len(model_server.calls(model)) == calls
    assert len(stored) == answers
    assert "\n" not in str(caught.value)
    assert "gpt" in str(caught.value)


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("provider", PATHS)
def test_a_good_answer_is_the_same_whole_and_streamed(
    model_server: ModelServer, provider: str, streamed: bool
) -> None:
    model = f"good-{provider}-{streamed}"
    call, pieces = call_to(model_server, provider, model, streamed=streamed)
    got = obtain(load_provider(provider), call, NO_CANCEL, lambda _: None)
    (completion,) = got.completions
    assert completion.finish_reason is Finish.STOP
    assert completion.model == model
    assert completion.usage.input_tokens == 10
    assert completion.usage.output_tokens == len(completion.text) // 4 + 1
    assert completion.raw
    assert model_server.calls(model)[0]["stream"] is streamed
    assert "".join(pieces) == (completion.text if streamed else "")
    assert len(pieces) > 5 or not streamed


@pytest.mark.parametrize("provider", PATHS)
def test_a_repair_is_a_conversation_in_every_protocol(
    model_server: ModelServer, provider: str
) -> None:
    model = f"repair-{provider}?fault=garbage&times=1"
    call, _ = call_to(model_server, provider, model, streamed=False)
    assert obtain(load_provider(provider), call, NO_CANCEL, lambda _: None).repaired
    assert [seen["nth"] for seen in model_server.calls(model)] == [1, 2]


@pytest.mark.parametrize("provider", PATHS)
def test_a_watched_call_is_cancelled_within_a_second(
    model_server: ModelServer, provider: str
) -> None:
    def cancelled() -> tuple[ProviderError, list[str]]:
        cancel = threading.Event()
        model = f"watched-{provider}?fault=drip"
        call, pieces = call_to(model_server, provider, model, streamed=True)
        threading.Timer(0.3, cancel.set).start()
        with pytest.raises(ProviderError) as caught:
            load_provider(provider).complete(call, cancel)
        return caught.value, pieces

    error, pieces = promptly(1.3, cancelled)
    assert error.kind is FailureKind.CANCELLED
    assert len(pieces) < 3


@pytest.mark.parametrize(
    ("provider", "field"),
    [
        ("anthropic", "temperature"),
        ("anthropic", "output_config"),
        ("openai-responses", "temperature"),
        ("openai-responses", "prompt_cache_key"),
    ],
)
def test_a_parameter_that_an_endpoint_refuses_is_left_out_from_then_on(
    model_server: ModelServer, provider: str, field: str
) -> None:
    model = f"picky-{provider}?fault=refuse-{field}"
    call, _ = call_to(model_server, provider, model, streamed=False)
    for _ in range(2):
        assert obtain(load_provider(provider), call, NO_CANCEL, lambda _: None).reply
    assert len(model_server.calls(model)) == 3

"""No text of ours shows a key: not an error, not a repr, not what is stored of a call, not the message of a step."""

from __future__ import annotations

import io
import json
import logging
import traceback
import uuid
from collections.abc import Callable
from pathlib import Path

import keyring
import pytest
from keyring.backends.fail import Keyring as NoKeyring
from pydantic import JsonValue

from shared.errors import ProviderError, Scope
from shared.models.outcomes import FailureKind
from shared.models.panel import Participant
from shared.models.steps import Usage
from shared.providers.keys import KeySource
from shared.providers.options import HttpOptions
from tests.support.file_keyring import FileKeyring, LockedKeyring
from workers.providers import anthropic, gemini, ollama, openai, openai_responses
from workers.providers.calls import Completion, Message, ProviderCall
from workers.providers.credentials import Secret, key_from, redact
from workers.providers.http.transport import HttpRequest
from workers.providers.options import options_of

KEY = "sk-" + "canary0123456789abcdefABCDEF"
Use = Callable[[type], None]


def fresh_entry() -> str:
    """A name that no other test has asked the keyring for: what it answers is kept for a minute."""
    return f"entry-{uuid.uuid4().hex}"


def seen_in(error: BaseException) -> str:
    """All that a log could show of an exception, causes included."""
    return "".join(traceback.format_exception(error))


@pytest.mark.parametrize(
    "show",
    [
        str,
        repr,
        "{}".format,
        lambda secret: json.dumps({"key": secret}, default=repr),
        lambda s: f"{[s]}",
    ],
)
def test_a_key_prints_as_stars(show: Callable[[Secret], str]) -> None:
    assert KEY not in show(Secret(KEY))
    assert Secret(KEY).reveal() == KEY


def test_a_key_in_a_log_record_prints_as_stars() -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    record = logging.LogRecord("x", logging.ERROR, __file__, 1, "key %s", (Secret(KEY),), None)
    handler.emit(record)
    assert "***" in stream.getvalue()
    assert KEY not in stream.getvalue()


@pytest.mark.parametrize("value", [f"{KEY} {KEY}", f"{KEY}\n{KEY}", f"{KEY}é", ""])
def test_what_is_no_key_is_refused_without_being_repeated(
    value: str, tmp_path: Path, use_keyring: Use
) -> None:
    use_keyring(FileKeyring)
    entry = fresh_entry()
    file = tmp_path / "key"
    file.write_text(value)
    sources: list[Callable[[], object]] = [
        lambda: key_from("bob", KeySource(env="BOB_KEY"), {"BOB_KEY": value}),
        lambda: key_from("bob", KeySource(file=str(file)), {}),
        lambda: key_from("bob", KeySource(keyring=entry), {}),
    ]
    keyring.set_password("quorate", entry, value)
    for source in sources:
        with pytest.raises(ProviderError) as raised:
            source()
        assert KEY not in seen_in(raised.value)


@pytest.mark.parametrize("option", ["api_key", "headers", "base_url", "query"])
def test_a_key_that_stands_in_a_wrong_option_is_not_repeated(option: str) -> None:
    value: object = KEY
    if option == "headers":
        value = {"authorization": f"Bearer {KEY}"}
    if option == "base_url":
        value = f"https://user:{KEY}@llm.example/v1"
    participant = Participant.model_validate(
        {"name": "bob", "provider": "openai", "model": "m", "options": {option: value}}
    )
    with pytest.raises(ProviderError) as raised:
        options_of(participant, HttpOptions)
    assert KEY not in seen_in(raised.value)
    assert option in str(raised.value)


@pytest.mark.parametrize(
    "build",
    [
        openai.DIALECT.build,
        openai_responses.DIALECT.build,
        anthropic.DIALECT.build,
        gemini.DIALECT.build,
    ],
)
def test_a_request_shows_no_key_and_carries_it_in_a_header_only(
    build: Callable[[ProviderCall, frozenset[str]], HttpRequest], tmp_path: Path
) -> None:
    (tmp_path / "key").write_text(KEY)
    participant = Participant(
        name="bob", provider="openai", model="m", options={"api_key_file": str(tmp_path / "key")}
    )
    call = ProviderCall(
        participant=participant, role="critique", round=1, reply_model="synthesis", step="r/s", user="x"
    )  # fmt: skip
    request = build(call, frozenset())
    assert KEY in "".join(request.headers.values())
    assert KEY not in request.url
    assert KEY.encode() not in request.body
    assert KEY not in repr(request)
    assert KEY not in repr(call)
    assert KEY not in participant.model_dump_json()


@pytest.mark.parametrize("value", [KEY, f"Bearer {KEY}"])
@pytest.mark.parametrize(
    "build",
    [
        openai.DIALECT.build,
        openai_responses.DIALECT.build,
        anthropic.DIALECT.build,
        gemini.DIALECT.build,
        ollama.DIALECT.build,
    ],
)
def test_a_header_of_the_endpoints_own_is_filled_at_call_time_and_hidden_like_a_key(
    build: Callable[[ProviderCall, frozenset[str]], HttpRequest], value: str, tmp_path: Path
) -> None:
    (tmp_path / "key").write_text(value)
    options: dict[str, JsonValue] = {
        "base_url": "http://127.0.0.1:9",
        "header_file": {"CF-Aig-Authorization": str(tmp_path / "key")},
    }
    participant = Participant(name="bob", provider="openai", model="m", options=options)
    call = ProviderCall(
        participant=participant, role="critique", round=1, reply_model="synthesis", step="r/s", user="x"
    )  # fmt: skip
    request = build(call, frozenset())
    assert request.headers["cf-aig-authorization"] == value
    assert KEY not in repr(request) + repr(call) + participant.model_dump_json()
    assert KEY in request.secrets
    assert KEY not in redact(f"refused {value}", request.secrets)


def test_a_header_that_carries_the_key_takes_the_place_of_the_providers_own(
    tmp_path: Path,
) -> None:
    (tmp_path / "key").write_text(f"Basic {KEY}")
    options: dict[str, JsonValue] = {"header_file": {"Authorization": str(tmp_path / "key")}}
    participant = Participant(name="bob", provider="openai", model="m", options=options)
    call = ProviderCall(
        participant=participant, role="critique", round=1, reply_model="synthesis", step="r/s", user="x"
    )  # fmt: skip
    assert openai.DIALECT.build(call, frozenset()).headers["authorization"] == f"Basic {KEY}"


def test_a_header_whose_variable_is_not_set_is_a_missing_key_that_names_both() -> None:
    options: dict[str, JsonValue] = {
        "base_url": "http://127.0.0.1:9",
        "header_env": {"X-Gate": "NOT_SET_ANYWHERE"},
    }
    participant = Participant(name="bob", provider="openai", model="m", options=options)
    call = ProviderCall(
        participant=participant, role="critique", round=1, reply_model="synthesis", step="r/s", user="x"
    )  # fmt: skip
    with pytest.raises(ProviderError, match=r"'X-Gate'.*NOT_SET_ANYWHERE.*header_env") as raised:
        openai.DIALECT.build(call, frozenset())
    assert (raised.value.kind, raised.value.scope) == (FailureKind.CREDENTIALS, Scope.NOBODY)


def test_a_key_from_the_keyring_is_sent_in_a_header_only(use_keyring: Use) -> None:
    use_keyring(FileKeyring)
    entry = fresh_entry()
    keyring.set_password("quorate", entry, KEY)
    participant = Participant(
        name="bob", provider="anthropic", model="m", options={"api_key_keyring": entry}
    )
    call = ProviderCall(
        participant=participant, role="critique", round=1, reply_model="synthesis", step="r/s", user="x"
    )  # fmt: skip
    request = anthropic.DIALECT.build(call, frozenset())
    assert request.headers["x-api-key"] == KEY
    assert KEY not in repr(request) + repr(call) + participant.model_dump_json()


@pytest.mark.parametrize(
    ("kind", "said"),
    [(FileKeyring, "`quorate keys set"), (LockedKeyring, "locked"), (NoKeyring, "api_key_env")],
)
def test_a_key_that_the_keyring_does_not_give_is_a_refused_key_with_what_to_do(
    use_keyring: Use, kind: type, said: str
) -> None:
    use_keyring(kind)
    with pytest.raises(ProviderError, match=said) as raised:
        key_from("bob", KeySource(keyring=fresh_entry()))
    assert raised.value.kind is FailureKind.CREDENTIALS
    assert not raised.value.retryable


def test_a_key_that_was_missing_is_found_as_soon_as_it_is_stored(use_keyring: Use) -> None:
    use_keyring(FileKeyring)
    entry = fresh_entry()
    with pytest.raises(ProviderError):
        key_from("bob", KeySource(keyring=entry))
    keyring.set_password("quorate", entry, KEY)
    found = key_from("bob", KeySource(keyring=entry))
    assert found is not None
    assert found.reveal() == KEY


def test_a_key_that_stands_in_the_place_of_its_entry_is_not_repeated(use_keyring: Use) -> None:
    use_keyring(FileKeyring)
    with pytest.raises(ProviderError) as raised:
        key_from("bob", KeySource(keyring=KEY))
    assert KEY not in seen_in(raised.value)


def test_what_a_provider_repeats_of_a_key_is_hidden_whole_or_in_part() -> None:
    told = f"Incorrect API key provided: {KEY}; Bearer {KEY}; sk-proj-****************cdef; AIza{'x' * 30}"
    shown = redact(told, [KEY])
    assert KEY not in shown
    assert "cdef" not in shown
    assert "AIza" not in shown


def test_texts_stay_out_of_reprs_and_headers_out_of_what_is_stored() -> None:
    completion = Completion(text="private", usage=Usage(), raw=KEY.encode(), limits={"x": "1"})
    assert "private" not in repr(completion)
    assert KEY not in repr(completion)
    assert KEY.encode() not in completion.packed()
    call = ProviderCall(
        participant=Participant(name="bob", provider="openai"), role="critique", round=1,
        reply_model="synthesis", step="r/s", system="private", user="private",
        repair=(Message("user", "private"),), brief={"a": "private"},
    )  # fmt: skip
    assert "private" not in repr(call)

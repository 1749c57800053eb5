"""Where keys are held: which variables a participant reads, and what is missing of an entry's key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from shared.errors import ConfigurationError, CredentialsRejected
from shared.models.panel import Participant
from shared.providers.keys import key_variables


@pytest.mark.parametrize(
    ("provider", "options", "variables"),
    [
        ("openai", {}, ("OPENAI_API_KEY",)),
        ("openai-responses", {}, ("OPENAI_API_KEY",)),
        ("anthropic", {}, ("ANTHROPIC_API_KEY",)),
        ("gemini", {}, ("GEMINI_API_KEY",)),
        ("anthropic", {"base_url": "http://127.0.0.1:1"}, ()),
        ("anthropic", {"base_url": "http://127.0.0.1:1", "api_key_env": "MINE"}, ("MINE",)),
        ("anthropic", {"api_key_file": "/key"}, ()),
        ("anthropic", {"api_key_keyring": "claude"}, ()),
        ("openai", {"base_url": "http://h", "header_env": {"X-Team": "TEAM"}}, ("TEAM",)),
        ("openai", {"header_env": {"X-Team": "TEAM"}}, ("TEAM", "OPENAI_API_KEY")),
        ("openai", {"header_env": {"Authorization": "MINE"}}, ("MINE",)),
        ("openai", {"header_file": {"api-key": "/key"}}, ()),
        ("command", {"agent": "codex", "env": ["MINE"]}, ("OPENAI_API_KEY", "CODEX_API_KEY", "MINE")),
        ("command", {"command": ["x"]}, ()),
        ("ollama", {}, ()),
        ("person", {}, ()),
    ],
)  # fmt: skip
def test_each_participant_reads_its_own_variables(
    provider: str, options: dict[str, Any], variables: tuple[str, ...]
) -> None:
    who = Participant(name="x", provider=provider, options=options)
    assert key_variables(who) == variables


def test_who_stands_in_reads_its_variables_too() -> None:
    other = Participant(name="y", provider="gemini")
    who = Participant(name="x", provider="anthropic", fallback=(other,))
    assert key_variables(who) == ("ANTHROPIC_API_KEY", "GEMINI_API_KEY")


def test_an_entry_names_one_place_for_its_key(bare_desk: Any) -> None:
    bare_desk.user("providers: {x: {type: gemini, model: m, api_key_env: A, api_key_keyring: b}}")
    with pytest.raises(ConfigurationError, match="give one of api_key_env and api_key_keyring"):
        bare_desk.build("x")


@pytest.mark.parametrize(
    "value", ["sk-secret-value", "AIzaSyDsecret-value", "/me", "service/", "' '"]
)
def test_an_entry_of_the_keyring_is_a_name_and_no_key(bare_desk: Any, value: str) -> None:
    bare_desk.user(f"providers: {{x: {{type: gemini, model: m, api_key_keyring: {value}}}}}")
    with pytest.raises(ConfigurationError, match="quorate keys") as raised:
        bare_desk.build("x")
    assert "secret-value" not in str(raised.value)


@pytest.mark.parametrize("value", ["claude", "https://llm.example/v1/me", "Our Service/me@home"])
def test_a_key_of_the_keyring_reaches_the_worker_as_its_name(bare_desk: Any, value: str) -> None:
    bare_desk.user(f'providers: {{x: {{type: gemini, model: m, api_key_keyring: "{value}"}}}}')
    panel, _ = bare_desk.build("x")
    assert panel.critics[0].options == {"api_key_keyring": value}


def test_a_key_file_that_is_not_there_is_said_before_anything_starts(
    bare_desk: Any, tmp_path: Path
) -> None:
    file = tmp_path / "key"
    bare_desk.user(f"providers: {{x: {{type: gemini, model: m, api_key_file: {file}}}}}")
    with pytest.raises(CredentialsRejected, match=r"x needs a key in the file .* cannot be read"):
        bare_desk.build("x")
    file.write_text("k")
    bare_desk.build("x")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ("header_env: {X-Gate: UNSET_GATE}", "header X-Gate from the environment variable UNSET_GATE"),
        ("header_file: {X-Gate: /no/such/file}", r"header X-Gate from the file /no/such/file"),
    ],
)  # fmt: skip
def test_a_header_whose_value_is_not_there_is_said_before_anything_starts(
    bare_desk: Any, fields: str, said: str
) -> None:
    bare_desk.user(f"providers: {{x: {{type: openai, model: m, base_url: 'http://h', {fields}}}}}")
    with pytest.raises(CredentialsRejected, match=said):
        bare_desk.build("x")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ("header_env: {X-Gate: sk-secret-value}", "not a key"),
        ("header_file: {X-Gate: sk-secret-value}", "not a key"),
        ("header_keyring: {X-Gate: sk-secret-value}", "not a key"),
        ("header_env: {'X Gate': A}", "header_env"),
        ("header_env: {X-Gate: A}, header_file: {x-gate: /f}", "'x-gate' is given twice"),
        ("headers: {X-Gate: a}, header_env: {x-gate: A}", "'x-gate' is given twice"),
    ],
)
def test_a_header_names_one_place_for_its_value_and_never_the_value(
    bare_desk: Any, fields: str, said: str
) -> None:
    bare_desk.user(f"providers: {{x: {{type: openai, model: m, base_url: 'http://h', {fields}}}}}")
    with pytest.raises(ConfigurationError, match=said) as raised:
        bare_desk.build("x")
    assert "secret-value" not in str(raised.value)


@pytest.mark.parametrize(
    "key",
    [
        "api_key_keyring: claude",
        "api_key_file: /k",
        "api_key_env: K",
        "header_env: {X-Gate: HOME}",
        "header_file: {X-Gate: /etc/passwd}",
    ],
)
def test_a_repository_cannot_say_which_key_is_used(bare_desk: Any, key: str) -> None:
    bare_desk.file(f"providers: {{x: {{type: gemini, model: m, {key}}}}}")
    with pytest.raises(ConfigurationError, match="No participant is called 'x'"):
        bare_desk.build("x")

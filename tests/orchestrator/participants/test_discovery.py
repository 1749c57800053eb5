"""Who is found without any configuration, and that looking tells nobody."""

from __future__ import annotations

import contextlib
import http.server
import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from orchestrator.participants.discovery import (
    Discovery,
    discover,
    installed_models,
)
from shared.errors import ConfigurationError, CredentialsRejected
from shared.providers.catalogue import key_variables_of, services
from shared.providers.families import family_of
from shared.providers.locality import leaves_machine
from shared.providers.prices import expected_usd
from tests.support.configurations import SEED_001
from tests.support.promptness import promptly

ALL_KEYS = {
    "ANTHROPIC_API_KEY": "sk-ant-secret",
    "GEMINI_API_KEY": "AIza-secret",
    "OPENAI_API_KEY": "sk-secret",
}


class _Tags(http.server.BaseHTTPRequestHandler):
    """Ollama's list of models, at the pace and with the body that the test wishes."""

    body: bytes = b"{}"
    delay_s: float = 0.0

    def do_GET(self) -> None:
        time.sleep(self.delay_s)
        with contextlib.suppress(OSError):  # who asked may have gone
            self.send_response(200 if self.path == "/api/tags" else 404)
            self.end_headers()
            self.wfile.write(self.body)

    def log_message(self, *_args: object) -> None:
        """Quiet."""


@pytest.fixture
def ollama() -> Iterator[tuple[type[_Tags], int]]:
    handler = type("Tags", (_Tags,), {})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
    )
    thread.start()
    yield handler, server.server_port
    server.shutdown()
    server.server_close()
    thread.join()


def names(discovery: Discovery) -> list[str]:
    return [one.participant.name for one in discovery.participants]


def test_nobody_is_found_where_nothing_is_and_the_report_says_what_to_do(bare_desk: Any) -> None:
    found = bare_desk.look()
    assert found.participants == ()
    todo = dict(found.missing)
    assert todo["claude"] == "set ANTHROPIC_API_KEY"
    assert todo["gemini"] == "set GEMINI_API_KEY or GOOGLE_API_KEY"
    assert "codex" in todo["codex (command)"]
    assert "OPENROUTER_API_KEY" in todo["openrouter"]


def test_keys_are_found_by_name_and_never_copied(bare_desk: Any) -> None:
    bare_desk.environ |= ALL_KEYS
    found = bare_desk.look()
    assert names(found) == ["claude", "gemini", "gpt"]
    assert [one.how for one in found.participants] == [
        "key in ANTHROPIC_API_KEY",
        "key in GEMINI_API_KEY",
        "key in OPENAI_API_KEY",
    ]
    whole = json.dumps([one.participant.model_dump(mode="json") for one in found.participants])
    assert not any(secret in whole for secret in ALL_KEYS.values())
    assert found.participants[0].participant.options == {"api_key_env": "ANTHROPIC_API_KEY"}


def test_the_default_panel_has_one_of_each_family(bare_desk: Any) -> None:
    bare_desk.environ |= {**ALL_KEYS, "OPENROUTER_API_KEY": "k"}
    bare_desk.install("claude")
    panel, report = bare_desk.build()
    models = [panel.author, *(c for c in panel.critics if not c.rule_based)]
    assert [member.name for member in models] == ["claude", "gemini", "gpt"]
    assert {member.family for member in models} == {"anthropic", "google", "openai"}
    assert panel.chair.name == "gpt"
    assert report.warnings == ()


def test_a_panel_of_one_family_is_warned_about(bare_desk: Any) -> None:
    bare_desk.environ["ANTHROPIC_API_KEY"] = "k"
    bare_desk.install("claude")
    _, report = bare_desk.build("claude,claude-cli")
    assert any("one family (anthropic)" in warning for warning in report.warnings)


@pytest.mark.parametrize(
    ("keys", "programs", "providers"),
    [
        (tuple(ALL_KEYS), (), ["anthropic", "gemini", "openai-responses"]),
        ((), ("claude", "gemini", "codex"), ["command", "command", "command"]),
        (("OPENROUTER_API_KEY",), (), ["openai", "openai", "openai"]),
        (("ANTHROPIC_API_KEY", "GOOGLE_API_KEY"), ("codex",), ["anthropic", "gemini", "command"]),
        (("OPENAI_API_KEY",), ("claude", "gemini", "codex"), ["command", "command", "command"]),
    ],
)
def test_the_names_of_the_original_file_are_found_in_every_way(
    bare_desk: Any, keys: tuple[str, ...], programs: tuple[str, ...], providers: list[str]
) -> None:
    bare_desk.file(SEED_001)
    bare_desk.environ |= dict.fromkeys(keys, "k")
    for program in programs:
        bare_desk.install(program)
    panel, _ = bare_desk.build()
    everybody = {who.name: who for who in (panel.author, panel.chair, *panel.critics)}
    # A repository's file adds to the panel: what is here without it stays, under the name that it has.
    third = "codex" if "codex" in everybody else "gpt" if "gpt" in everybody else "gpt-openrouter"
    three = (*(n if n in everybody else f"{n}-openrouter" for n in ("claude", "gemini")), third)
    assert [everybody[n].provider for n in three] == providers
    families = [everybody[n].family for n in three]
    assert families == ["anthropic", "google", "openai"]
    # `orchestrator.ai` of a repository's file leads forums, and merges no review.
    assert panel.chair.name != "claude"
    assert panel.chair.timeout_s == 300.0


def test_a_name_of_the_original_file_that_is_nowhere_says_what_would_bring_it(
    bare_desk: Any,
) -> None:
    bare_desk.file(SEED_001)
    bare_desk.environ |= {"ANTHROPIC_API_KEY": "k", "OPENAI_API_KEY": "k"}
    with pytest.raises(
        CredentialsRejected,
        match=r"'gemini'.*set GEMINI_API_KEY or GOOGLE_API_KEY, or install `gemini`",
    ):
        bare_desk.build()


def test_an_agent_on_path_is_not_started_to_be_found(bare_desk: Any) -> None:
    program = bare_desk.install("codex")
    found = bare_desk.look()
    assert found.participants[0].how == f"command {program}"
    bare_desk.build()
    assert not (bare_desk.root / "started").exists()


def test_a_second_way_to_the_same_model_has_its_own_name(bare_desk: Any) -> None:
    bare_desk.environ |= {"ANTHROPIC_API_KEY": "k", "OPENROUTER_API_KEY": "k"}
    bare_desk.install("claude")
    assert names(bare_desk.look()) == [
        "claude", "claude-cli", "claude-openrouter", "gemini-openrouter", "gpt-openrouter",
    ]  # fmt: skip
    assert bare_desk.build("claude-cli")[0].critics[0].provider == "command"


@pytest.mark.parametrize(
    "pointing", ["OPENAI_BASE_URL", "QUORATE_OPENAI_BASE_URL", "QUORATE_OPENAI_MODEL"]
)
def test_a_key_that_belongs_elsewhere_is_not_taken_to_its_usual_service(
    bare_desk: Any, pointing: str
) -> None:
    bare_desk.environ |= {"OPENAI_API_KEY": "k", pointing: "http://127.0.0.1:9/v1"}
    assert names(bare_desk.look()) == []
    assert pointing in dict(bare_desk.look().missing)["gpt"]


def test_who_is_found_leaves_when_nothing_may_leave_the_machine(bare_desk: Any) -> None:
    bare_desk.user("privacy: {allow_external: false}")
    bare_desk.environ |= ALL_KEYS
    panel, _ = bare_desk.build()
    assert all(who.rule_based for who in (*panel.critics, panel.author, panel.chair))
    with pytest.raises(ConfigurationError, match="allow_external is false"):
        bare_desk.build("claude")


def test_a_configured_panel_is_not_joined_by_who_is_found(bare_desk: Any) -> None:
    bare_desk.environ |= ALL_KEYS
    bare_desk.user("providers: {one: {type: ollama, model: qwen3}}")
    panel, _ = bare_desk.build()
    assert panel.author.name == panel.chair.name == "one"
    # By name they are there.
    assert bare_desk.build("claude")[0].critics[0].provider == "anthropic"


def test_nobody_is_looked_for_when_it_is_off(bare_desk: Any) -> None:
    bare_desk.environ |= {**ALL_KEYS, "QUORATE_DISCOVER": "off"}
    bare_desk.install("claude")
    assert bare_desk.look().participants == ()


# ---- Ollama on this machine ----------------------------------------------------------------------


def test_a_local_ollama_is_found_with_its_chat_models(
    bare_desk: Any, ollama: tuple[type[_Tags], int]
) -> None:
    handler, port = ollama
    listed = ["qwen3-coder:30b", "nomic-embed-text:latest", "llama4:8b"]
    handler.body = json.dumps({"models": [{"name": name} for name in listed]}).encode()
    bare_desk.environ["OLLAMA_HOST"] = f"127.0.0.1:{port}"
    found = bare_desk.look()
    assert names(found) == ["qwen3-coder-30b", "llama4-8b"]
    first = found.participants[0].participant
    assert (first.provider, first.family, first.model) == ("ollama", "qwen", "qwen3-coder:30b")
    assert first.options == {"base_url": f"http://127.0.0.1:{port}"}
    assert not leaves_machine(first)
    # One of them takes part: they share the machine's memory.
    assert [member.name for member in found.panel()] == ["qwen3-coder-30b"]


@pytest.mark.parametrize("body", [b"", b"no json", b"[]", b'{"models": 3}', b'{"models": [{}]}'])
def test_an_answer_that_is_no_list_of_models_finds_nobody(
    bare_desk: Any, ollama: tuple[type[_Tags], int], body: bytes
) -> None:
    handler, port = ollama
    handler.body = body
    bare_desk.environ["OLLAMA_HOST"] = f"http://localhost:{port}"
    assert bare_desk.look().participants == ()


def test_a_slow_ollama_costs_no_more_than_its_fifth_of_a_second(
    ollama: tuple[type[_Tags], int],
) -> None:
    handler, port = ollama
    handler.delay_s = 3.0
    assert promptly(1.0, lambda: installed_models("127.0.0.1", port, 0.2)) is None


def test_a_closed_port_is_no_ollama() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    assert installed_models("127.0.0.1", port, 0.2) is None


def test_an_ollama_on_another_machine_is_not_asked(bare_desk: Any) -> None:
    asked: list[str] = []

    def probe(host: str, port: int, limit_s: float) -> list[str]:
        asked.append(host)
        return ["m"]

    bare_desk.environ["OLLAMA_HOST"] = "http://10.1.2.3:11434"
    found = discover(bare_desk.environ, probe=probe)
    assert found.participants == ()
    assert asked == []
    assert "not on this machine" in dict(found.missing)["ollama"]


@pytest.mark.parametrize(
    ("environ", "asks"),
    [
        ({}, True),
        ({"CI": "true"}, False),
        ({"CI": "true", "QUORATE_DISCOVER": "all"}, True),
        ({"CI": "true", "OLLAMA_HOST": "0.0.0.0"}, True),
        ({"QUORATE_DISCOVER": "off"}, False),
    ],
)
def test_ci_does_not_ask_for_an_ollama_unless_told(environ: dict[str, str], asks: bool) -> None:
    asked: list[tuple[str, int]] = []

    def probe(host: str, port: int, limit_s: float) -> None:
        asked.append((host, port))

    discover(environ, probe=probe)
    assert asked == ([("127.0.0.1", 11434)] if asks else [])


# ---- the table -----------------------------------------------------------------------------------


def test_every_default_model_has_a_known_price_and_family() -> None:
    for row, service in services():
        found = discover(dict.fromkeys(key_variables_of(row, service), "k") | {"CI": "true"})
        who = found.named(service.name)
        assert who is not None
        assert who.model == service.model
        assert who.family == family_of(service.model)
        assert expected_usd(who, 1000, 1000), service


def test_this_machines_environment_is_not_touched(bare_desk: Any) -> None:
    before = dict(os.environ)
    bare_desk.look()
    assert dict(os.environ) == before

"""Who is here without any configuration: keys in the environment, agents on PATH, an Ollama on this machine.

Looking sends nothing to anybody else: a key counts when its variable is set, an agent when its program is on PATH (it
is not started), and Ollama is asked for its list on loopback only, for a fifth of a second. `QUORATE_DISCOVER=off`
finds nobody; in CI (`CI` is set) Ollama is asked only with `QUORATE_DISCOVER=all` or OLLAMA_HOST.
"""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from pydantic import JsonValue

from shared.models.panel import Participant
from shared.programs import find_program
from shared.providers.families import family_of, plain_name
from shared.providers.locality import is_hosted

DISCOVER = "QUORATE_DISCOVER"
OLLAMA = "OLLAMA_HOST"
OLLAMA_PORT = 11434
PROBE_S = 0.2
_LONGEST_LIST = 1_000_000


@dataclass(frozen=True)
class Service:
    """A service that is reached with a key from one of `variables`.

    `aliases` are other names that it answers to. A variable of `elsewhere` says that the key belongs to another
    address, or to a model that was named: then it is not taken to the service's own.
    """

    variables: tuple[str, ...]
    provider: str
    model: str
    name: str
    base_url: str | None = None
    aliases: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()


# The general model of a provider's newest generation at about $2 / $10 a million tokens, or the nearest to it, by the
# data of genai-prices 0.2.3 as of 2026-11-21. Not verified against the services: `providers:` says otherwise.
SERVICES: tuple[Service, ...] = (
    Service(
        ("ANTHROPIC_API_KEY",), "anthropic", "claude-sonnet-5-5", "claude",
        elsewhere=("ANTHROPIC_BASE_URL",),
    ),
    Service(
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"), "gemini", "gemini-3.8-flash", "gemini",
        elsewhere=("GOOGLE_GEMINI_BASE_URL",),
    ),
    Service(
        ("OPENAI_API_KEY",), "openai-responses", "gpt-6.1-sol", "gpt", aliases=("codex",),
        elsewhere=("OPENAI_BASE_URL", "QUORATE_OPENAI_BASE_URL", "QUORATE_OPENAI_MODEL"),
    ),
    Service(("XAI_API_KEY",), "openai", "grok-4.7", "grok", "https://api.x.ai/v1"),
    Service(
        ("DEEPSEEK_API_KEY",), "openai", "deepseek-v4-pro", "deepseek", "https://api.deepseek.com"
    ),
    Service(
        ("MISTRAL_API_KEY",),
        "openai",
        "mistral-large-latest",
        "mistral",
        "https://api.mistral.ai/v1",
    ),
)  # fmt: skip
_OPENROUTER = ("OPENROUTER_API_KEY",)
_OPENROUTER_URL = "https://openrouter.ai/api/v1"
ROUTED: tuple[Service, ...] = (
    Service(
        _OPENROUTER, "openai", "anthropic/claude-sonnet-5.5", "claude-openrouter", _OPENROUTER_URL,
        ("claude",),
    ),
    Service(
        _OPENROUTER, "openai", "google/gemini-3.8-flash", "gemini-openrouter", _OPENROUTER_URL,
        ("gemini",),
    ),
    Service(
        _OPENROUTER, "openai", "openai/gpt-6.1-sol", "gpt-openrouter", _OPENROUTER_URL,
        ("gpt", "codex"),
    ),
)  # fmt: skip
AGENTS: dict[str, str] = {"claude": "anthropic", "gemini": "google", "codex": "openai"}
"""The command-line agents, and whose models they speak for."""


@dataclass(frozen=True)
class Found:
    """A participant that could take part, `how` it was found, and the other names that mean it."""

    participant: Participant
    how: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class Discovery:
    """Everybody that was found, best way first, and what is missing for the others (name, what to do)."""

    found: tuple[Found, ...] = ()
    missing: tuple[tuple[str, str], ...] = ()

    def named(self, name: str) -> Participant | None:
        """The participant of that name; an alias means the best way to it."""
        for one in self.found:
            if one.participant.name == name:
                return one.participant
        for one in self.found:
            if name in one.aliases:
                return one.participant.model_copy(update={"name": name})
        return None

    def names(self) -> list[str]:
        """All names that `named` knows."""
        every = (name for one in self.found for name in (one.participant.name, *one.aliases))
        return list(dict.fromkeys(every))

    def panel(self, taken: Iterable[str] = ()) -> tuple[Participant, ...]:
        """One of each family that is not `taken` yet: copies of one model agree with each other easily.

        Of the models on this machine only the most recently changed one: they share its memory.
        """
        families = set(taken)
        chosen: list[Participant] = []
        for participant in (one.participant for one in self.found):
            local = participant.provider == "ollama"
            if participant.family in families or (
                local and any(one.provider == "ollama" for one in chosen)
            ):
                continue
            families.add(participant.family)
            chosen.append(participant)
        return tuple(chosen)


@dataclass
class _Search:
    """What one look gathers. Names are given once: a second way to the same is called after its way."""

    timeout_s: float
    found: list[Found] = field(default_factory=list)
    missing: list[tuple[str, str]] = field(default_factory=list)

    def add(
        self, participant: Participant, how: str, aliases: Sequence[str] = (), suffix: str = ""
    ) -> None:
        """Keep a participant under a name that nobody has."""
        names = {one.participant.name for one in self.found}
        name = participant.name
        if name in names:
            aliases = (*aliases, name)
            name = f"{name}-{suffix}"
        named = participant.model_copy(update={"name": name, "timeout_s": self.timeout_s})
        self.found.append(Found(named, how, tuple(aliases)))


def discover(
    environ: Mapping[str, str],
    timeout_s: float = 300.0,
    probe: Callable[[str, int, float], list[str] | None] | None = None,
) -> Discovery:
    """Look around. `timeout_s` is for a turn of who is found, `probe` lists the models of an Ollama."""
    wish = environ.get(DISCOVER, "").lower()
    if wish == "off":
        return Discovery(missing=(("anybody", f"{DISCOVER} is off"),))
    search = _Search(timeout_s)
    for service in SERVICES:
        _look_for_key(search, service, environ)
    _look_for_agents(search, environ)
    if environ.get(_OPENROUTER[0]):
        for service in ROUTED:
            _look_for_key(search, service, environ)
    else:
        search.missing.append(("openrouter", f"set {_OPENROUTER[0]}"))
    if environ.get(OLLAMA) or wish == "all" or not environ.get("CI"):
        _look_for_ollama(search, environ, probe or installed_models)
    return Discovery(tuple(search.found), tuple(search.missing))


def _look_for_key(search: _Search, service: Service, environ: Mapping[str, str]) -> None:
    variable = next((name for name in service.variables if environ.get(name)), None)
    if variable is None:
        search.missing.append((service.name, f"set {' or '.join(service.variables)}"))
        return
    pointing = next((name for name in service.elsewhere if environ.get(name)), None)
    if pointing is not None:
        todo = f"{pointing} says where {variable} goes: describe it under `providers:`"
        search.missing.append((service.name, todo))
        return
    # The name of the variable, never what it holds.
    options: dict[str, JsonValue] = {"api_key_env": variable}
    if service.base_url is not None:
        options["base_url"] = service.base_url
    participant = Participant(
        name=service.name,
        provider=service.provider,
        model=service.model,
        family=family_of(service.model),
        options=options,
    )
    search.add(participant, f"key in {variable}", service.aliases, "key")


def _look_for_agents(search: _Search, environ: Mapping[str, str]) -> None:
    for agent, family in AGENTS.items():
        program = find_program(agent, environ.get("PATH", ""))
        if program is None:
            search.missing.append(
                (f"{agent} (command)", f"install `{agent}` so that it is on PATH")
            )
            continue
        participant = Participant(
            name=agent, provider="command", family=family, options={"agent": agent}
        )
        search.add(participant, f"command {program}", suffix="cli")


def _look_for_ollama(
    search: _Search,
    environ: Mapping[str, str],
    probe: Callable[[str, int, float], list[str] | None],
) -> None:
    host, port = _ollama_address(environ.get(OLLAMA, ""))
    if host not in ("127.0.0.1", "localhost", "::1"):
        search.missing.append(
            ("ollama", f"{OLLAMA} is not on this machine: describe it under `providers:`")
        )
        return
    models = probe(host, port, PROBE_S)
    if not models:
        why = "start it (`ollama serve`)" if models is None else "pull a model (`ollama pull NAME`)"
        search.missing.append(("ollama", why))
        return
    shown = f"[{host}]" if ":" in host else host
    for model in models:
        options: dict[str, JsonValue] = {"base_url": f"http://{shown}:{port}"}
        participant = Participant(
            name=plain_name(model),
            provider="ollama",
            model=model,
            family=family_of(model),
            options=options,
        )
        search.add(participant, f"Ollama at {shown}:{port}", suffix="ollama")


def _ollama_address(told: str) -> tuple[str, int]:
    """OLLAMA_HOST is `host`, `host:port` or an address; 0.0.0.0 is where it listens, so it is asked on loopback."""
    if not told:
        return "127.0.0.1", OLLAMA_PORT
    try:
        parts = urlsplit(told if "://" in told else f"http://{told}")
        host, port = parts.hostname or "127.0.0.1", parts.port or OLLAMA_PORT
    except ValueError:
        return "", OLLAMA_PORT
    return ("127.0.0.1" if host == "0.0.0.0" else host), port  # noqa: S104 - compared, not bound


def installed_models(host: str, port: int, limit_s: float) -> list[str] | None:
    """The chat models that an Ollama holds, the most recently changed first; None when none answers in time.

    Plain sockets: no proxy is asked, and `limit_s` holds for the whole exchange.
    """
    ends_at = time.monotonic() + limit_s
    received = bytearray()
    try:
        with socket.create_connection((host, port), timeout=limit_s) as connection:
            connection.sendall(b"GET /api/tags HTTP/1.0\r\nHost: localhost\r\n\r\n")
            while len(received) < _LONGEST_LIST:
                left_s = ends_at - time.monotonic()
                if left_s <= 0:
                    return None
                connection.settimeout(left_s)
                piece = connection.recv(65536)
                if not piece:
                    break
                received += piece
        head, _, body = bytes(received).partition(b"\r\n\r\n")
        listed = json.loads(body) if head.split(b" ", 2)[1:2] == [b"200"] else {}
        # A hosted model under another name could not be told from one that runs here.
        names = [
            name
            for model in listed["models"]
            if is_hosted(name := str(model["name"])) or not model.get("remote_host")
        ]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return [name for name in names if "embed" not in name.lower()]

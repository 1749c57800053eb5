"""Where a participant's key is held, as far as this side may know: names of variables, files, entries, never a key."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from orchestrator.settings.providers import HttpProvider
from shared.models.panel import Participant
from shared.providers import key_store
from shared.providers.limits import HEADER_OPTIONS

KEYS: dict[str, str] = {
    "openai": "OPENAI_API_KEY",
    "openai-compatible": "OPENAI_API_KEY",
    "openai-responses": "OPENAI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
    "gemini": "GEMINI_API_KEY",
}
"""The variable whose key goes to a provider's own address, and to no other (as each module of workers/providers)."""

KEY_HEADERS = frozenset({"authorization", "api-key", "x-api-key", "x-goog-api-key", "cookie"})
"""The headers in which providers take their keys (as SECRET_HEADERS of workers/providers/http/options.py)."""

AGENT_KEYS: dict[str, tuple[str, ...]] = {
    "claude": ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "codex": ("OPENAI_API_KEY", "CODEX_API_KEY"),
}
"""The variables that hold a command-line agent's keys (as workers/providers/coding_cli/agents.py)."""


@dataclass(frozen=True)
class Obstacle:
    """Why a participant cannot be asked; `key` when a key is what is missing."""

    reason: str
    key: bool = False


def key_variables(participant: Participant) -> tuple[str, ...]:
    """The variables of the workers' environment that calls to a participant, or to who stands in for it, read."""
    everybody = (participant, *participant.fallback)
    return tuple(dict.fromkeys(name for one in everybody for name in _variables(one)))


def _variables(participant: Participant) -> Iterator[str]:
    options = participant.options
    if participant.provider == "command":
        named = options.get("env")
        yield from AGENT_KEYS.get(str(options.get("agent")), ())
        yield from (str(name) for name in (named if isinstance(named, list) else ()))
        return
    headers = options.get("header_env")
    yield from (str(name) for name in (headers.values() if isinstance(headers, dict) else ()))
    # A file and a keyring are read at every call, so no worker can have an old key from them.
    if options.get("api_key_keyring") or options.get("api_key_file"):
        return
    if options.get("api_key_env"):
        yield str(options["api_key_env"])
    elif "base_url" not in options and participant.provider in KEYS and not _brings_key(options):
        yield KEYS[participant.provider]


def _brings_key(options: Mapping[str, object]) -> bool:
    """Whether a header that carries the key is taken from elsewhere, so that the usual variable does not count."""
    held = (options.get(name) for name in HEADER_OPTIONS)
    return any(n.lower() in KEY_HEADERS for pairs in held if isinstance(pairs, dict) for n in pairs)


def key_obstacle(name: str, provider: HttpProvider, environ: Mapping[str, str]) -> Obstacle | None:
    """What is missing of the entry's keys on this machine. A keyring is not asked: it might ask the person."""
    return _header_obstacle(name, provider, environ) or _own_key_obstacle(name, provider, environ)


def _header_obstacle(
    name: str, provider: HttpProvider, environ: Mapping[str, str]
) -> Obstacle | None:
    if provider.header_keyring and not key_store.is_installed():
        return Obstacle(
            f"{name} takes a header from the keyring, which needs the extra `keyring`: {key_store.EXTRA}",
            key=True,
        )
    for header, file in (provider.header_file or {}).items():
        if not os.access(file, os.R_OK):
            return Obstacle(
                f"{name} needs its header {header} from the file {file}, which cannot be read",
                key=True,
            )
    for header, variable in (provider.header_env or {}).items():
        if not environ.get(variable):
            return Obstacle(
                f"{name} needs its header {header} from the environment variable {variable}, which is not set",
                key=True,
            )
    return None


def _own_key_obstacle(
    name: str, provider: HttpProvider, environ: Mapping[str, str]
) -> Obstacle | None:
    if provider.api_key_keyring is not None:
        if key_store.is_installed():
            return None
        return Obstacle(
            f"{name} takes its key from the keyring, which needs the extra `keyring`: {key_store.EXTRA}",
            key=True,
        )
    if provider.api_key_file is not None:
        if os.access(provider.api_key_file, os.R_OK):
            return None
        return Obstacle(
            f"{name} needs a key in the file {provider.api_key_file}, which cannot be read",
            key=True,
        )
    own = provider.base_url is None and not _brings_key(provider.options())
    usual = KEYS.get(str(getattr(provider, "type", ""))) if own else None
    variable = provider.api_key_env or usual
    if variable is None or environ.get(variable):
        return None
    return Obstacle(
        f"{name} needs a key in the environment variable {variable}, which is not set", key=True
    )

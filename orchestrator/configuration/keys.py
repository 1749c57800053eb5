"""Where a participant's key is held, as far as this side may know: names of variables, files, entries, never a key."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from orchestrator.configuration.providers import HttpProvider
from shared import key_store
from shared.models.panel import Participant

KEYS: dict[str, str] = {
    "openai": "OPENAI_API_KEY",
    "openai-compatible": "OPENAI_API_KEY",
    "openai-responses": "OPENAI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
    "gemini": "GEMINI_API_KEY",
}
"""The variable whose key goes to a provider's own address, and to no other (as each module of workers/providers)."""

AGENT_KEYS: dict[str, tuple[str, ...]] = {
    "claude": ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "codex": ("OPENAI_API_KEY", "CODEX_API_KEY"),
}
"""The variables that hold a command-line agent's keys (as workers/providers/agents.py)."""


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
    # A file and a keyring are read at every call, so no worker can have an old key from them.
    if options.get("api_key_keyring") or options.get("api_key_file"):
        return
    if options.get("api_key_env"):
        yield str(options["api_key_env"])
    elif "base_url" not in options and participant.provider in KEYS:
        yield KEYS[participant.provider]


def key_obstacle(name: str, provider: HttpProvider, environ: Mapping[str, str]) -> Obstacle | None:
    """What is missing of the entry's key on this machine. A keyring is not asked: it might ask the person."""
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
    usual = KEYS.get(str(getattr(provider, "type", ""))) if provider.base_url is None else None
    variable = provider.api_key_env or usual
    if variable is None or environ.get(variable):
        return None
    return Obstacle(
        f"{name} needs a key in the environment variable {variable}, which is not set", key=True
    )

"""From an entry under `providers:` to a participant, and what stands in the way of asking it."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import assert_never

from pydantic import JsonValue

from orchestrator.participants.keys import Obstacle, key_obstacle
from orchestrator.settings.preset_files import load_persona
from orchestrator.settings.providers import (
    AnalyserProvider,
    BrowserProvider,
    CommandProvider,
    HttpProvider,
    ModelProvider,
    PersonProvider,
    Provider,
    RulesProvider,
    ScriptedProvider,
)
from shared.models.panel import Participant
from shared.programs import find_program
from shared.providers.families import family_of, plain_name
from shared.providers.scripts import load_script

_AGENT_FAMILIES = {"claude": "anthropic", "gemini": "google", "codex": "openai"}
_SITE_FAMILIES = {"chatgpt": "openai", "claude": "anthropic", "gemini": "google"}

BROWSER_TERMS = (
    "{name} would use the web chat of {site} with your own account. The sites' terms of use may forbid automation "
    "and your account may be closed for it; the APIs are the supported way. If you have read the terms and want it "
    "nevertheless, set `i_accept_the_sites_terms: true` for {name}"
)


def participant_of(
    name: str, provider: Provider, *, timeout_s: float, language: str
) -> Participant:
    """The participant that an entry describes, without its fallbacks. Raises ConfigurationError."""
    match provider:
        case ModelProvider():
            return _speaker(name, provider, timeout_s, language)
        case PersonProvider():
            return _person(name, provider.timeout, timeout_s)
        case ScriptedProvider():
            return scripted(name, Path(provider.script), provider.family, timeout_s)
        case AnalyserProvider():
            return analyser(name, provider.tool, timeout_s)
        case RulesProvider():
            return Participant(name=name, provider="rules", family="rules")
        case _:
            assert_never(provider)


def _person(name: str, answer_within_s: float | None, timeout_s: float) -> Participant:
    """`timeout_s` is for the worker's look at the turn; the person's own time is an option.

    Everybody is of a family of their own: people are no copies of one another, and each has a vote.
    """
    options: dict[str, JsonValue] = {}
    if answer_within_s is not None:
        options["answer_within_s"] = answer_within_s
    return Participant(
        name=name, provider="person", family=f"person:{name}", timeout_s=timeout_s, options=options
    )


def _speaker(name: str, provider: ModelProvider, timeout_s: float, language: str) -> Participant:
    kind = str(getattr(provider, "type", "openai"))
    persona = None if provider.persona is None else load_persona(provider.persona, language)
    return Participant(
        name=name,
        provider="openai" if kind == "openai-compatible" else kind,
        model=provider.model,
        family=provider.family or _family(provider),
        persona=persona,
        temperature=provider.temperature,
        timeout_s=provider.timeout or timeout_s,
        max_output_tokens=provider.max_output_tokens or 8192,
        context_tokens=provider.context_tokens,
        options=provider.options(),
    )


def _family(provider: ModelProvider) -> str:
    if provider.model is not None:
        return family_of(provider.model)
    if isinstance(provider, BrowserProvider):
        return _SITE_FAMILIES[provider.site]
    if isinstance(provider, CommandProvider):
        program = Path(provider.executable).name
        return _AGENT_FAMILIES.get(provider.agent or program, family_of(program))
    return "unknown"


def analyser(name: str, tool: str, timeout_s: float) -> Participant:
    """A tool that speaks for itself."""
    return Participant(
        name=name, provider="analyser", tool=tool, family="rules", timeout_s=min(timeout_s, 120.0)
    )


def scripted(name: str, file: Path, family: str | None, timeout_s: float) -> Participant:
    """Ready replies from a file. Raises ConfigurationError for a bad one."""
    return Participant(
        name=plain_name(name),
        provider="scripted",
        family=family or "scripted",
        timeout_s=timeout_s,
        options={"replies": [*load_script(file)]},
    )


def obstacle(name: str, provider: Provider, environ: Mapping[str, str]) -> Obstacle | None:
    """What stands in the way here; None when nothing does, or when the workers are elsewhere and it cannot be seen."""
    if isinstance(provider, BrowserProvider) and not provider.i_accept_the_sites_terms:
        return Obstacle(BROWSER_TERMS.format(name=name, site=provider.site))
    # With servers elsewhere keys and programs are the workers', which cannot be seen from here.
    if environ.get("QUORATE_REDIS_URL"):
        return None
    match provider:
        case HttpProvider():
            return key_obstacle(name, provider, environ)
        case CommandProvider():
            program = provider.executable
            if find_program(program, environ.get("PATH", "")) is None:
                return Obstacle(f"{name} needs the command `{program}`, which is not on PATH")
        case BrowserProvider() if find_spec("playwright") is None:
            return Obstacle(
                f"{name} needs the extra `browser`: `pip install -e '.[browser]'` in Quorate's folder and environment"
            )
    return None

"""The providers by name: each is a module that is imported at its first use."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from difflib import get_close_matches
from typing import cast

from shared.errors import ConfigurationError
from workers.providers.calls import Provider


@dataclass(frozen=True, slots=True)
class Entry:
    """A registry line. `paid`: a stored response saves money; `external`: text leaves us.

    `streams`: it hands over an answer piece by piece to who watches; `freely`: also while nobody
    does, because that costs it nothing, and who comes later sees what there is.
    """

    module: str
    paid: bool
    external: bool
    streams: bool = False
    freely: bool = False


PROVIDERS: dict[str, Entry] = {
    "openai": Entry("workers.providers.openai", paid=True, external=True, streams=True),
    "openai-responses": Entry(
        "workers.providers.openai_responses", paid=True, external=True, streams=True
    ),
    "anthropic": Entry("workers.providers.anthropic", paid=True, external=True, streams=True),
    "gemini": Entry("workers.providers.gemini", paid=True, external=True, streams=True),
    "ollama": Entry("workers.providers.ollama", paid=True, external=False, streams=True),
    "command": Entry(
        "workers.providers.coding_cli.command", paid=True, external=True, streams=True, freely=True
    ),
    "browser": Entry(
        "workers.providers.browser", paid=True, external=True, streams=True, freely=True
    ),
    "person": Entry("workers.providers.person", paid=False, external=False),
    "scripted": Entry("workers.providers.scripted", paid=False, external=False, streams=True),
    "rules": Entry("workers.providers.rules", paid=False, external=False),
    "analyser": Entry("workers.providers.rules", paid=False, external=False),
}


def entry(name: str) -> Entry:
    """The registry line of that name; ConfigurationError names the nearest one."""
    if name in PROVIDERS:
        return PROVIDERS[name]
    near = get_close_matches(name, PROVIDERS, n=1)
    hint = f"did you mean '{near[0]}'?" if near else f"known are {', '.join(PROVIDERS)}."
    raise ConfigurationError(f"There is no provider '{name}': {hint}")


def lookup(name: str) -> Provider:
    """The provider of that name, imported now. Raises ConfigurationError."""
    return cast(Provider, importlib.import_module(entry(name).module))

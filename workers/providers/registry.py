"""The providers by name: each is a module that is imported at its first use."""

from __future__ import annotations

import functools
import importlib
from types import ModuleType
from typing import cast

from shared.providers.catalogue import CATALOGUE, ProviderTypes, provider_type
from workers.providers.calls import Provider


def load_provider(name: str, catalogue: ProviderTypes = CATALOGUE) -> Provider:
    """The provider of that name, imported now. Raises ConfigurationError."""
    return cast(Provider, _imported(provider_type(name, catalogue).module))


@functools.cache
def _imported(module: str) -> ModuleType:
    return importlib.import_module(module)

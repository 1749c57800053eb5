"""The start-up guard, loaded by its path: importing it by name would run whoever owns `shared`."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType


def _load() -> ModuleType:
    path = Path(__file__).resolve().parents[1] / "shared" / "guard.py"
    spec = spec_from_file_location("quorate_guard", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def intruder() -> str | None:
    """One sentence when Python would take one of our packages from elsewhere; see shared/guard.py."""
    sentence: str | None = _load().intruder()
    return sentence


def diagnosis() -> str | None:
    """One sentence when a failed import is another distribution's doing; see shared/guard.py."""
    sentence: str | None = _load().diagnosis()
    return sentence

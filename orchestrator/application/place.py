"""What a folder means for the names that are typed in it."""

from __future__ import annotations

import os
from pathlib import Path

from shared.models.rows import LAST_IN


def repository_around(place: Path) -> str:
    """What runs call the repository that a folder lies in; empty outside of any."""
    top = next((each for each in (place, *place.parents) if (each / ".git").exists()), None)
    return "" if top is None else os.fsencode(top.name).decode("utf-8", "replace")


def run_from(place: Path, name: str) -> str:
    """The name of a run as the store knows it: within a repository `last` is the newest one of that repository."""
    here = repository_around(place) if name in ("last", "@") else ""
    return f"{LAST_IN}{here}" if here else name

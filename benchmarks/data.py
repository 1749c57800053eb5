"""Where a benchmark's data is: the folder itself, or the one that holds it beside others."""

from __future__ import annotations

from pathlib import Path


def folder_of(data: Path, name: str) -> Path:
    """DIR/NAME where there is one, else DIR. Ends the command with a sentence when there is no DIR."""
    if not data.is_dir():
        raise SystemExit(f"--data {data}: there is no such folder")
    inner = data / name
    return inner if inner.is_dir() else data

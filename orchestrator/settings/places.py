"""Where a person's own files are: configuration, presets and prompts below one folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from shared.errors import EnvironmentFault

PRESETS = "presets"
PROMPTS = "prompts"


def user_folder(environ: Mapping[str, str]) -> Path | None:
    """The user's own folder, whether it exists or not; None without a home."""
    if folder := environ.get("XDG_CONFIG_HOME"):
        return Path(folder) / "quorate"
    home = environ.get("HOME")
    return Path(home) / ".config" / "quorate" if home else None


def presets_folder(environ: Mapping[str, str]) -> Path | None:
    """Where a person keeps presets of their own."""
    folder = user_folder(environ)
    return None if folder is None else folder / PRESETS


def prompts_folder(environ: Mapping[str, str]) -> Path | None:
    """Where a person keeps prompts of their own, unless the configuration says otherwise."""
    folder = user_folder(environ)
    return None if folder is None else folder / PROMPTS


def entries_of(folder: Path | None) -> tuple[Path, ...]:
    """What a folder of a person's own holds, sorted; nothing when there is none. Raises EnvironmentFault."""
    if folder is None or not folder.is_dir():
        return ()
    try:
        return tuple(sorted(folder.iterdir()))
    except PermissionError:
        raise EnvironmentFault("No permission to look into {folder}.", folder=folder) from None


def absolute(path: str, folder: Path, environ: Mapping[str, str]) -> Path:
    """A path as a configuration file writes it: relative to `folder`, or below the home for `~/`."""
    if path.startswith("~/") and "HOME" in environ:
        return Path(environ["HOME"]) / path[2:]
    return (folder / path).absolute()

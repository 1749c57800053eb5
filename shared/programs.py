"""Programs by name. A relative or empty entry of PATH is the folder under review, and its `git` is not ours to run.

Also how somebody adds to this installation, which depends on the program that made it.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import MutableMapping
from pathlib import Path


def find_program(name: str, path: str | None = None) -> str | None:
    """Where the program is, in the absolute folders of `path` (None: of this process); None when it is in none."""
    if path is None:
        path = os.environ.get("PATH", os.defpath)
    return shutil.which(name, path=without_relative(path))


def without_relative(path: str) -> str:
    """The folders of a PATH that mean the same wherever a process stands."""
    return os.pathsep.join(entry for entry in path.split(os.pathsep) if os.path.isabs(entry))


def forget_relative(environ: MutableMapping[str, str]) -> None:
    """Take relative folders out of PATH, for this process and for what it starts (`#!/usr/bin/env node`)."""
    if "PATH" in environ:
        environ["PATH"] = without_relative(environ["PATH"])


def how_to_add(extra: str, environment: Path = Path(sys.prefix)) -> str:
    """The command that brings what an extra needs into the `environment` that Quorate is installed in.

    It names the packages and not `quorate[EXTRA]`: that would install Quorate again, from wherever it is found.
    """
    from importlib.metadata import (  # slow to load, and rarely asked for
        PackageNotFoundError,
        requires,
    )

    try:
        lines = requires("quorate") or []
    except PackageNotFoundError:  # its packages on sys.path, without an installation
        lines = []
    wanted = [line.partition(";")[0].strip() for line in lines if _is_of(line, extra)]
    packages = " ".join(f"'{package}'" for package in wanted) or f"'quorate[{extra}]'"
    if (environment / "pipx_metadata.json").is_file():
        return f"`pipx inject quorate {packages}`"
    python = environment / "bin" / "python"
    if (environment / "uv-receipt.toml").is_file():
        return f"`uv pip install --python {python} {packages}`"
    return f"`{python} -m pip install {packages}`"


def _is_of(requirement: str, extra: str) -> bool:
    """Whether the metadata asks for it with that extra alone."""
    marker = requirement.partition(";")[2].replace('"', "'").replace(" ", "")
    return f"extra=='{extra}'" in marker

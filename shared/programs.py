"""Programs by name. A relative or empty entry of PATH is the folder under review, and its `git` is not ours to run."""

from __future__ import annotations

import os
import shutil
from collections.abc import MutableMapping


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

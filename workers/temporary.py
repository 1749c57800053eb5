"""A temporary folder for each worker process, below the instance's state, that goes when its process has gone.

A killed process cleans nothing up, and what it leaves may be source under review. A folder is alive as long as its
lock is held, which the kernel ends with the process: a pid alone would be fooled by its next owner, and by containers
that share a volume. Every process that makes its folder sweeps what the dead left.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from shared.folders import make_private, os_error_as_fault
from shared.locks import exclusive
from workers.trees import remove_tree

PATIENCE_S = 30.0

_mine: dict[int, Path] = {}  # by pid: a fork does not own its parent's


def claim_folder(state_dir: Path) -> Path:
    """This process's own folder, made now; what dead processes left is removed. Raises EnvironmentFault."""
    if os.getpid() in _mine:
        return _mine[os.getpid()]
    base = state_dir / "tmp"
    make_private(base)
    with exclusive(base / ".lock", PATIENCE_S):
        _sweep(base)
        folder = base / f"{os.getpid()}-{time.time_ns() // 1_000_000}"
        with os_error_as_fault("make the folder", folder):
            folder.mkdir(mode=0o700)
            # Never closed: the lock ends with this process and with nothing else.
            fcntl.flock(os.open(folder, os.O_RDONLY | os.O_DIRECTORY), fcntl.LOCK_EX)
    _mine[os.getpid()] = folder
    return folder


def use_folder(state_dir: Path) -> None:
    """Make this process's folder the place of all its temporary files, and of its children's."""
    folder = claim_folder(state_dir)
    os.environ["TMPDIR"] = str(folder)
    tempfile.tempdir = str(folder)


def own_folder() -> Path | None:
    """The folder that this process claimed; None when it did not."""
    return _mine.get(os.getpid())


def leave_folder(state_dir: Path) -> None:
    """At the end of a worker: remove its folder, and those of its dead children."""
    base = state_dir / "tmp"
    folder = _mine.pop(os.getpid(), None)
    if folder is not None:
        remove_tree(folder)
    if base.is_dir():
        with exclusive(base / ".lock", PATIENCE_S):
            _sweep(base)


def _sweep(base: Path) -> None:
    for folder in base.iterdir():
        with suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                remove_tree(folder)
            finally:
                os.close(descriptor)

"""File locks that the kernel releases when their holder dies."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shared.errors import EnvironmentFault
from shared.folders import os_error_as_fault

_POLL_S = 0.01


def try_lock(path: Path) -> int | None:
    """The descriptor of `path`, exclusively locked, or None while somebody else holds it.

    The lock lasts until every copy of the descriptor is closed: a child that inherits it keeps it.
    """
    with os_error_as_fault("open the lock", path):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


@contextmanager
def exclusive(path: Path, timeout_s: float) -> Iterator[None]:
    """Hold `path` locked; raises EnvironmentFault if another process keeps it for `timeout_s`."""
    deadline = time.monotonic() + timeout_s
    while (descriptor := try_lock(path)) is None:
        if time.monotonic() > deadline:
            raise EnvironmentFault(
                "Another process has held {path} for {timeout_s:g} s while it starts or stops the "
                "servers; see which one with `fuser` on that file, and try again.",
                path=path,
                timeout_s=timeout_s,
            )
        time.sleep(_POLL_S)
    try:
        yield
    finally:
        os.close(descriptor)

"""Named points at which a fault test ends the process, as a power cut would. Without the variable: nothing.

`QUORATE_KILL_AT=name[:n]` kills the process with SIGKILL the n-th time (default: the first) that it reaches the point,
once per `QUORATE_KILL_ONCE` file if that is set, so that a restarted process goes on. `QUORATE_KILL_WITH=SIGSTOP` makes
it stand still there instead.
"""

from __future__ import annotations

import os
import signal
import time
from collections import Counter

_armed = os.environ.get("QUORATE_KILL_AT", "")
_armed_name, _, _count = _armed.partition(":")
_reached: Counter[str] = Counter()


def failpoint(name: str) -> None:
    """Mark a point on the way. Free when no test asked for it."""
    if name != _armed_name:
        return
    _reached[name] += 1
    if _reached[name] == int(_count or 1) and _first_time():
        os.kill(os.getpid(), signal.Signals[os.environ.get("QUORATE_KILL_WITH", "SIGKILL")])
        time.sleep(0.1)  # a stop reaches the threads one after another, and this one last


def _first_time() -> bool:
    marker = os.environ.get("QUORATE_KILL_ONCE")
    if marker is None:
        return True
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return False
    return True

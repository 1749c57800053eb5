"""What is promised to be quick, shown on a machine that stands still now and then."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def promptly(within_s: float, act: Callable[[], T], tries: int = 6) -> T:
    """What `act` gives when it took less than `within_s` seconds.

    A pause of the machine spoils one try; what is slow by itself spoils all of them.
    """
    took: list[float] = []
    while len(took) < tries:
        began = time.monotonic()
        found = act()
        took.append(time.monotonic() - began)
        if took[-1] < within_s:
            return found
    raise AssertionError(f"it never took less than {within_s} s: {took}")

"""Processor time over size: what reads strangers' texts must not take four times as long for twice as much."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from functools import partial

SMALLEST = 4_000
NOTICEABLE_S = 0.04
# Twice the size takes twice the time when it is linear and four times when it is quadratic.
GROWTH = 3.0


def processor_s(act: Callable[[], object], tries: int = 1) -> float:
    """The least processor time of this thread that `act` took.

    Without the collector, which goes through everything that the tests before this one left in memory.
    """
    took = []
    collects = gc.isenabled()
    gc.disable()
    try:
        for _ in range(tries):
            began = time.thread_time()
            act()
            took.append(time.thread_time() - began)
    finally:
        if collects:
            gc.enable()
    return min(took)


def assert_linear(read: Callable[[str], object], hostile: Callable[[int], str], most: int) -> None:
    """`hostile(n)` has about n characters; they are doubled up to `most` or until two sizes can be compared.

    A size that is read before it can be noticed is followed by the next, so that nothing is compared with noise.
    """
    size = SMALLEST
    while size * 2 <= most:
        if processor_s(partial(read, hostile(size))) >= NOTICEABLE_S:
            _compare(partial(read, hostile(size)), partial(read, hostile(2 * size)), size)
            return
        size *= 2


def _compare(once: Callable[[], object], twice: Callable[[], object], size: int) -> None:
    """Several tries, because another process may have the machine's caches in the meantime."""
    seen = []
    for _ in range(4):
        single, double = processor_s(once, tries=2), processor_s(twice)
        if double <= GROWTH * single:
            return
        seen.append(f"{single:.3f} and {double:.3f} s")
    raise AssertionError(f"{size} and {2 * size} characters take {', '.join(seen)}")

"""What reading strangers' texts costs: python -m benchmarks.parsers [part of a reader's name]

For every reader the most expensive of some two hundred hostile texts (hostile_texts.py), its processor time at growing
sizes, how much that grows with each doubling (2 is linear, 4 quadratic), and the most memory that a character took.
"""

from __future__ import annotations

import sys
import time
import tracemalloc
from collections.abc import Callable

from benchmarks.hostile_texts import hostile_texts
from benchmarks.parsers_table import READERS, SMALLER, Read, read_quietly

FIRST = 8_000
DOUBLINGS = 3


def main(wanted: str) -> None:
    """Print the table."""
    print(
        f"{'reader':26} {'text':34} {'characters':>10} {'ms':>8} {'growth':>7} {'bytes/char':>10}"
    )
    for name, read in READERS.items():
        if wanted in name:
            _show(name, read)


def _show(name: str, read: Read) -> None:
    first = SMALLER.get(name, FIRST)
    costs = [(_processor_s(read, make(first)), label, make) for label, make in hostile_texts()]
    _, label, make = max(costs, key=lambda cost: cost[0])
    sizes = [first << doubling for doubling in range(DOUBLINGS + 1)]
    times = [min(_processor_s(read, make(size)) for _ in range(2)) for size in sizes]
    growth = (times[-1] / max(times[0], 1e-6)) ** (1 / DOUBLINGS)
    row = f"{sizes[-1]:10,} {times[-1] * 1000:8.1f} {growth:7.2f} {_memory(read, make, sizes[-1]):10.0f}"
    print(f"{name:26} {label[:34]:34} {row}", flush=True)


def _processor_s(read: Read, text: str) -> float:
    began = time.thread_time()
    read_quietly(read, text)
    return time.thread_time() - began


def _memory(read: Read, make: Callable[[int], str], size: int) -> float:
    """The most bytes that were held beside the text, for each of its characters."""
    text = make(size)
    tracemalloc.start()
    read_quietly(read, text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / size


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")

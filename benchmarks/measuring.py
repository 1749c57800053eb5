"""Processor time and memory of process trees, from /proc: what a figure of this folder rests on."""

from __future__ import annotations

import time
from dataclasses import dataclass

import psutil


@dataclass(frozen=True)
class Spent:
    """Processor seconds (user and system) by component."""

    seconds: dict[str, float]

    def since(self, earlier: Spent) -> Spent:
        """What was spent between two readings."""
        return Spent({name: value - earlier.seconds[name] for name, value in self.seconds.items()})

    @property
    def total(self) -> float:
        """The sum of all components."""
        return sum(self.seconds.values())


def processor_time(roots: dict[str, int]) -> Spent:
    """The time of each tree of processes (its living members and the reaped children of its root)."""
    return Spent({name: _tree(pid) for name, pid in roots.items()})


def _tree(pid: int) -> float:
    root = psutil.Process(pid)
    own = root.cpu_times()
    spent = own.user + own.system + own.children_user + own.children_system
    for child in root.children(recursive=True):
        times = child.cpu_times()
        spent += times.user + times.system
    return float(spent)


def resident_mb(pid: int) -> float:
    """Resident memory of one process in MB."""
    return float(psutil.Process(pid).memory_info().rss) / 1e6


def exact_processor_time(pid: int) -> float:
    """Processor seconds of one living process, without those that it waited for: its clock (clock_getcpuclockid(3))."""
    return time.clock_gettime((~pid << 3) | 2)

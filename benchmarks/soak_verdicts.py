"""Whether what a soak looked at stayed flat: a robust slope over the second half, held against a declared bound.

What grows with the work (rows of runs, logs) is held against the work: its growth per ended run may not be greater in
the second half than in the first one.
"""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from benchmarks.soak_samples import WITNESS, Sample

SETTLED_S = 120.0
"""A process is loading modules and opening connections until it is that old."""
FEWEST = 8
GROWING = "runs/ended"
BOUNDS: Mapping[str, float] = {
    "memory MB/": 3.0,
    "files open/": 2.0,
    "threads/": 2.0,
    "postgres/connections": 4.0,
    "postgres/transactions left open": 0.5,
    "postgres/advisory locks": 2.0,
    "redis/memory MB": 1.0,
    "redis/clients": 4.0,
    "redis/": 10.0,
    "files/": 4.0,
    "files kB/sockets": 8.0,
    "files kB/temporary": 64.0,
    "rows/": 4.0,
}
"""How much may be gained in an hour. The first prefix that fits counts."""
OF_RUNS = 1.15
"""How many times as much a run may leave in the second half as in the first."""


@dataclass(frozen=True)
class Verdict:
    """One line of the table. `per` is the hour, or the ended run."""

    what: str
    first: float
    last: float
    slope: float
    bound: float
    per: str
    flat: bool


def theil_sen(points: Sequence[tuple[float, float]]) -> float:
    """The median slope of all pairs: one odd look in four changes nothing. Theil 1950, Sen 1968."""
    pairs = itertools.combinations(points, 2)
    return statistics.median((y2 - y1) / (x2 - x1) for (x1, y1), (x2, y2) in pairs if x2 > x1)


def verdicts(samples: Sequence[Sample], grows: frozenset[str]) -> list[Verdict]:
    """Every series that was seen often enough. `grows` are the series that belong to runs."""
    names = sorted({name for one in samples for name in one})
    told = [_verdict(samples, name, name in grows) for name in names if "/" in name]
    return [one for one in told if one is not None]


def told(found: Sequence[Verdict]) -> list[dict[str, object]]:
    """For a file."""
    return [asdict(one) for one in found]


def _verdict(samples: Sequence[Sample], name: str, grows: bool) -> Verdict | None:
    kind, _, who = name.partition("/")
    if kind in ("age", "pid", "runs"):
        return None
    seen = [one for one in samples if name in one and one.get(f"age/{who}", SETTLED_S) >= SETTLED_S]
    if len(seen) < FEWEST:
        return None
    if grows:
        return _per_run(name, seen)
    bound = next((bound for prefix, bound in BOUNDS.items() if name.startswith(prefix)), None)
    if bound is None or (kind == "memory MB" and WITNESS not in name and who != "redis"):
        return None
    half = seen[len(seen) // 2 :]
    slope = theil_sen([(one["at"] / 3600, one[name]) for one in half])
    return Verdict(name, seen[0][name], seen[-1][name], slope, bound, "hour", slope <= bound)


def _per_run(name: str, seen: Sequence[Sample]) -> Verdict:
    middle = len(seen) // 2
    before, after = (
        theil_sen([(one[GROWING], one[name]) for one in part])
        for part in (seen[: middle + 1], seen[middle:])
    )
    bound = max(before * OF_RUNS, 0.01)
    return Verdict(name, seen[0][name], seen[-1][name], after, bound, "run", after <= bound)

"""Replays that are kept between the advances of a run, so that an advance costs what is new and not what was.

A kept replay is nothing but a saving. It is taken out before anything is done with it, counts only if the run's row
says that nobody advanced the run meanwhile, and is put back after the commit; in every other case the journal is
replayed from its beginning. A sample is compared with that, and in the project's tests every one.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable
from dataclasses import dataclass

from orchestrator.core.replay.replay import Progress, Replay, same
from shared.logger import LazyLogger
from shared.text.bounded_cache import RUNS_S, BoundedCache

MOST_BYTES = 64 * 1024 * 1024
# What a suspended workflow takes before it has read anything.
BEGUN_BYTES = 32 * 1024
COMPARED_OF = 500

log = LazyLogger(__name__)


@dataclass
class KeptReplay:
    """A run's replay and how much of the journal it has seen; `read` are the bytes that it read, about."""

    replay: Replay
    steps: int
    records: int
    read: list[int]
    ended: int = 0
    advances: int = 0

    @property
    def size(self) -> int:
        """About how many bytes it holds."""
        return BEGUN_BYTES + sum(self.read)

    def settle(self, steps: int, records: int, advances: int) -> None:
        """What it came to is committed: so many more steps and records, in the run's advance of that number."""
        self.replay.settle()
        self.steps += steps
        self.records += records
        self.ended = self.steps - len(self.replay.open_steps)
        self.advances = advances

    def require_same(
        self, run: str, progress: Progress, whole: Replay, expected: Progress
    ) -> Progress:
        """Where a replay of the whole journal comes to something else, that counts, and somebody has to know."""
        if same(progress, expected):
            return progress
        log.critical("replay.differs", run=run, phase=progress.phase, advances=self.advances)
        if compares_all():
            raise RuntimeError(f"the kept replay of {run} came to {progress}, not to {expected}")
        self.replay = whole
        return expected


class KeptReplays:
    """The latest used ones, as many as fit. Safe to share between threads.

    What nobody took for `RUNS_S` is of a run that another process went on with, or that waits for a person: its journal
    is replayed whole if it does go on here.
    """

    def __init__(
        self, most_bytes: int = MOST_BYTES, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Nothing is kept yet."""
        self._asked = itertools.count()
        self._kept: BoundedCache[str, KeptReplay] = BoundedCache(
            most_bytes, lambda kept: kept.replay.workflow.close(), most_s=RUNS_S, clock=clock
        )

    def take(self, run: str) -> KeptReplay | None:
        """The run's replay, which nobody else has then."""
        return self._kept.take(run)

    def keep(self, run: str, kept: KeptReplay) -> None:
        """Put a replay back after the commit, or drop it and others when there is no room."""
        self._kept.take(run)
        self._kept.keep(run, kept, kept.size)

    def is_compared(self) -> bool:
        """Whether this advance is one of the sample."""
        return compares_all() or next(self._asked) % COMPARED_OF == 0


def compares_all() -> bool:
    """Whether every advance is compared, and a difference raised: so it is in tests."""
    return os.environ.get("QUORATE_COMPARE_REPLAYS") == "all"


def weight(value: object) -> int:
    """About how many bytes a value of JSON takes in memory."""
    match value:
        case dict():
            return 64 + sum(weight(name) + weight(item) for name, item in value.items())
        case list():
            return 64 + sum(weight(item) for item in value)
        case str():
            return 56 + len(value)
        case _:
            return 32

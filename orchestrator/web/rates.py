"""How often somebody may do something: a bucket for each, which fills again evenly."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable

MOST_BUCKETS = 10_000


class RateLimit:
    """So many a minute for each key, all of them at once if need be; safe to share between threads."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        """Every bucket is full."""
        self._per_minute = per_minute
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}
        self._lock = threading.Lock()

    def take(self, key: str) -> int | None:
        """Count one; where the bucket is empty, after how many seconds there is one again."""
        with self._lock:
            now = self._clock()
            left = min(self._left(key, now), float(self._per_minute))
            if left < 1:
                return max(1, math.ceil((1 - left) * 60 / self._per_minute))
            if len(self._buckets) >= MOST_BUCKETS:
                self._forget_full(now)
            self._buckets[key] = (left - 1, now)
            return None

    def _left(self, key: str, now: float) -> float:
        left, at = self._buckets.get(key, (float(self._per_minute), now))
        return left + (now - at) * self._per_minute / 60

    def _forget_full(self, now: float) -> None:
        self._buckets = {
            key: bucket
            for key, bucket in self._buckets.items()
            if self._left(key, now) < self._per_minute
        }
        if len(self._buckets) >= MOST_BUCKETS:
            self._buckets.clear()

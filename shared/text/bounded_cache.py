"""A cache that is bounded by bytes, and by age if that is wanted: what was used least recently goes first."""

from __future__ import annotations

import functools
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from contextlib import suppress
from typing import Generic, TypeVar, cast

RUNS_S = 900.0
"""For what belongs to a run: longer than a turn takes. A process that stays would fill up with what is over."""
K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class BoundedCache(Generic[K, V]):
    """Values by key. Safe to share between threads."""

    def __init__(
        self,
        most_bytes: int,
        drop: Callable[[V], object] = lambda _: None,
        *,
        most_s: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Nothing is kept yet. `drop` is told of what goes for want of room, or was kept `most_s` ago."""
        self._most_bytes = most_bytes
        self._drop = drop
        self._bytes = 0
        self._most_s = most_s
        self._clock = clock
        self._values: OrderedDict[K, tuple[V, int, float]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: K) -> V | None:
        """The value of that key; None when it is not kept."""
        entry = self._values.get(key)
        if entry is None:
            return None
        with suppress(KeyError):  # dropped by another thread meanwhile
            self._values.move_to_end(key)
        return entry[0]

    def take(self, key: K) -> V | None:
        """The value of that key, which nobody else has then; None when it is not kept."""
        with self._lock:
            value, size, _ = self._values.pop(key, (None, 0, 0.0))
            self._bytes -= size
            return value

    def keep(self, key: K, value: V, size: int) -> V:
        """Keep a value that takes `size` bytes with its key, and give it back. One that is too large is not kept."""
        with self._lock:
            if size > self._most_bytes:
                self._drop(value)
            elif key not in self._values:
                self._values[key] = value, size, self._clock()
                self._bytes += size
            while self._bytes > self._most_bytes or self._first_is_old():
                _, (dropped, freed, _) = self._values.popitem(last=False)
                self._bytes -= freed
                self._drop(dropped)
        return value

    def _first_is_old(self) -> bool:
        if self._most_s is None or not self._values:
            return False
        _, _, kept_at = next(iter(self._values.values()))
        return self._clock() - kept_at > self._most_s


ENTRY_BYTES = 400  # what an entry takes besides its texts and what is made of them, about
Work = TypeVar("Work", bound=Callable[..., object])


def kept_by_texts(most_bytes: int, *, times: float = 2.0) -> Callable[[Work], Work]:
    """For functions of a run's texts that depend on nothing else and never give None: the same ones are worked on once.

    An entry counts as `times` its texts: themselves, and what is made of them.
    """

    def decorate(work: Work) -> Work:
        cache: BoundedCache[tuple[object, ...], object] = BoundedCache(most_bytes, most_s=RUNS_S)

        @functools.wraps(work)
        def remembered(*words: Hashable) -> object:
            kept = cache.get(words)
            if kept is not None:
                return kept
            size = sum(sys.getsizeof(word) for word in words if isinstance(word, str))
            return cache.keep(words, work(*words), ENTRY_BYTES + round(times * size))

        return cast(Work, remembered)

    return decorate

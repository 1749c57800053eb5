"""A cache that is bounded by bytes: what was used least recently goes first."""

from __future__ import annotations

import functools
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class BoundedCache(Generic[K, V]):
    """Values by key. Safe to share between threads."""

    def __init__(self, most_bytes: int) -> None:
        """Nothing is kept yet."""
        self._most_bytes = most_bytes
        self._bytes = 0
        self._values: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: K) -> V | None:
        """The value of that key; None when it is not kept."""
        with self._lock:
            found = self._values.get(key)
            if found is None:
                return None
            self._values.move_to_end(key)
            return found[0]

    def keep(self, key: K, value: V, size: int) -> V:
        """Keep a value that takes `size` bytes with its key, and give it back. One that is too large is not kept."""
        with self._lock:
            if key not in self._values and size <= self._most_bytes:
                self._values[key] = value, size
                self._bytes += size
            while self._bytes > self._most_bytes:
                _, (_, dropped) = self._values.popitem(last=False)
                self._bytes -= dropped
        return value


TextOf = Callable[[str, str], str]
ENTRY_BYTES = 400  # what a kept text takes besides the texts themselves, about


def cached_texts(most_bytes: int) -> Callable[[TextOf], TextOf]:
    """For functions of two texts that give a text and depend on nothing else: the same texts are worked on once."""

    def decorate(work: TextOf) -> TextOf:
        cache: BoundedCache[tuple[str, str], str] = BoundedCache(most_bytes)

        @functools.wraps(work)
        def remembered(text: str, other: str) -> str:
            key = (text, other)
            found = cache.get(key)
            if found is not None:
                return found
            made = work(text, other)
            return cache.keep(key, made, ENTRY_BYTES + sys.getsizeof(text) + sys.getsizeof(made))

        return remembered

    return decorate

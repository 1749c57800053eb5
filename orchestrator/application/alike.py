"""What requests that are asked alike have in common: found once, for all that are prepared together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


class Alike:
    """Remembers for as long as it lives: what it was made from must not change meanwhile."""

    def __init__(self) -> None:
        """Nothing is known yet."""
        self._known: dict[tuple[object, ...], Any] = {}

    def once(self, make: Callable[[], T], *key: object) -> T:
        """What was made under this key, or is made now."""
        if key not in self._known:
            self._known[key] = make()
        made: T = self._known[key]
        return made

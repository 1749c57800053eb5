"""Pauses of calls, as they stand in Redis; light, for commands that only look whether there is one."""

from __future__ import annotations

from dataclasses import dataclass

PAUSED_KEY = "quorate:paused"


@dataclass(frozen=True)
class Pause:
    """An operator's pause of everything that carries `name`; `until` None: until somebody ends it."""

    name: str
    since: float
    reason: str
    until: float | None = None

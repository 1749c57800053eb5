"""Which time through its stages a run's step belongs to, by the step's key (`core/discussion/cycles.py` makes them)."""

from __future__ import annotations

from typing import NamedTuple

from shared.patterns import regex

_NUMBERED = regex(r"([a-z]+)(\d+)/")


class CycleName(NamedTuple):
    """A review of a fix, a version of a plan, ...: its kind (not said by the keys of the first one) and its number."""

    kind: str
    number: int


def cycle_at(key: str) -> CycleName:
    """The cycle that a step's or a record's key belongs to: the second review for `review2/critique/1/ada`."""
    numbered = _NUMBERED.match(key)
    return CycleName(numbered[1], int(numbered[2])) if numbered else CycleName("", 1)

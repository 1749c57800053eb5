"""Seconds on a line from 0 to 1: hours in which nobody works are folded, so that seconds of work stay visible."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_FOLDED_SHARE = 0.05
"""How much of the axis a folded stretch takes."""
_LEAST_FOLDED_S = 5.0
_STEPS_S = (
    0.5,
    1,
    2,
    5,
    10,
    20,
    30,
    60,
    120,
    300,
    600,
    1200,
    1800,
    3600,
    7200,
    14400,
    43200,
    86400,
)
_MOST_MARKS = 9
_LEAST_APART = 0.07


@dataclass(frozen=True)
class Axis:
    """Seconds on a line from 0 to 1, with the idle stretches between `pieces` folded."""

    pieces: tuple[tuple[float, float], ...]
    shares: tuple[tuple[float, float], ...]

    @classmethod
    def of(cls, busy: Iterable[tuple[float, float]], end_s: float) -> Axis:
        """The axis of a run that was busy from ... to ..., and lasted until `end_s`."""
        pieces = _pieces(busy, end_s)
        total = sum(end - begin for begin, end in pieces) or 1.0
        room = 1.0 - _FOLDED_SHARE * (len(pieces) - 1)
        shares, at = [], 0.0
        for begin, end in pieces:
            width = room * (end - begin) / total
            shares.append((at, at + width))
            at += width + _FOLDED_SHARE
        return cls(tuple(pieces), tuple(shares))

    def at(self, second: float) -> float:
        """Where a moment is; one within a folded stretch is in the middle of it."""
        for (begin, end), (left, right) in zip(self.pieces, self.shares, strict=True):
            if second < begin:
                return max(left - _FOLDED_SHARE / 2, 0.0)
            if second <= end:
                length = end - begin
                return left + (right - left) * ((second - begin) / length if length else 0.0)
        return 1.0

    def folds(self) -> Iterator[tuple[float, float]]:
        """Where stretches are folded, and how many seconds each holds."""
        for number in range(len(self.pieces) - 1):
            begin_s, end_s = self.pieces[number][1], self.pieces[number + 1][0]
            yield self.shares[number][1] + _FOLDED_SHARE / 2, end_s - begin_s

    def marks(self) -> Iterator[tuple[float, float]]:
        """Round moments with their shares, as many as there is room for."""
        drawn_s = sum(end - begin for begin, end in self.pieces)
        step_s = next((step for step in _STEPS_S if drawn_s / step <= _MOST_MARKS), _STEPS_S[-1])
        folded = [share for share, _ in self.folds()]
        last = -1.0
        for moment in self._moments(step_s):
            share = self.at(moment)
            beside = any(abs(share - fold) < _LEAST_APART / 2 for fold in folded)
            if share - last >= _LEAST_APART and not beside:
                yield moment, share
                last = share

    def _moments(self, step_s: float) -> Iterator[float]:
        for begin, end in self.pieces:
            first = int(-(-begin // step_s))
            count = min(int(end // step_s) - first + 1, 1_000)
            yield from ((first + number) * step_s for number in range(count))


def _pieces(busy: Iterable[tuple[float, float]], end_s: float) -> list[tuple[float, float]]:
    """What is drawn at full length: all of it where nothing is idle for long beside what was worked."""
    merged = _merged(busy)
    longest_s = max(_LEAST_FOLDED_S, sum(end - begin for begin, end in merged) / 4)
    pieces: list[tuple[float, float]] = []
    for begin, end in [*merged, (end_s, end_s)]:
        reached = pieces[-1][1] if pieces else 0.0
        if begin - reached > longest_s:
            pieces.append((begin, end))
        elif pieces:
            pieces[-1] = (pieces[-1][0], max(end, reached))
        else:
            pieces.append((0.0, end))
    return pieces


def _merged(busy: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    merged: list[tuple[float, float]] = []
    for begin, end in sorted((max(begin, 0.0), end) for begin, end in busy):
        if merged and begin <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((begin, end))
    return merged

"""What a page can draw of a document, as data: the places in a text, events in time, values beside their ranges.

Text and Markdown show the same facts as numbered lines and tables (`Drawing.table` in core/document.py).
"""

from __future__ import annotations

import bisect
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from shared.models.findings import Severity


@dataclass(frozen=True)
class Highlight:
    """Characters of a text from `start` to `end` (excluded) that something is said about under the name `label`."""

    start: int
    end: int
    label: str
    severity: Severity


@dataclass(frozen=True)
class AnnotatedText:
    """Somebody's whole text with its lines numbered; `path` is what places in it are called (`chart:12`).

    `name` is its heading. Highlights may overlap.
    """

    name: str
    path: str
    text: str
    highlights: tuple[Highlight, ...] = ()

    def lines(self) -> Iterator[AnnotatedLine]:
        """Its lines, each with the highlights that reach into it."""
        rows = self.text.split("\n")
        starts = _line_starts(rows)
        marks: dict[int, list[Highlight]] = {}
        for mark in sorted(self.highlights, key=lambda mark: (mark.start, mark.end)):
            first = bisect.bisect_right(starts, mark.start)
            last = max(first, bisect.bisect_left(starts, mark.end))
            for number in range(first, last + 1):
                marks.setdefault(number, []).append(mark)
        for number, row in enumerate(rows, 1):
            yield AnnotatedLine(number, row, starts[number - 1], tuple(marks.get(number, ())))


@dataclass(frozen=True)
class AnnotatedPiece:
    """A part of a line, the highlights that apply to it, and the labels of those that end with it."""

    text: str
    highlights: tuple[Highlight, ...]
    ended: tuple[str, ...]


@dataclass(frozen=True)
class AnnotatedLine:
    """A line of a text: its number from 1, where it starts in the text, and the highlights that reach into it."""

    number: int
    text: str
    start: int
    highlights: tuple[Highlight, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """What is said about it."""
        return tuple(dict.fromkeys(mark.label for mark in self.highlights))

    def pieces(self) -> Iterator[AnnotatedPiece]:
        """The line in pieces, in each of which the same highlights apply; an empty line is one empty piece."""
        waiting = deque(sorted(self.highlights, key=lambda mark: mark.start))
        active: list[Highlight] = []
        places = self._cuts()
        for begin, end in pairwise(places):
            at = self.start + begin
            # The newline belongs to the last piece: what begins there ends with it, though no character shows it.
            reach = self.start + end + (end == len(self.text))
            while waiting and waiting[0].start < reach:
                active.append(waiting.popleft())
            active = [mark for mark in active if at < mark.end]
            ended = dict.fromkeys(mark.label for mark in active if mark.end <= reach)
            inside = tuple(mark for mark in active if mark.start < self.start + end)
            yield AnnotatedPiece(self.text[begin:end], inside, tuple(ended))

    def _cuts(self) -> list[int]:
        """Where the line is cut, its ends included."""
        marks = self.highlights
        within = {self._within(place) for mark in marks for place in (mark.start, mark.end)}
        return sorted(within | {0, len(self.text)}) if self.text else [0, 0]

    def _within(self, place: int) -> int:
        return min(max(place - self.start, 0), len(self.text))


def _line_starts(rows: Sequence[str]) -> list[int]:
    starts, at = [], 0
    for row in rows:
        starts.append(at)
        at += len(row) + 1
    return starts


@dataclass(frozen=True)
class DrawnEvent:
    """Something that happened on a `day` (counted from any day, the same for all), under its number in the table."""

    number: int
    day: float
    lane: str
    text: str
    line: int


@dataclass(frozen=True)
class Tick:
    """A day that the axis names."""

    day: float
    text: str


@dataclass(frozen=True)
class Chronology:
    """Events on an axis of time, in lanes. Of `ticks` the first ones matter most; `name` says what it shows."""

    name: str
    events: tuple[DrawnEvent, ...]
    ticks: tuple[Tick, ...]


@dataclass(frozen=True)
class DrawnValue:
    """A measured value: `day` where it is known, `text` as it was written, `when` in words; `outside` its range."""

    value: float
    text: str
    line: int
    day: float | None = None
    when: str = ""
    outside: bool = False


@dataclass(frozen=True)
class RangePlot:
    """A quantity's values in order, beside its reference range; `low` or `high` None: open on that side."""

    name: str
    unit: str
    values: tuple[DrawnValue, ...]
    low: float | None = None
    high: float | None = None
    range_text: str = ""


@dataclass(frozen=True)
class Plots:
    """Small plots side by side."""

    plots: tuple[RangePlot, ...]


@dataclass(frozen=True)
class Bar:
    """A figure as the length of a bar; `text` is how it is written."""

    name: str
    value: float
    text: str


@dataclass(frozen=True)
class Bars:
    """Figures beside one another, the first on top."""

    name: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True)
class Columns:
    """Figures over time, the first on the left; a column's name is its day."""

    name: str
    columns: tuple[Bar, ...]


@dataclass(frozen=True)
class Spell:
    """A stretch of a lane, from one share of the axis to another (0 to 1). `kind` is what the time went to."""

    begin: float
    end: float
    kind: str
    text: str


@dataclass(frozen=True)
class TimeLane:
    """What one participant's time went to; spells that overlap stand below one another."""

    name: str
    spells: tuple[Spell, ...]


@dataclass(frozen=True)
class AxisMark:
    """A moment that the axis names, at a share of it."""

    share: float
    text: str


@dataclass(frozen=True)
class Lanes:
    """Who did what when. `kinds` are what time went to, with their words; at `folds` much time is drawn as little."""

    name: str
    lanes: tuple[TimeLane, ...]
    marks: tuple[AxisMark, ...]
    folds: tuple[AxisMark, ...]
    kinds: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class MachineState:
    """A state of a machine, at its place in columns and rows; `visited` ones were entered, the `current` one last."""

    text: str
    column: int
    row: int
    visited: bool = False
    current: bool = False


@dataclass(frozen=True)
class MachineEdge:
    """What leads from one state to another (their places in `states`), and the numbers of the times it was taken."""

    source: int
    target: int
    text: str
    taken: tuple[int, ...] = ()


@dataclass(frozen=True)
class Machine:
    """All states of a machine and what leads from one to the next, with the way that was taken through them.

    `heads` name the columns.
    """

    name: str
    states: tuple[MachineState, ...]
    edges: tuple[MachineEdge, ...]
    heads: tuple[str, ...]


@dataclass(frozen=True)
class VoterPath:
    """What somebody held in each round: a place in `positions`, or None where nothing is known."""

    name: str
    held: tuple[int | None, ...]


@dataclass(frozen=True)
class VotesOverRounds:
    """Who held which position in which round, by the rounds' and the positions' names."""

    name: str
    rounds: tuple[str, ...]
    positions: tuple[str, ...]
    voters: tuple[VoterPath, ...]


Picture = Chronology | Plots | Bars | Columns | Lanes | Machine | VotesOverRounds

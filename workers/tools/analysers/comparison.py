"""What a change brings and what it only moves: findings recognised in the state before, wherever they stood.

A finding is known by its rule together with what it is about: the text itself without layout (spaces, line breaks,
parentheses and commas that a formatter adds, the kind of quotation marks), its whole line, and the function around it.
So a line that a formatter broke in two brings nothing new, and a copy brings one more. A grave finding that moved into
another function or file is told, and asks for nothing: there it may be reached by others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from shared.models.findings import RaisedFinding, Severity
from shared.patterns import regex
from shared.tools.rules import without_layout
from workers.tools.analysers.sources import SourceFile

_DEFINITION = regex(
    r"^\s*(?:(?:export|default|public|private|protected|static|async|pub|unsafe|const|inline|virtual)\s+)*"
    r"(?:def|class|func|function|fn|struct|interface|impl)\s+(?:\([^)]{0,200}\)\s*)?(\w{1,100})"
)
# Lines that end nothing: what closes a bracket, comments, decorators.
_PASSED_OVER = (")", "]", "}", "#", "//", "@")
# A symbol is looked for above a finding no further than this.
_REACH = 2000

_Issue = TypeVar("_Issue")


@dataclass(frozen=True)
class SourceSpan:
    """Where a finding is, as a program counts: lines from 1, columns (None: whole lines) from 0 in code points."""

    first: int
    last: int
    start: int | None = None
    end: int | None = None

    def text(self, lines: Sequence[str]) -> str:
        """What it covers, at most some lines of it."""
        some = [*lines[self.first - 1 : min(self.last, self.first + 40)]]
        if not some or self.start is None or self.end is None:
            return "\n".join(some)
        if self.last - self.first < len(some):
            some[-1] = some[-1][: self.end]
        some[0] = some[0][self.start :]
        return "\n".join(some)


@dataclass(frozen=True)
class Trace:
    """What a finding is recognised by in another state of the change; `number` is git's, of its line."""

    rule: Hashable
    symbol: str
    text: str
    line: str
    path: str
    number: int = field(default=1, compare=False)

    @classmethod
    def of(cls, source: SourceFile, rule: Hashable, span: SourceSpan) -> Trace:
        """The trace of a finding at a program's lines."""
        lines = source.analysed_lines
        line = lines[span.first - 1] if 1 <= span.first <= len(lines) else ""
        return cls(
            rule,
            symbol_at(lines, span.first),
            without_layout(span.text(lines)),
            without_layout(line),
            source.path,
            source.number(span.first),
        )

    @property
    def function(self) -> tuple[str, str]:
        """Where it is, as far as a move is concerned."""
        return self.path, self.symbol


_KEYS: tuple[Callable[[Trace], Hashable], ...] = (
    lambda trace: trace,
    lambda trace: (trace.rule, trace.text, trace.line, trace.path),
    lambda trace: (trace.rule, trace.text, trace.symbol, trace.path),
    lambda trace: (trace.rule, trace.text, trace.line, trace.symbol),
    lambda trace: (trace.rule, trace.text, trace.line),
    lambda trace: (trace.rule, trace.text, trace.symbol),
)
"""By what a finding is recognised, the surest first: as it was, in its own file, moved, moved and laid out again."""


@dataclass(frozen=True)
class Brought(Generic[_Issue]):
    """What the change brings, in order: what is more than there was, and what it moved to another function or file."""

    fresh: list[_Issue]
    moved: list[tuple[_Issue, Trace]]


def compared(
    now: Iterable[tuple[Trace, _Issue]], before: Iterable[Trace], first: Callable[[_Issue], bool]
) -> Brought[_Issue]:
    """The findings of now beside those of before.

    Those for which `first` is true (they stand on unchanged lines) are recognised first.
    """
    left = sorted(enumerate(now), key=lambda entry: not first(entry[1][1]))
    known = list(before)
    moved: list[tuple[int, _Issue, Trace]] = []
    for key in _KEYS:
        places: dict[Hashable, list[int]] = defaultdict(list)
        for number, trace in enumerate(known):
            places[key(trace)].append(number)
        taken: set[int] = set()
        unknown = []
        for entry in left:
            at, (trace, issue) = entry
            same = places.get(key(trace))
            if not same:
                unknown.append(entry)
                continue
            taken.add(same[-1])
            was = known[same.pop()]
            if was.function != trace.function:
                moved.append((at, issue, was))
        left = unknown
        known = [trace for number, trace in enumerate(known) if number not in taken]
    fresh = [issue for _, (_, issue) in sorted(left, key=lambda entry: entry[0])]
    moved.sort(key=lambda entry: entry[0])
    return Brought(fresh, [(issue, was) for _, issue, was in moved])


def as_moved(finding: RaisedFinding, was: Trace) -> RaisedFinding:
    """The finding without weight: it is told where it was before."""
    place = f"{was.path}:{was.number}"
    return finding.model_copy(
        update={
            "title": f"{finding.title[:300]} (was at {place[:80]} before)",
            "detail": f"{finding.detail} It was at {place} before this change, which moved it.",
            "severity": Severity.INFO,
            "patch": None,
        }
    )


def symbol_at(lines: Sequence[str], line: int) -> str:
    """The name of the function or class around a line (from 1), by indentation; nothing outside of any."""
    index = min(line, len(lines)) - 1
    if index < 0:
        return ""
    depth = _depth(lines[index]) + 1
    for text in reversed(lines[max(0, index - _REACH) : index + 1]):
        if _depth(text) >= depth or text.lstrip().startswith(_PASSED_OVER):
            continue
        if match := _DEFINITION.match(text[:500]):
            return match[1]
        depth = _depth(text)
        if depth == 0:
            break
    return ""


def _depth(text: str) -> int:
    """How far a line is indented; a blank one as far as any."""
    return len(text) - len(text.lstrip()) if text.strip() else len(text) + _REACH

"""What a change brings and what it only moves: findings recognised in the state before, wherever they stood.

A finding is known by its rule together with what it is about: the text itself without layout (spaces, line breaks,
quotation marks, commas and brackets that a formatter adds), its whole line, and the function around it. So a function
that moved to another file and a line that a formatter broke in two bring nothing new, and a copy brings one more.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

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
    """What a finding is recognised by in another state of the change."""

    rule: Hashable
    symbol: str
    text: str
    line: str

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
        )


_KEYS: tuple[Callable[[Trace], Hashable], ...] = (
    lambda trace: trace,
    lambda trace: (trace.rule, trace.text, trace.line),
    lambda trace: (trace.rule, trace.symbol, trace.text),
)
"""By what a finding is recognised, the surest first: as it was, moved, laid out otherwise in the same function."""


def fresh(
    now: Iterable[tuple[Trace, _Issue]], before: Iterable[Trace], first: Callable[[_Issue], bool]
) -> list[_Issue]:
    """The findings that are more than there were before, in their order.

    Those for which `first` is true (they stand on unchanged lines) are recognised first.
    """
    left = sorted(enumerate(now), key=lambda entry: not first(entry[1][1]))
    known = list(before)
    for key in _KEYS:
        places: dict[Hashable, list[int]] = defaultdict(list)
        for number, trace in enumerate(known):
            places[key(trace)].append(number)
        taken: set[int] = set()
        unknown = []
        for entry in left:
            same = places.get(key(entry[1][0]))
            if same:
                taken.add(same.pop())
            else:
                unknown.append(entry)
        left = unknown
        known = [trace for number, trace in enumerate(known) if number not in taken]
    return [issue for _, (_, issue) in sorted(left, key=lambda entry: entry[0])]


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

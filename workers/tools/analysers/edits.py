"""Text edits and the unified diffs that they make, in the form that `git apply` takes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from shared.git.hunks import CONTEXT, edited_file_patch, hunks_between
from shared.git.patch import split_lines

LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True)
class Edit:
    """Replace what lies between two positions (row, column), both from 1, columns in code points."""

    start: tuple[int, int]
    end: tuple[int, int]
    content: str


def apply_edits(text: str, edits: Iterable[Edit]) -> str | None:
    """`text` after all edits, or None when they overlap or lie outside."""
    starts = [0, *(match.end() for match in LINE_END.finditer(text))]
    spans: list[tuple[int, int, str]] = []
    for edit in edits:
        first, last = _offset(starts, edit.start, len(text)), _offset(starts, edit.end, len(text))
        if first is None or last is None or last < first:
            return None
        spans.append((first, last, edit.content))
    pieces: list[str] = []
    done = 0
    for first, last, content in sorted(spans, key=lambda span: span[:2]):
        if first < done:
            return None
        pieces += [text[done:first], content]
        done = last
    return "".join([*pieces, text[done:]])


def _offset(starts: Sequence[int], position: tuple[int, int], size: int) -> int | None:
    row, column = position
    if not 1 <= row <= len(starts) or column < 1:
        return None
    offset = starts[row - 1] + column - 1
    return offset if offset <= size else None


def file_patch(path: str, before: str, after: str) -> str | None:
    """The unified diff from `before` to `after` of one existing file, or None when nothing differs."""
    return _patch(path, split_lines(before.encode()), split_lines(after.encode()))


def line_patch(path: str, lines: Sequence[str], number: int, replacement: str | None) -> str | None:
    """`file_patch` for one line (from 1) of a file's `lines` (split at line feeds), deleted when there is no other.

    It reads the lines around it only: a file may have many such lines.
    """
    first, last = max(0, number - 1 - CONTEXT), min(len(lines), number + CONTEXT + 1)
    end = "\r" if lines[number - 1].endswith("\r") else ""
    fresh = [] if replacement is None else [replacement + end]
    rest = [""] if last < len(lines) else []  # the last line of all may have no end
    before = "\n".join([*lines[first:last], *rest])
    after = "\n".join([*lines[first : number - 1], *fresh, *lines[number:last], *rest])
    return _patch(path, split_lines(before.encode()), split_lines(after.encode()), first + 1)


def _patch(path: str, old: list[bytes], new: list[bytes], line: int = 1) -> str | None:
    # Names that git would have to quote are left to people.
    if old == new or any(character in '"\\' for character in path):
        return None
    return edited_file_patch(path.encode(), hunks_between(old, new, line)).decode()

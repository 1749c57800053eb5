"""Text edits and the unified diffs that they make, in the form that `git apply` takes."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

LINE_END = re.compile(r"\r\n|\r|\n")
HUNK = re.compile(r"^@@ -(\d+)((?:,\d+)?) \+(\d+)((?:,\d+)?) @@")
CONTEXT = 3


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
    """The unified diff from `before` to `after` of one existing file, or None when nothing differs.

    Only the lines between the common start and the common end are compared, so that a small fix in a large
    file costs little.
    """
    old, new = _lines(before), _lines(after)
    # Names that git would have to quote are left to people.
    if old == new or any(character in '"\\' for character in path):
        return None
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    same = 0
    while same < min(len(old), len(new)) - start and old[-1 - same] == new[-1 - same]:
        same += 1
    begin, keep = max(0, start - CONTEXT), max(0, same - CONTEXT)
    # git ends a name that has spaces with a tab.
    tab = "\t" if " " in path else ""
    body = difflib.unified_diff(
        old[begin : len(old) - keep],
        new[begin : len(new) - keep],
        f"a/{path}{tab}",
        f"b/{path}{tab}",
        n=CONTEXT,
    )
    header = f"diff --git a/{path} b/{path}\n"
    return header + "".join(_shifted(line, begin) for line in body)


def line_patch(path: str, lines: Sequence[str], number: int, replacement: str | None) -> str | None:
    """`file_patch` for one line (from 1) of a file's `lines` (split at line feeds), deleted when there is no other.

    It reads the lines around it only: a file may have many such lines.
    """
    first, last = max(0, number - 1 - CONTEXT), min(len(lines), number + CONTEXT + 1)
    end = "\r" if lines[number - 1].endswith("\r") else ""
    fresh = [] if replacement is None else [replacement + end]
    rest = [""] if last < len(lines) else []  # the last line of all may have no end
    before = [*lines[first:last], *rest]
    after = [*lines[first : number - 1], *fresh, *lines[number:last], *rest]
    patch = file_patch(path, "\n".join(before), "\n".join(after))
    return None if patch is None else "".join(_shifted(line, first) for line in _lines(patch))


def _lines(text: str) -> list[str]:
    """Lines as git counts them: only a line feed ends one."""
    return [line + "\n" for line in text.split("\n")[:-1]] + [
        last for last in text.split("\n")[-1:] if last
    ]


def _shifted(line: str, by: int) -> str:
    match = HUNK.match(line)
    if match:
        old, old_size, new, new_size = match.groups()
        return f"@@ -{int(old) + by}{old_size} +{int(new) + by}{new_size} @@\n"
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"

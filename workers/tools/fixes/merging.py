"""Changes of lines against one base, put together without guessing.

Every fix is made against the reviewed state, so fixes are compared by the lines of that state which they
replace. Applying one after the other would look for context that an earlier fix has changed, and could find
the same text elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from shared.git.patch import split_lines


@dataclass(frozen=True, order=True)
class LineEdit:
    """Lines `start` up to `end` of the base (from 0, `end` excluded) become `lines`, with their ends."""

    start: int
    end: int
    lines: tuple[bytes, ...]

    def conflicts(self, other: LineEdit) -> bool:
        """True when both cannot be had: they overlap, or insert different lines at one place."""
        if self == other:
            return False
        if self.start == self.end == other.start == other.end:
            return True
        return self.start < other.end and other.start < self.end


def conflicting(edits: Iterable[LineEdit], known: Sequence[LineEdit]) -> bool:
    """True when any of `edits` cannot be had together with `known`."""
    return any(edit.conflicts(other) for edit in edits for other in known)


def render(base: bytes, edits: Iterable[LineEdit]) -> bytes:
    """The base with all edits, which do not conflict; the same edit twice counts once."""
    lines = split_lines(base)
    pieces: list[bytes] = []
    done = 0
    for edit in sorted(set(edits)):
        pieces += lines[done : edit.start]
        pieces += edit.lines
        done = edit.end
    return b"".join([*pieces, *lines[done:]])

"""What a patch does to a text: the state after it, the state before it, the lines it touches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from orchestrator.subjects.patch import FilePatch, Hunk, HunkLine, quote, split_lines
from shared.models.subject import LineRange


@dataclass(frozen=True)
class _Swap:
    """Which side of a hunk is the given one: its tag, and the tag that the result gains."""

    lost: bytes
    gained: bytes


_FORWARD = _Swap(b"-", b"+")
_BACKWARD = _Swap(b"+", b"-")


def apply_hunks(before: bytes, hunks: Iterable[Hunk]) -> bytes | None:
    """The text after the hunks; None when a line is not where the hunks say. No offset, no fuzz."""
    return _walk(before, hunks, _FORWARD)


def revert_hunks(after: bytes, hunks: Iterable[Hunk]) -> bytes | None:
    """The text before the hunks; None when `after` does not hold what they leave."""
    return _walk(after, hunks, _BACKWARD)


def _walk(given: bytes, hunks: Iterable[Hunk], swap: _Swap) -> bytes | None:
    lines = split_lines(given)
    result: list[bytes] = []
    at = 0
    for hunk in hunks:
        start, count = (
            (hunk.old_start, hunk.old_count)
            if swap is _FORWARD
            else (hunk.new_start, hunk.new_count)
        )
        # A side without lines names the line before it, as in `@@ -0,0 +1,3 @@`.
        first = start if count == 0 else start - 1
        expected = [line.text for line in hunk.lines if line.tag != swap.gained]
        if first < at or lines[first : first + count] != expected:
            return None
        result += lines[at:first]
        result += [line.text for line in hunk.lines if line.tag != swap.lost]
        at = first + count
    return b"".join(result + lines[at:])


def numbered_lines(hunks: Iterable[Hunk]) -> Iterator[tuple[int, HunkLine]]:
    """The lines of the state after the hunks that they show, with their numbers (from 1)."""
    for hunk in hunks:
        number = hunk.new_start
        for line in hunk.lines:
            if line.tag != b"-":
                yield number, line
                number += 1


def changed_ranges(hunks: Iterable[Hunk]) -> tuple[LineRange, ...]:
    """The added or edited lines, as ranges in the state after the hunks."""
    ranges: list[LineRange] = []
    for number, line in numbered_lines(hunks):
        if line.tag != b"+":
            continue
        if ranges and ranges[-1].last == number - 1:
            ranges[-1] = LineRange(first=ranges[-1].first, last=number)
        else:
            ranges.append(LineRange(first=number, last=number))
    return tuple(ranges)


def count_tag(patches: Iterable[FilePatch], tag: bytes) -> int:
    """How many lines of the patches carry the tag."""
    return sum(line.tag == tag for patch in patches for hunk in patch.hunks for line in hunk.lines)


def new_file_patch(path: bytes, content: bytes, executable: bool = False) -> bytes:
    """The diff that git would show for a new file."""
    old, new = quote(b"a/" + path), quote(b"b/" + path)
    mode = b"100755" if executable else b"100644"
    header = b"diff --git %b %b\nnew file mode %b\n" % (old, new, mode)
    lines = split_lines(content)
    if not lines:
        return header
    span = b"1" if len(lines) == 1 else b"1,%d" % len(lines)
    # git ends a name that has a blank with a tab, so that no time is read into it.
    tab = b"\t" if b" " in path else b""
    body = b"".join(b"+" + line for line in lines)
    if not body.endswith(b"\n"):
        body += b"\n\\ No newline at end of file\n"
    return header + b"--- /dev/null\n+++ %b%b\n@@ -0,0 +%b @@\n" % (new, tab, span) + body

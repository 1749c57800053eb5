"""What hunks do to a text, which lines they touch, and the hunks between two texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from shared.git.names import quote
from shared.git.patch import FilePatch, Hunk, HunkLine, split_lines
from shared.models.subject import LineRange

CONTEXT = 3


def apply_hunks(before: bytes, hunks: Iterable[Hunk]) -> bytes | None:
    """The text after the hunks; None when a line is not where the hunks say. No offset, no fuzz."""
    lines = split_lines(before)
    result: list[bytes] = []
    at = 0
    for hunk in hunks:
        # A side without lines names the line before it, as in `@@ -0,0 +1,3 @@`.
        first = hunk.old_start if hunk.old_count == 0 else hunk.old_start - 1
        expected = [line.text for line in hunk.lines if line.tag != b"+"]
        if first < at or lines[first : first + hunk.old_count] != expected:
            return None
        result += lines[at:first]
        result += [line.text for line in hunk.lines if line.tag != b"-"]
        at = first + hunk.old_count
    return b"".join(result + lines[at:])


def revert_hunks(after: bytes, hunks: Iterable[Hunk]) -> bytes | None:
    """The text before the hunks; None when `after` does not hold what they leave."""
    return apply_hunks(after, map(_reversed, hunks))


_OTHER_WAY = {b"+": b"-", b"-": b"+", b" ": b" "}


def _reversed(hunk: Hunk) -> Hunk:
    lines = tuple(HunkLine(_OTHER_WAY[line.tag], line.text) for line in hunk.lines)
    return Hunk(hunk.new_start, hunk.new_count, hunk.old_start, hunk.old_count, lines)


def changed_ranges(hunks: Iterable[Hunk]) -> tuple[LineRange, ...]:
    """The added or edited lines, as ranges in the state after the hunks."""
    ranges: list[LineRange] = []
    for hunk in hunks:
        shown = (line for line in hunk.lines if line.tag != b"-")
        for number, line in enumerate(shown, hunk.new_start):
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


def hunks_between(old: Sequence[bytes], new: Sequence[bytes], line: int = 1) -> tuple[Hunk, ...]:
    """The hunks that lead from some lines to others; the first of them is a file's `line`.

    Only the lines between the common start and the common end are compared, so that a small edit of a large file costs
    little.
    """
    shorter = min(len(old), len(new))
    start = next((n for n in range(shorter) if old[n] != new[n]), shorter)
    rest = shorter - start
    same = next((n for n in range(rest) if old[-1 - n] != new[-1 - n]), rest)
    begin, keep = max(0, start - CONTEXT), max(0, same - CONTEXT)
    old, new = old[begin : len(old) - keep], new[begin : len(new) - keep]
    groups = SequenceMatcher(None, old, new).get_grouped_opcodes(CONTEXT)
    return tuple(_hunk(group, old, new, line + begin) for group in groups)


def _hunk(
    group: Sequence[tuple[str, int, int, int, int]],
    old: Sequence[bytes],
    new: Sequence[bytes],
    line: int,
) -> Hunk:
    lines: list[HunkLine] = []
    for word, old_first, old_end, new_first, new_end in group:
        if word == "equal":
            lines += [HunkLine(b" ", text) for text in old[old_first:old_end]]
        else:
            lines += [HunkLine(b"-", text) for text in old[old_first:old_end]]
            lines += [HunkLine(b"+", text) for text in new[new_first:new_end]]
    first, last = group[0], group[-1]
    old_count, new_count = last[2] - first[1], last[4] - first[3]
    old_start = first[1] + line - (old_count == 0)
    new_start = first[3] + line - (new_count == 0)
    return Hunk(old_start, old_count, new_start, new_count, tuple(lines))


def edited_file_patch(path: bytes, hunks: Iterable[Hunk]) -> bytes:
    """The diff of a file that has another content: names, hunks, and nothing else."""
    old, new = quote(b"a/" + path), quote(b"b/" + path)
    names = b"diff --git %b %b\n--- %b\n+++ %b\n" % (old, new, _tabbed(old), _tabbed(new))
    return names + b"".join(hunk.text for hunk in hunks)


def new_file_patch(path: bytes, content: bytes, executable: bool = False) -> bytes:
    """The diff that git would show for a new file."""
    old, new = quote(b"a/" + path), quote(b"b/" + path)
    mode = b"100755" if executable else b"100644"
    header = b"diff --git %b %b\nnew file mode %b\n" % (old, new, mode)
    lines = tuple(HunkLine(b"+", line) for line in split_lines(content))
    if not lines:
        return header
    hunk = Hunk(0, 0, 1, len(lines), lines)
    return header + b"--- /dev/null\n+++ %b\n" % _tabbed(new) + hunk.text


def _tabbed(name: bytes) -> bytes:
    """git ends a name that has a blank with a tab, so that no time is read into it."""
    return name + b"\t" if b" " in name else name

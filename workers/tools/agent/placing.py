"""Hunks put where their lines stand, whatever line number their author counted.

A hunk goes to the line that its header says if its lines stand there, else to the only place at which they do. Nothing
is guessed: no line may differ, and lines that stand at several places without a right number are refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from shared.errors import ToolError
from shared.git.patch import Hunk, split_lines
from workers.tools.fixes.patches import BLANK, ProposedFile

NOWHERE = "its lines do not stand there"
ANYWHERE = (
    "its lines stand at several places, and not at the line that it says: it needs more context"
)
UNANCHORED = "it adds lines without any context"
OVERLAP = "its hunks overlap"


class UnusablePatch(ToolError):
    """A patch that cannot be applied; the message says why, in words that its author can act on."""


def with_hunks(before: bytes, file: ProposedFile) -> bytes:
    """The content after the hunks; raises `UnusablePatch` with the reason of the first try.

    A second try mends ends of lines and of hunks, a third drops blank lines at the ends of hunks, and a fourth takes
    the content's last line as if it had an end.
    """
    reasons: list[UnusablePatch] = []
    for content, hunks in _tries(before, file):
        try:
            return _applied(content, hunks)
        except UnusablePatch as reason:
            reasons.append(reason)
    raise next((reason for reason in reasons if str(reason) == ANYWHERE), reasons[0])


def _tries(before: bytes, file: ProposedFile) -> Iterator[tuple[bytes, Sequence[Hunk]]]:
    crlf = b"\r\n" in before and before.count(b"\n") == before.count(b"\r\n")
    repaired = file.repaired(crlf=crlf).hunks
    trimmed = tuple(map(_without_blank_end, repaired))
    if not crlf:
        yield before, file.hunks
    yield before, repaired
    yield before, trimmed
    if before and not before.endswith(b"\n"):
        ended = before + (b"\r\n" if crlf else b"\n")
        yield ended, repaired
        yield ended, trimmed


def _without_blank_end(hunk: Hunk) -> Hunk:
    lines = hunk.lines
    while lines and lines[-1].tag == BLANK.tag and not lines[-1].text.strip():
        lines = lines[:-1]
    return Hunk(hunk.old_start, hunk.old_count, hunk.new_start, hunk.new_count, lines)


def _applied(before: bytes, hunks: Iterable[Hunk]) -> bytes:
    lines = split_lines(before)
    places = sorted(
        (_place(before, lines, hunk), number, hunk) for number, hunk in enumerate(hunks)
    )
    pieces: list[bytes] = []
    at = 0
    for start, _, hunk in places:
        if start < at:
            raise UnusablePatch(OVERLAP)
        pieces += lines[at:start]
        pieces += [line.text for line in hunk.lines if line.tag != b"-"]
        at = start + hunk.counts[0]
    return b"".join([*pieces, *lines[at:]])


def _place(before: bytes, lines: Sequence[bytes], hunk: Hunk) -> int:
    """From which line (from 0) the hunk goes on."""
    expected = [line.text for line in hunk.lines if line.tag != b"+"]
    if not expected:
        if lines:
            raise UnusablePatch(UNANCHORED)
        return 0
    stated = hunk.old_start - 1
    if stated >= 0 and lines[stated : stated + len(expected)] == expected:
        return stated
    found = list(_occurrences(b"\n" + before, b"\n" + b"".join(expected)))
    if not found:
        raise UnusablePatch(NOWHERE)
    if len(found) > 1:
        raise UnusablePatch(ANYWHERE)
    return before.count(b"\n", 0, found[0])


def _occurrences(text: bytes, wanted: bytes) -> Iterator[int]:
    """Where whole lines stand in a text, up to the second place."""
    at, count = text.find(wanted), 0
    while at >= 0 and count < 2:
        end = at + len(wanted)
        if wanted.endswith(b"\n") or end == len(text):
            yield at
            count += 1
        at = text.find(wanted, at + 1)

"""A patch as a host's `suggestion`: the new text of exactly the lines that a finding is about."""

from __future__ import annotations

from collections.abc import Sequence

from shared.git.patch import BrokenPatch, Hunk, parse_patch
from shared.models.findings import Place


def suggested_lines(patch: str, place: Place) -> str | None:
    """What replaces the lines of the place, no others and none of another file; None where that is not what it does.

    A patch that takes the lines away has an empty answer.
    """
    try:
        files = parse_patch(patch.encode())
    except BrokenPatch:
        return None
    if len(files) != 1 or files[0].path.decode("utf-8", "replace") != place.path:
        return None
    hunks = files[0].hunks
    return _replacement(hunks[0], place) if len(hunks) == 1 and not files[0].binary else None


def _replacement(hunk: Hunk, place: Place) -> str | None:
    tags = [line.tag for line in hunk.lines]
    removed = [at for at, tag in enumerate(tags) if tag == b"-"]
    edited = [at for at, tag in enumerate(tags) if tag != b" "]
    if not removed or edited != list(range(edited[0], edited[-1] + 1)):
        return None
    first = hunk.old_start + sum(tag != b"+" for tag in tags[: removed[0]])
    if (first, first + len(removed) - 1) != (place.line, place.last_line):
        return None
    return _text(hunk, tags)


def _text(hunk: Hunk, tags: Sequence[bytes]) -> str:
    added = (line.text for line, tag in zip(hunk.lines, tags, strict=True) if tag == b"+")
    return b"".join(added).decode("utf-8", "replace")

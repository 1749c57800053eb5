"""The lines of a stored subject: what findings are checked against."""

from __future__ import annotations

from collections.abc import Callable

from orchestrator.subjects.hunks import numbered_lines
from orchestrator.subjects.patch import parse_patch, split_lines
from shared.models.subject import LineRange, Subject

Get = Callable[[str], bytes]
"""Returns the document of a sha256."""


def source_lines(subject: Subject, get: Get) -> dict[tuple[str, int], str]:
    """The text of every known line of the reviewed state, by path and number, without its line ending.

    Files whose state is unknown (a bare diff) give the lines that the diff shows of them.
    """
    lines: dict[tuple[str, int], str] = {}
    unknown = set()
    for file in subject.files:
        if file.after is not None:
            for number, line in enumerate(split_lines(get(file.after)), start=1):
                lines[file.path, number] = _text(line)
        elif file.skipped is None and file.status != "deleted":
            unknown.add(file.path)
    if unknown:
        for patch in parse_patch(get(subject.diff)):
            path = patch.path.decode("utf-8", "backslashreplace")
            if path in unknown:
                for number, shown in numbered_lines(patch.hunks):
                    lines[path, number] = _text(shown.text)
    return lines


def changed_map(subject: Subject) -> dict[str, tuple[LineRange, ...]]:
    """The added or edited lines of every file that is reviewed, by path; deleted files have none."""
    return {file.path: file.changed for file in subject.files if file.skipped is None}


def _text(line: bytes) -> str:
    return line.decode("utf-8", "replace").removesuffix("\n").removesuffix("\r")

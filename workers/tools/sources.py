"""Files of a change as text with their changed lines: what every analyser looks at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from shared.errors import ToolError
from shared.models.findings import Place
from shared.models.subject import PYTHON_SUFFIXES, FileChange, Subject
from workers.tools.registry import Documents
from workers.tools.snapshot import path_problem

MAX_TEXT_BYTES = 2 * 1024 * 1024
MAX_QUOTE = 500
# A finding that spans more lines than this belongs to its first ones.
SPAN_LINES = 20


@dataclass(frozen=True)
class SourceFile:
    """A file in the reviewed state; `lines` are without their ends, the first is `lines[0]`."""

    change: FileChange
    text: str
    lines: tuple[str, ...]

    @property
    def path(self) -> str:
        """From the repository's root."""
        return self.change.path

    def changed(self, line: int) -> bool:
        """True when the change added or edited that line (from 1)."""
        return any(line in lines for lines in self.change.changed)

    def place(self, first: int, last: int | None = None) -> Place | None:
        """The first changed line from `first` to `last`, with its end; None when the change is elsewhere."""
        last = max(first, last or first)
        near = min(last, first + SPAN_LINES - 1)
        for line in range(first, near + 1):
            if self.changed(line):
                return Place(path=self.path, line=line, end_line=last if last > line else None)
        return None

    def nearest_changed(self, line: int) -> int | None:
        """The changed line closest to `line`, or None when nothing was added or edited."""
        ends = [edge for lines in self.change.changed for edge in (lines.first, lines.last)]
        return line if self.changed(line) else min(ends, key=lambda e: abs(e - line), default=None)

    def quote(self, line: int) -> str | None:
        """The source line as it stands, or None when it is empty or outside."""
        if not 1 <= line <= len(self.lines):
            return None
        return self.lines[line - 1].strip()[:MAX_QUOTE] or None


@dataclass(frozen=True)
class Examined:
    """What an analyser could look at, and one sentence for each file of its kind that it could not."""

    files: tuple[SourceFile, ...]
    left_out: tuple[str, ...] = ()
    others: int = 0


def python_sources(subject: Subject, documents: Documents) -> Examined:
    """The change's Python files; raises `ToolError` when there are none to analyse."""
    examined = sources(subject, documents, lambda path: path.endswith(PYTHON_SUFFIXES))
    if not examined.files:
        why = " ".join(examined.left_out) or "no Python file in this change"
        raise ToolError(f"Nothing analysed: {why.rstrip('.')}.")
    return examined


def sources(subject: Subject, documents: Documents, wanted: Callable[[str], bool]) -> Examined:
    """The text files of the change that `wanted(path)` picks, and what was left out of them."""
    files: list[SourceFile] = []
    left_out: list[str] = []
    others = 0
    for change in subject.files:
        if change.status == "deleted":
            continue
        if not wanted(change.path):
            others += 1
            continue
        source = read_change(change, documents)
        if isinstance(source, str):
            left_out.append(f"{change.path} was not looked at: {source}.")
        else:
            files.append(source)
    return Examined(tuple(files), tuple(left_out), others)


def read_change(change: FileChange, documents: Documents) -> SourceFile | str:
    """The reviewed state of one file, or the reason why it cannot be looked at."""
    problem = path_problem(change.path) or change.skipped
    if problem is not None:
        return problem
    return (
        "it has no content"
        if change.after is None
        else read_source(change, documents.get(change.after))
    )


def read_source(change: FileChange, data: bytes) -> SourceFile | str:
    """The file as text, or the reason why it cannot be read as such."""
    if len(data) > MAX_TEXT_BYTES:
        return "it is too large"
    if b"\0" in data:
        return "it is binary"
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return "it is not valid UTF-8"
    return SourceFile(change, text, tuple(line.removesuffix("\r") for line in text.split("\n")))

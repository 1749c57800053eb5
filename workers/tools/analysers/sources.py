"""Files of a change as text with their changed lines: what every analyser looks at."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from shared.errors import ToolError
from shared.models.coverage import Coverage, UnreadFile, UnreadReason
from shared.models.decoding import decode, python_encoding, without_cookie
from shared.models.findings import Place
from shared.models.subject import FileChange, Subject
from shared.sentences import Sentence
from workers.tools.registry import Documents
from workers.tools.snapshot import path_problem

MAX_TEXT_BYTES = 2 * 1024 * 1024
MAX_QUOTE = 500
# A finding that spans more lines than this belongs to its first ones.
SPAN_LINES = 20


@dataclass(frozen=True)
class SourceFile:
    """A file in the reviewed state; `lines` are git's, without their ends, the first is `lines[0]`.

    Programs are given `analysed`, in which a lone carriage return ends a line, as it does for Python: what they call
    line n is git's `numbers[n - 1]` (the same one when `numbers` is empty).
    """

    change: FileChange
    text: str
    lines: tuple[str, ...]
    numbers: tuple[int, ...] = ()
    verbatim: bool = True

    @property
    def path(self) -> str:
        """From the repository's root."""
        return self.change.path

    @cached_property
    def text_lines(self) -> list[str]:
        """The text split at line feeds, carriage returns kept."""
        return self.text.split("\n")

    @cached_property
    def analysed(self) -> str:
        """The text for a program that reads UTF-8."""
        text = self.text
        if self.numbers:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        return text if self.verbatim else without_cookie(text)

    @cached_property
    def analysed_lines(self) -> list[str]:
        """Its lines, as programs count them."""
        return self.analysed.split("\n")

    def number(self, line: int) -> int:
        """git's number of a program's line."""
        return self.numbers[min(line, len(self.numbers)) - 1] if self.numbers else line

    def changed(self, line: int) -> bool:
        """True when the change added or edited that line of git's (from 1)."""
        return any(line in lines for lines in self.change.changed)

    def place(self, first: int, last: int | None = None) -> Place | None:
        """The first changed line from a program's `first` to `last`, and the end; None when the change is elsewhere."""
        last = self.number(max(first, last or first))
        first = self.number(first)
        near = min(last, first + SPAN_LINES - 1)
        for line in range(first, near + 1):
            if self.changed(line):
                return Place.over(self.path, line, last)
        return None

    def nearest_changed(self, line: int) -> int | None:
        """The changed line closest to a program's `line`, or None when nothing was added or edited."""
        line = self.number(line)
        ends = [edge for lines in self.change.changed for edge in (lines.first, lines.last)]
        return line if self.changed(line) else min(ends, key=lambda e: abs(e - line), default=None)

    def quote(self, line: int) -> str | None:
        """git's source line as it stands, or None when it is empty or outside."""
        if not 1 <= line <= len(self.lines):
            return None
        return self.lines[line - 1].strip()[:MAX_QUOTE] or None


@dataclass(frozen=True)
class Unreadable:
    """Why a file cannot be looked at, in words and as a code."""

    why: str
    reason: UnreadReason

    def of(self, path: str) -> UnreadFile:
        """The same for a file."""
        return UnreadFile(path=path, reason=self.reason, detail=self.why)


UNPARSED = Unreadable("it cannot be parsed", UnreadReason.NOT_PARSED)


@dataclass(frozen=True)
class Examined:
    """What an analyser could look at, and what of the files of its kind it could not, wholly or in part.

    `others` counts the files of other kinds. What the capture left out is `skipped`: everybody knows of that. Of
    `partly` something was looked at, and a finding says what was not. Of `parsed` data files the syntax was checked.
    `gone` are files that the change deletes: what stood in them may have moved. `unmatched` is output that fits no
    pattern.
    """

    files: tuple[SourceFile, ...]
    unread: tuple[UnreadFile, ...] = ()
    others: int = 0
    skipped: tuple[UnreadFile, ...] = ()
    partly: tuple[UnreadFile, ...] = ()
    parsed: tuple[str, ...] = ()
    gone: tuple[FileChange, ...] = ()
    unmatched: str = ""

    @property
    def left_out(self) -> tuple[str, ...]:
        """A sentence for each file that was not looked at."""
        return tuple(
            f"{file.path} was not looked at: {file.detail}."
            for file in (*self.skipped, *self.unread)
        )

    @property
    def coverage(self) -> Coverage:
        """The same, as a reply says it."""
        unread = (*self.unread, *self.partly)
        paths = {file.path for file in unread}
        read = tuple(file.path for file in self.files if file.path not in paths)
        return Coverage(read=read, unread=unread, parsed=self.parsed, unmatched=self.unmatched)

    def without(self, unread: Iterable[UnreadFile]) -> Examined:
        """The same when files turned out to be unreadable; raises `ToolError` when nothing is left.

        Files that cannot be parsed are no failure: each is named as unread, which keeps an approval away.
        """
        more = tuple(unread)
        paths = {file.path for file in more}
        files = tuple(file for file in self.files if file.path not in paths)
        left = replace(self, files=files, unread=(*self.unread, *more))
        if not files and {file.reason for file in more} - {UnreadReason.NOT_PARSED}:
            raise ToolError(_nothing(left))
        return left


def python_sources(subject: Subject, documents: Documents) -> Examined:
    """The change's Python files, with those that cannot be read; raises `ToolError` when it has none."""
    examined = sources(subject, documents, lambda file: file.is_python)
    if not examined.files and not examined.unread:
        raise ToolError(_nothing(examined))
    return examined


def _nothing(examined: Examined) -> str:
    why = " ".join(examined.left_out) or "no Python file in this change"
    return Sentence("Nothing analysed: {why}.", why=why.rstrip("."))


def sources(
    subject: Subject, documents: Documents, wanted: Callable[[FileChange], bool]
) -> Examined:
    """The text files of the change that `wanted` picks, and what was left out of them."""
    files: list[SourceFile] = []
    unread: list[UnreadFile] = []
    skipped: list[UnreadFile] = []
    gone: list[FileChange] = []
    others = 0
    for change in subject.files:
        if change.status == "deleted":
            gone += [change] if wanted(change) else []
            continue
        if not wanted(change):
            others += 1
            continue
        source = read_change(change, documents)
        if isinstance(source, SourceFile):
            files.append(source)
        else:
            (unread if change.skipped is None else skipped).append(source.of(change.path))
    return Examined(tuple(files), tuple(unread), others, tuple(skipped), gone=tuple(gone))


def read_change(change: FileChange, documents: Documents) -> SourceFile | Unreadable:
    """The reviewed state of one file, or the reason why it cannot be looked at."""
    if problem := path_problem(change.path):
        return Unreadable(problem, UnreadReason.UNUSABLE_NAME)
    if change.skipped is not None:
        return Unreadable(change.skipped, change.unread or UnreadReason.NOT_SHOWN)
    if change.after is None:
        return Unreadable("it has no content", UnreadReason.NO_CONTENT)
    return read_source(change, documents.get(change.after))


def read_source(change: FileChange, data: bytes) -> SourceFile | Unreadable:
    """The file as text, or the reason why it cannot be read as such."""
    if len(data) > MAX_TEXT_BYTES:
        return Unreadable("it is too large", UnreadReason.TOO_LARGE)
    if b"\0" in data:
        return Unreadable("it is binary", UnreadReason.BINARY)
    text = decode(data, python=change.is_python)
    if text is None:
        known = python_encoding(data) == "utf-8"
        why = "it is not valid UTF-8" if known else "its text cannot be decoded as Python does"
        return Unreadable(why, UnreadReason.UNDECODABLE)
    lines = tuple(line.removesuffix("\r") for line in text.split("\n"))
    return SourceFile(change, text, lines, _numbers(lines), text.encode() == data)


def _numbers(lines: tuple[str, ...]) -> tuple[int, ...]:
    """git's line number of every line that a program counts; nothing where both count alike."""
    if not any("\r" in line for line in lines):
        return ()
    return tuple(
        number for number, line in enumerate(lines, 1) for _ in range(line.count("\r") + 1)
    )

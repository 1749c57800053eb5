"""Unified diffs, read strictly: every line of a hunk is accounted for, or its number is reported.

Works on bytes, because a diff may hold files of any encoding. Accepts what `git diff`, `git show`, `git
format-patch` and `diff -u` write, with text between the files.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from shared.errors import SubjectError
from shared.git.names import file_name, git_names, unquote, without_prefixes
from shared.patterns import regex

_HUNK = regex(rb"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@([^\n]*)")
_NO_END = b"\\ No newline at end of file\n"
_EXTENDED = (
    *(b"old mode ", b"new mode ", b"deleted file mode ", b"new file mode ", b"copy from "),
    *(b"copy to ", b"rename from ", b"rename to ", b"similarity index "),
    *(b"dissimilarity index ", b"index "),
)
# Between two files is prose for us and for git; `patch` looks for changes of other forms in it.
_FOREIGN = (
    (regex(rb"\*\*\* [^\n]*\n--- [^\n]*\n\*{15}"), "a context diff"),
    (regex(rb"\d+(?:,\d+)?[acd]\d+(?:,\d+)?\r?\n[<>] "), "a diff without context lines"),
    (regex(rb"[ \tX-]+--- [^\n]*\n[ \tX-]+\+\+\+ [^\n]*\n[ \tX-]+@@ -"), "an indented diff"),
)


class BrokenPatch(SubjectError):
    """A diff that cannot be read; `line` counts from 1."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


@dataclass(frozen=True)
class HunkLine:
    """One line of a hunk: `tag` is b" ", b"-" or b"+"; `text` has its newline, unless the file had none."""

    tag: bytes
    text: bytes

    @property
    def shown(self) -> bytes:
        """As a diff shows it."""
        shown = self.tag + self.text
        return shown if shown.endswith(b"\n") else shown + b"\n" + _NO_END


@dataclass(frozen=True)
class Hunk:
    """A piece of a change. The numbers are what the header says; `heading` is what follows them there."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    lines: tuple[HunkLine, ...] = ()
    heading: bytes = b""

    @property
    def counts(self) -> tuple[int, int]:
        """How many lines there are of the old and of the new state, whatever the header says."""
        old = sum(line.tag != b"+" for line in self.lines)
        return old, sum(line.tag != b"-" for line in self.lines)

    @property
    def text(self) -> bytes:
        """As a diff shows it, with a header that counts right."""
        old, new = self.counts
        spans = _span(self.old_start, old), _span(self.new_start, new)
        header = b"@@ -%b +%b @@%b\n" % (*spans, self.heading)
        return header + b"".join(line.shown for line in self.lines)


def _span(start: int, count: int) -> bytes:
    return b"%d" % start if count == 1 else b"%d,%d" % (start, count)


@dataclass(frozen=True)
class FilePatch:
    """The change of one file. `old` or `new` is None for a file that was added (or `copied`) or deleted.

    `text` is the part of the diff that says so. Modes are git's octal words, `blobs` the ids of the two contents; None
    when not mentioned.
    """

    old: bytes | None
    new: bytes | None
    hunks: tuple[Hunk, ...] = ()
    binary: bool = False
    copied: bool = False
    old_mode: bytes | None = None
    new_mode: bytes | None = None
    blobs: tuple[str, str] | None = None
    text: bytes = b""

    @property
    def path(self) -> bytes:
        """The name of the file in the reviewed state, or its last one."""
        return self.new if self.new is not None else self.old or b""


def hunk_of(header: bytes) -> Hunk | None:
    """The hunk that a header announces, without its lines; None for any other line."""
    match = _HUNK.match(header)
    if match is None:
        return None
    old_start, old, new_start, new = (
        int(group) if group is not None else 1 for group in match.groups()[:4]
    )
    return Hunk(old_start, old, new_start, new, heading=match[5])


def split_lines(data: bytes) -> list[bytes]:
    """The lines with their endings; only a line feed ends a line, as in git."""
    lines = data.split(b"\n")
    last = lines.pop()
    return [line + b"\n" for line in lines] + ([last] if last else [])


def parse_patch(data: bytes) -> tuple[FilePatch, ...]:
    """The files of a diff in their order. Raises BrokenPatch with the number of the first bad line."""
    reader = _PatchReader(split_lines(data))
    files = []
    while reader.find_file():
        files.append(reader.read_file())
    if not files:
        raise BrokenPatch(
            1, "this is not a unified diff: no `diff --git` and no `---`/`+++` lines."
        )
    return tuple(files)


def parse_hunks(data: bytes) -> tuple[bytes, tuple[Hunk, ...]]:
    """What stands before the first hunk of one file's diff, and its hunks. Raises BrokenPatch."""
    return _PatchReader(split_lines(data)).read_hunks()


class _PatchReader:
    """A position in the lines of a diff."""

    def __init__(self, lines: list[bytes]) -> None:
        self._lines = lines
        self._at = 0
        # Unquoted names with blanks cannot be told apart in a `diff --git` line, unless they are the same.
        self._sure = False

    def find_file(self) -> bool:
        """Go to the next file's first line; False at the end."""
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.startswith(b"diff --git ") or self._is_name_pair():
                return True
            if line.startswith((b"diff --cc ", b"diff --combined ", b"@@@ ")):
                raise self._broken(
                    "this is the combined diff of a merge. Make one against a single parent, "
                    "for example with `git diff HEAD^1 HEAD`."
                )
            if foreign := self._foreign():
                raise self._broken(
                    f"{foreign}, which `patch` would apply and nobody would have read. Make a unified "
                    "diff of it, or take it out."
                )
            if line.startswith(b"@@ -"):
                raise self._broken("a hunk without the `---` and `+++` lines of its file.")
            self._at += 1
        return False

    def read_file(self) -> FilePatch:
        """The file at this position."""
        start = self._at
        self._sure = False
        patch = FilePatch(None, None)
        if self._peek().startswith(b"diff --git "):
            patch = self._read_git_header()
        if self._is_name_pair():
            patch = self._read_names(patch)
            hunks = (self._read_hunk(), *self._read_more_hunks())
            self._check_end_of_hunks()
            patch = replace(patch, hunks=hunks)
        elif self._peek().startswith((b"Binary files ", b"GIT binary patch")):
            patch = replace(patch, binary=True)
            self._at += 1
            while self._at < len(self._lines) and not self._starts_file():
                self._at += 1
        return replace(patch, text=b"".join(self._lines[start : self._at]))

    def read_hunks(self) -> tuple[bytes, tuple[Hunk, ...]]:
        """The lines before the first hunk, and the hunks."""
        while self._at < len(self._lines) and not hunk_of(self._peek()):
            self._at += 1
        header = b"".join(self._lines[: self._at])
        return header, tuple(self._read_more_hunks())

    def _read_more_hunks(self) -> Iterator[Hunk]:
        while self._peek().startswith(b"@@"):
            yield self._read_hunk()

    def _read_git_header(self) -> FilePatch:
        names = git_names(self._peek())
        if names is None:
            raise self._broken("the `diff --git` line does not name two files.")
        self._at += 1
        old, new = names
        self._sure = old == new
        words = self._read_extended()
        blobs, _, mode = words.get(b"index", b"").partition(b" ")
        before, _, after = blobs.decode("ascii", "replace").partition("..")
        moved = words.get(b"rename from", words.get(b"copy from"))
        if moved is not None:
            self._sure = True
            old = unquote(moved)
            new = unquote(words.get(b"rename to", words.get(b"copy to", moved)))
        added = b"new file mode" in words or b"copy from" in words
        return FilePatch(
            None if added else old,
            None if b"deleted file mode" in words else new,
            copied=b"copy from" in words,
            old_mode=words.get(b"old mode", words.get(b"deleted file mode", mode or None)),
            new_mode=words.get(b"new mode", words.get(b"new file mode", mode or None)),
            blobs=(before, after) if after else None,
        )

    def _read_extended(self) -> dict[bytes, bytes]:
        """The lines between `diff --git` and `---`, by their words."""
        words: dict[bytes, bytes] = {}
        while line := next((p for p in _EXTENDED if self._peek().startswith(p)), None):
            words[line.strip()] = self._take().removeprefix(line).rstrip(b"\r\n")
        return words

    def _read_names(self, patch: FilePatch) -> FilePatch:
        number = self._at + 1
        named = file_name(self._take()[4:]), file_name(self._take()[4:])
        old, new = without_prefixes(*named)
        if patch.old is None and patch.new is None:
            if old is None and new is None:
                raise BrokenPatch(number, "both sides are /dev/null.")
            return replace(patch, old=_inside(old, new), new=new)
        # A git header has said which side is missing; names in `---` and `+++` are the surer ones.
        if self._sure and not any(_agree(patch, pair) for pair in (named, (old, new))):
            raise BrokenPatch(
                number,
                "the `---` and `+++` lines name another file than the `diff --git` line above them.",
            )
        return replace(patch, old=patch.old and old, new=patch.new and new)

    def _read_hunk(self) -> Hunk:
        hunk = hunk_of(self._peek())
        if hunk is None:
            raise self._broken("expected a hunk header like `@@ -1,4 +1,5 @@`.")
        number = self._at + 1
        self._at += 1
        lines: list[HunkLine] = []
        old_left, new_left = hunk.old_count, hunk.new_count
        while old_left or new_left:
            line = self._read_hunk_line(number)
            old_left -= line.tag != b"+"
            new_left -= line.tag != b"-"
            if min(old_left, new_left) < 0:
                self._at -= 1
                raise self._broken(f"the hunk has more lines than its header (line {number}) says.")
            lines.append(line)
            if self._peek().startswith(b"\\"):
                lines[-1] = replace(line, text=line.text.removesuffix(b"\n"))
                self._at += 1
        return replace(hunk, lines=tuple(lines))

    def _read_hunk_line(self, header: int) -> HunkLine:
        if self._at >= len(self._lines):
            raise self._broken(f"the diff ends in the middle of the hunk of line {header}.")
        line = self._peek()
        # Editors strip the blank of an empty context line, and git still reads it.
        if line in (b"\n", b"\r\n"):
            self._at += 1
            return HunkLine(b" ", line)
        if line[:1] not in (b" ", b"-", b"+"):
            raise self._broken(
                "expected a line that begins with a blank, `+` or `-` (the hunk of line "
                f"{header} is not complete)."
            )
        self._at += 1
        return HunkLine(line[:1], line[1:])

    def _check_end_of_hunks(self) -> None:
        line = self._peek()
        if self._starts_file() or line.rstrip() == b"--":
            return
        if line[:1] in (b" ", b"-", b"+"):
            raise self._broken("the hunk before has more lines than its header says.")

    def _foreign(self) -> str | None:
        """The form of a diff that begins here and is not read as one."""
        here = b"".join(self._lines[self._at : self._at + 3])
        return next((name for form, name in _FOREIGN if form.match(here)), None)

    def _starts_file(self) -> bool:
        return self._peek().startswith(b"diff ") or self._is_name_pair()

    def _is_name_pair(self) -> bool:
        return (
            self._peek().startswith(b"--- ")
            and self._at + 1 < len(self._lines)
            and self._lines[self._at + 1].startswith(b"+++ ")
        )

    def _peek(self) -> bytes:
        return self._lines[self._at] if self._at < len(self._lines) else b""

    def _take(self) -> bytes:
        self._at += 1
        return self._lines[self._at - 1]

    def _broken(self, reason: str) -> BrokenPatch:
        return BrokenPatch(min(self._at + 1, len(self._lines) or 1), reason)


def _inside(old: bytes | None, new: bytes | None) -> bytes | None:
    """The old name; where the old side of `diff -r ../before .` lay is nothing to the change."""
    return new if old is not None and new is not None and old.startswith(b"../") else old


def _agree(patch: FilePatch, named: tuple[bytes | None, bytes | None]) -> bool:
    """True when the names that are stated twice are the same; None is /dev/null."""
    stated = (patch.old, patch.new)
    return all(None in pair or pair[0] == pair[1] for pair in zip(stated, named, strict=True))

"""Unified diffs, read strictly: every line of a hunk is accounted for, or its number is reported.

Works on bytes, because a diff may hold files of any encoding. Accepts what `git diff`, `git show`, `git
format-patch` and `diff -u` write, with text between the files.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from shared.errors import SubjectError

_HUNK = re.compile(rb"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_QUOTED = re.compile(rb'"((?:[^"\\]|\\.)*)"')
_PREFIXED = re.compile(rb"(?:[abciow12])/(?=.)", re.DOTALL)
_EXTENDED = (
    b"old mode ",
    b"new mode ",
    b"deleted file mode ",
    b"new file mode ",
    b"copy from ",
    b"copy to ",
    b"rename from ",
    b"rename to ",
    b"similarity index ",
    b"dissimilarity index ",
    b"index ",
)
# Between two files is prose for us and for git; `patch` looks for changes of other forms in it.
_FOREIGN = (
    (re.compile(rb"\*\*\* [^\n]*\n--- [^\n]*\n\*{15}"), "a context diff"),
    (re.compile(rb"\d+(?:,\d+)?[acd]\d+(?:,\d+)?\r?\n[<>] "), "a diff without context lines"),
    (re.compile(rb"[ \tX-]+--- [^\n]*\n[ \tX-]+\+\+\+ [^\n]*\n[ \tX-]+@@ -"), "an indented diff"),
)
_ESCAPES = {
    b"a": b"\a",
    b"b": b"\b",
    b"f": b"\f",
    b"n": b"\n",
    b"r": b"\r",
    b"t": b"\t",
    b"v": b"\v",
}


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


@dataclass(frozen=True)
class Hunk:
    """A piece of a change; `old_start` and `new_start` are what the header says."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    lines: tuple[HunkLine, ...]


@dataclass(frozen=True)
class FilePatch:
    """The change of one file. `old` or `new` is None for a file that was added (or `copied`) or deleted.

    `text` is the part of the diff that says so. Modes are git's octal words; None when not mentioned.
    """

    old: bytes | None
    new: bytes | None
    hunks: tuple[Hunk, ...] = ()
    binary: bool = False
    copied: bool = False
    old_mode: bytes | None = None
    new_mode: bytes | None = None
    text: bytes = b""

    @property
    def path(self) -> bytes:
        """The name of the file in the reviewed state, or its last one."""
        return self.new if self.new is not None else self.old or b""


def split_lines(data: bytes) -> list[bytes]:
    """The lines with their endings; only a line feed ends a line, as in git."""
    lines = data.split(b"\n")
    last = lines.pop()
    return [line + b"\n" for line in lines] + ([last] if last else [])


def parse_patch(data: bytes) -> tuple[FilePatch, ...]:
    """The files of a diff in their order. Raises BrokenPatch with the number of the first bad line."""
    reader = _Reader(split_lines(data))
    files = []
    while reader.find_file():
        files.append(reader.read_file())
    if not files:
        raise BrokenPatch(1, "this is no unified diff: no `diff --git` and no `---`/`+++` lines.")
    return tuple(files)


class _Reader:
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
            hunks = [self._read_hunk()]
            while self._peek().startswith(b"@@"):
                hunks.append(self._read_hunk())
            self._check_end_of_hunks()
            patch = replace(patch, hunks=tuple(hunks))
        elif self._peek().startswith((b"Binary files ", b"GIT binary patch")):
            patch = replace(patch, binary=True)
            self._at += 1
            while self._at < len(self._lines) and not self._starts_file():
                self._at += 1
        return replace(patch, text=b"".join(self._lines[start : self._at]))

    def _read_git_header(self) -> FilePatch:
        number = self._at + 1
        old, new = _git_names(self._take(), number)
        self._sure = old == new
        words: dict[bytes, bytes] = {}
        while line := next((p for p in _EXTENDED if self._peek().startswith(p)), None):
            words[line.strip()] = self._take().removeprefix(line).rstrip(b"\r\n")
        old_mode = words.get(b"old mode", words.get(b"deleted file mode"))
        new_mode = words.get(b"new mode", words.get(b"new file mode"))
        mode = words.get(b"index", b"").partition(b" ")[2] or None
        moved = words.get(b"rename from", words.get(b"copy from"))
        if moved is not None:
            self._sure = True
            old = _unquote(moved)
            new = _unquote(words.get(b"rename to", words.get(b"copy to", moved)))
        return FilePatch(
            None if b"new file mode" in words or b"copy from" in words else old,
            None if b"deleted file mode" in words else new,
            copied=b"copy from" in words,
            old_mode=old_mode or mode,
            new_mode=new_mode or mode,
        )

    def _read_names(self, patch: FilePatch) -> FilePatch:
        named = _file_name(self._take()[4:]), _file_name(self._take()[4:])
        old, new = named
        if patch.old is None and patch.new is None:
            if old is None and new is None:
                self._at -= 2
                raise self._broken("both sides are /dev/null.")
            old, new = _without_prefixes(old, new)
            return replace(patch, old=old, new=new)
        # A git header has said which side is missing; names in `---` and `+++` are the surer ones.
        old, new = _without_prefixes(old, new)
        if self._sure and not any(_agree(patch, pair) for pair in (named, (old, new))):
            self._at -= 2
            raise self._broken(
                "the `---` and `+++` lines name another file than the `diff --git` line above them."
            )
        return replace(
            patch,
            old=None if patch.old is None or old is None else old,
            new=None if patch.new is None or new is None else new,
        )

    def _read_hunk(self) -> Hunk:
        header = _HUNK.match(self._peek())
        if header is None:
            raise self._broken("expected a hunk header like `@@ -1,4 +1,5 @@`.")
        number = self._at + 1
        old_start, old, new_start, new = (
            int(group) if group is not None else 1 for group in header.groups()
        )
        self._at += 1
        lines: list[HunkLine] = []
        old_left, new_left = old, new
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
        return Hunk(old_start, old, new_start, new, tuple(lines))

    def _read_hunk_line(self, header: int) -> HunkLine:
        if self._at >= len(self._lines):
            raise self._broken(f"the diff ends in the middle of the hunk of line {header}.")
        line = self._peek()
        # Editors strip the blank of an empty context line, and git reads it all the same.
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


def _agree(patch: FilePatch, named: tuple[bytes | None, bytes | None]) -> bool:
    """True when the names that are stated twice are the same; None is /dev/null."""
    stated = (patch.old, patch.new)
    return all(None in pair or pair[0] == pair[1] for pair in zip(stated, named, strict=True))


def _git_names(line: bytes, number: int) -> tuple[bytes, bytes]:
    """Both names of a `diff --git` line. Unquoted ones with blanks are told apart by being equal."""
    rest = line.removeprefix(b"diff --git ").rstrip(b"\r\n")
    if rest.startswith(b'"') and (first := _QUOTED.match(rest)):
        pair = (_unquote(first[0]), _unquote(rest[first.end() + 1 :]))
    elif rest.endswith(b'"') and (cut := rest.find(b' "')) > 0:
        pair = (rest[:cut], _unquote(rest[cut + 1 :]))
    else:
        pair = _halves(rest)
    if not all(pair):
        raise BrokenPatch(number, "the `diff --git` line does not name two files.")
    return _without_both_prefixes(*pair)


def _halves(rest: bytes) -> tuple[bytes, bytes]:
    middle = len(rest) // 2
    left, right = rest[:middle], rest[middle + 1 :]
    stripped = _without_both_prefixes(left, right)
    if rest[middle : middle + 1] == b" " and stripped[0] == stripped[1]:
        return left, right
    left, _, right = rest.partition(b" ")
    return left, right


def _file_name(rest: bytes) -> bytes | None:
    """The name in a `---` or `+++` line (a tab ends it, a time may follow); None for /dev/null."""
    rest = rest.rstrip(b"\r\n")
    if not rest.startswith(b'"'):
        rest = rest.partition(b"\t")[0]
    name = _unquote(rest)
    return None if name == b"/dev/null" else name


def _without_prefixes(old: bytes | None, new: bytes | None) -> tuple[bytes | None, bytes | None]:
    if all(name is None or _PREFIXED.match(name) for name in (old, new)):
        return (old and old[2:], new and new[2:])
    return old, new


def _without_both_prefixes(old: bytes, new: bytes) -> tuple[bytes, bytes]:
    return (old[2:], new[2:]) if _PREFIXED.match(old) and _PREFIXED.match(new) else (old, new)


def _unquote(name: bytes) -> bytes:
    quoted = _QUOTED.match(name)
    if quoted is None:
        return name

    def character(found: re.Match[bytes]) -> bytes:
        escape = found[1]
        return bytes([int(escape, 8) & 255]) if escape.isdigit() else _ESCAPES.get(escape, escape)

    return re.sub(rb"\\([0-7]{3}|.)", character, quoted[1])


def quote(name: bytes) -> bytes:
    """The name as git writes it in a diff: quoted when it holds a quotation mark or a control character."""
    if not any(byte < 0x20 or byte in b'"\\\x7f' for byte in name):
        return name
    named = {value[0]: b"\\" + letter for letter, value in _ESCAPES.items()}
    named |= {ord('"'): b'\\"', ord("\\"): b"\\\\"}
    return (
        b'"'
        + b"".join(
            named.get(b, b"\\%03o" % b if b < 0x20 or b == 0x7F else bytes([b])) for b in name
        )
        + b'"'
    )

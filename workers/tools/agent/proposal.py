"""A participant's patch, read loosely: what it does to which file. git never sees a header that its author wrote."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from shared.git.names import git_names
from workers.tools.fixes.patches import ProposedFile, guarded, hunks_of, name_of, unreadable

NOTHING = "/dev/null"
SIGNATURE = re.compile(r"\n-- \n\d[^\n]*\n*\Z")  # what `git format-patch` ends with
NEW_MODES = frozenset({"100644", "100755"})
REFUSED_HEADERS = {
    "GIT binary patch": "it is a binary patch",
    "Binary files ": "it is a binary patch",
    "copy from ": "it copies a file: write what is in the copy",
    "old mode ": "it changes a file's mode",
    "new mode ": "it changes a file's mode",
}
RENAMED = ("rename from ", "rename to ")
WHOLE_HEADERS = (*RENAMED, "new file mode ", "deleted file mode ")
"""With one of these a header says all that happens to a file, without a hunk."""


@dataclass(frozen=True)
class ProposedChange:
    """What a patch does to a file: `old` is None for a new one, `new` for a removed one; they differ for a rename."""

    old: str | None
    new: str | None
    file: ProposedFile
    executable: bool = False


@dataclass
class _Section:
    """The lines of a file: those before its first hunk, and the rest."""

    header: list[str] = field(default_factory=list)
    body: list[str] = field(default_factory=list)

    @property
    def is_named(self) -> bool:
        return any(line.startswith("+++ ") for line in self.header)

    def word(self, start: str) -> str | None:
        """What follows the words in the header."""
        lines = (line for line in self.header if line.startswith(start))
        line = next(lines, None)
        return None if line is None else line[len(start) :].strip()


def read_proposal(patch: str) -> tuple[ProposedChange, ...] | str:
    """The changes in their order, or why the patch is refused."""
    if refusal := unreadable(patch):
        return refusal
    changes: list[ProposedChange] = []
    for section in _sections(_lines(patch)):
        change = _change(section)
        if isinstance(change, str):
            return change
        changes.append(change)
    return tuple(changes) or "it names no file: a unified diff was expected"


def _lines(patch: str) -> list[str]:
    lines = SIGNATURE.sub("\n", patch).strip("\n").split("\n")
    if all(line.endswith("\r") for line in lines[:-1]) and len(lines) > 1:
        return [line.removesuffix("\r") for line in lines]
    return lines


def _sections(lines: list[str]) -> Iterator[_Section]:
    section: _Section | None = None
    for number, line in enumerate(lines):
        if line.startswith("diff --git ") or _begins(section, lines, number):
            if section is not None:
                yield section
            section = _Section()
        if section is not None:
            in_header = not section.body and not line.startswith("@@ ")
            (section.header if in_header else section.body).append(line)
    if section is not None:
        yield section


def _begins(section: _Section | None, lines: list[str], number: int) -> bool:
    """Whether a file begins with its names: those below a `diff --git` line belong to that one.

    A rename, an empty file or a removal is whole without them: there other names are those of the next file.
    """
    if not _is_pair(lines, number):
        return False
    if section is None or section.is_named or section.body:
        return True
    if all(section.word(start) is None for start in WHOLE_HEADERS):
        return False
    own = {_stated(section, side) for side in range(2)}
    named = {name_of(line) for line in lines[number : number + 2]} - {NOTHING}
    return not named <= own


def _is_pair(lines: list[str], number: int) -> bool:
    """Whether the names of a file stand here: a line of a hunk may begin so, too, but then no hunk follows."""
    starts = ("--- ", "+++ ", "@@ ")
    here = lines[number : number + 3]
    return len(here) == 3 and all(map(str.startswith, here, starts))


def _change(section: _Section) -> ProposedChange | str:
    old = _name(section, "--- ", "new file mode ", 0)
    new = _name(section, "+++ ", "deleted file mode ", 1)
    paths = [path for path in (old, new) if path is not None]
    if "" in paths or not paths:
        return "it does not say which file it changes"
    if reason := _refused_header(section) or _guard(paths):
        return reason
    mode = section.word("new file mode ") or "100644"
    if mode not in NEW_MODES:
        return f"{new}: it would be no plain file"
    file = ProposedFile(paths[-1], hunks_of(section.body))
    return ProposedChange(old, new, file, executable=mode == "100755")


def _refused_header(section: _Section) -> str | None:
    refused = (why for start, why in REFUSED_HEADERS.items() if section.word(start) is not None)
    return next(refused, None)


def _guard(paths: Iterable[str]) -> str | None:
    """Why one of these may not be touched, or None."""
    problems = ((path, guarded(path)) for path in paths)
    return next((f"{path}: {problem}" for path, problem in problems if problem), None)


def _name(section: _Section, named: str, absent: str, side: int) -> str | None:
    """The name before or after: None where there is no file, empty where nothing names it."""
    if section.word(absent) is not None:
        return None
    line = next((line for line in section.header if line.startswith(named)), None)
    if line is not None:
        name = name_of(line)
        return None if name == NOTHING else name
    return _stated(section, side)


def _stated(section: _Section, side: int) -> str:
    """The name before or after as the lines above the hunks say it."""
    stated = git_names(section.header[0].encode()) or (b"", b"")
    return section.word(RENAMED[side]) or stated[side].decode()

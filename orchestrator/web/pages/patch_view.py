"""A patch for the eye: its files and hunks with line numbers, each line in colours, and old beside new.

Nothing of the patch is left out, and what a reader could miss is spelled out, as at the terminal
(`core.document.exact`): a person approves exactly this. A text that cannot be read as a patch is shown as it is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest

from markupsafe import Markup

from orchestrator.core.lines import patch_rows
from orchestrator.web.pages.highlighting import Piece, emphasised, markup, pieces
from shared.git.patch import BrokenPatch, FilePatch, Hunk, parse_patch, split_lines

MOST_BESIDE = 4_000
"""Rows of a patch beyond which old and new are not shown beside one another."""

CONTEXT, ADDED, REMOVED, NOTE = "context", "added", "removed", "note"
_KINDS = {" ": CONTEXT, "+": ADDED, "-": REMOVED}


@dataclass(frozen=True)
class PatchRow:
    """A line of a hunk with its numbers; a `note` is git's own (`\\ No newline at end of file`)."""

    kind: str
    old: int | None
    new: int | None
    code: Markup

    @property
    def sign(self) -> str:
        """What a diff begins it with."""
        return {ADDED: "+", REMOVED: "-"}.get(self.kind, " ")


@dataclass(frozen=True)
class PatchHunk:
    """A piece of the change."""

    header: str
    rows: tuple[PatchRow, ...]

    @property
    def pairs(self) -> tuple[tuple[PatchRow | None, PatchRow | None], ...]:
        """Old and new beside one another; what was only removed or only added stands alone."""
        paired: list[tuple[PatchRow | None, PatchRow | None]] = []
        for changed, group in groupby(self.rows, lambda row: row.kind in (ADDED, REMOVED)):
            rows = list(group)
            if not changed:
                paired += [(row, row) for row in rows]
                continue
            old = [row for row in rows if row.kind == REMOVED]
            paired += zip_longest(old, (row for row in rows if row.kind == ADDED))
        return tuple(paired)


@dataclass(frozen=True)
class PatchedFile:
    """The change of one file; `head` are git's lines before the first hunk."""

    name: str
    head: tuple[str, ...]
    hunks: tuple[PatchHunk, ...]

    @property
    def added(self) -> int:
        """How many lines are new."""
        return self._count(ADDED)

    @property
    def removed(self) -> int:
        """How many lines go."""
        return self._count(REMOVED)

    def _count(self, kind: str) -> int:
        return sum(row.kind == kind for hunk in self.hunks for row in hunk.rows)


@dataclass(frozen=True)
class PatchView:
    """A patch by files; `verbatim` where it cannot be read as one."""

    files: tuple[PatchedFile, ...] = ()
    verbatim: tuple[str, ...] = ()
    digest: str = ""

    @property
    def beside(self) -> bool:
        """Whether it is short enough to be shown twice, in one column and in two."""
        rows = sum(len(hunk.rows) for file in self.files for hunk in file.hunks)
        return bool(self.files) and rows <= MOST_BESIDE

    @classmethod
    def of(cls, text: str) -> PatchView:
        """The patch of that text."""
        data = text.encode("utf-8", "surrogatepass")
        try:
            files = parse_patch(data)
        except BrokenPatch:
            return cls(verbatim=tuple(patch_rows(text)))
        shown = [_file(file) for file in files]
        if b"".join(file.text for file in files) != data or None in shown:
            return cls(verbatim=tuple(patch_rows(text)))
        read = tuple(file for file in shown if file is not None)
        return cls(read, digest=hashlib.sha256(data).hexdigest()[:12])


def _file(file: FilePatch) -> PatchedFile | None:
    """The file with every line of its part of the patch; None where that holds more than hunks."""
    name = _shown(file.path)[0]
    head, hunk, rest = file.text.partition(b"\n@@ ")
    lines = split_lines(b"@@ " + rest) if hunk else []
    hunks = []
    for each in file.hunks:
        body = split_lines(each.text)[1:]
        own, lines = lines[: 1 + len(body)], lines[1 + len(body) :]
        if not own or own[1:] != body:
            return None
        hunks.append(_hunk(each, b"".join(own), name))
    head = head + b"\n" if hunk else head
    return None if lines else PatchedFile(name, tuple(_shown(head)), tuple(hunks))


def _shown(data: bytes) -> list[str]:
    return patch_rows(data.decode("utf-8", "surrogatepass"))


def _hunk(hunk: Hunk, text: bytes, file_name: str) -> PatchHunk:
    header, *lines = _shown(text)
    kinds = [_KINDS.get(line[:1], NOTE) for line in lines]
    texts = [line if kind == NOTE else line[1:] for kind, line in zip(kinds, lines, strict=True)]
    sides = {
        left_out: iter(
            pieces(
                [t for k, t in zip(kinds, texts, strict=True) if k not in (left_out, NOTE)] or [""],
                file_name=file_name,
            )
        )
        for left_out in (ADDED, REMOVED)
    }
    coloured = [_taken(sides, kind, text) for kind, text in zip(kinds, texts, strict=True)]
    codes = _emphasised(kinds, texts, coloured)
    return PatchHunk(header, tuple(_numbered(hunk, kinds, codes)))


def _taken(sides: dict[str, Iterator[list[Piece]]], kind: str, text: str) -> list[Piece]:
    """The line in the colours of the side that it is of; the context is on both."""
    if kind == NOTE:
        return [("", text)]
    old = next(sides[ADDED]) if kind != ADDED else []
    new = next(sides[REMOVED]) if kind != REMOVED else []
    return new or old


def _emphasised(
    kinds: Sequence[str], texts: Sequence[str], coloured: Sequence[list[Piece]]
) -> list[str]:
    """Each line as markup; of a line that took the place of another one, what is different is marked."""
    codes = [markup(row) for row in coloured]
    for before, after in _replaced(kinds):
        start, ends = _difference(texts[before], texts[after])
        for at, end in zip((before, after), ends, strict=True):
            codes[at] = emphasised(coloured[at], start, end)
    return codes


def _replaced(kinds: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The lines that as many others took the place of, each with its own."""
    for changed, group in groupby(range(len(kinds)), lambda at: kinds[at] in (ADDED, REMOVED)):
        places = list(group) if changed else []
        old = [at for at in places if kinds[at] == REMOVED]
        new = [at for at in places if kinds[at] == ADDED]
        if len(old) == len(new):
            yield from zip(old, new, strict=True)


def _difference(old: str, new: str) -> tuple[int, tuple[int, int]]:
    """Where two lines begin to differ, and where that ends in each; nothing where they have little in common."""
    least = min(len(old), len(new))
    start = next((at for at in range(least) if old[at] != new[at]), least)
    same = next((n for n in range(least - start) if old[-1 - n] != new[-1 - n]), least - start)
    if start + same < max(len(old), len(new)) / 3:
        return 0, (0, 0)
    return start, (len(old) - same, len(new) - same)


def _numbered(hunk: Hunk, kinds: Sequence[str], codes: Sequence[str]) -> Iterator[PatchRow]:
    old, new = hunk.old_start, hunk.new_start
    for kind, code in zip(kinds, codes, strict=True):
        yield PatchRow(
            kind,
            old if kind in (CONTEXT, REMOVED) else None,
            new if kind in (CONTEXT, ADDED) else None,
            Markup(code),  # noqa: S704 - escaped by highlighting.py
        )
        old += kind in (CONTEXT, REMOVED)
        new += kind in (CONTEXT, ADDED)

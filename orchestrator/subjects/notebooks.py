"""Notebooks in a change: readers are given the source of their cells, at the lines of the file, and no outputs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from orchestrator.subjects.change import CapturedChange, CapturedFile
from orchestrator.subjects.secrets import added_secrets
from shared.git.hunks import CONTEXT, changed_ranges
from shared.git.patch import FilePatch, Hunk, HunkLine
from shared.models.subject import SecretLine
from shared.text.notebooks import END, SUFFIX, NotebookView, cell_at, view_of

_Line = tuple[int, str]
"""A source line, with its number in the file."""


def with_cells(change: CapturedChange) -> CapturedChange:
    """The change with views in the place of its notebooks, as far as both states are known and have one."""
    files = tuple(map(_shown, change.files))
    if files == change.files:
        return change
    diff = change.diff
    for old, new in zip(change.files, files, strict=True):
        if old is not new and old.patch is not None:
            diff = diff.replace(old.patch.text, new.patch.text if new.patch else b"", 1)
    return replace(change, files=files, diff=diff)


def _shown(file: CapturedFile) -> CapturedFile:
    """The file as its views, where it is a notebook whose states are known and have some."""
    if not file.path.endswith(SUFFIX) or file.left_out is not None or file.patch is None:
        return file
    before = _view(file.before, there=file.patch.old is not None)
    after = _view(file.after, there=file.patch.new is not None)
    if before is None or after is None:
        return file
    patch = _patch(file.patch, before, after)
    return replace(
        file,
        before=None if file.before is None else before.text.encode(),
        after=None if file.after is None else after.text.encode(),
        patch=patch,
        cells=(after if file.after else before).language,
        secrets=_unseen_secrets(file.patch, patch),
    )


def _view(content: bytes | None, *, there: bool) -> NotebookView | None:
    """The view of a state, an empty one where the file is not there; None where it is unknown or has none."""
    if not content:
        return None if there and content is None else NotebookView(())
    try:
        return view_of(content.decode("utf-8"))
    except UnicodeDecodeError:
        return None


def _unseen_secrets(whole: FilePatch, shown: FilePatch | None) -> tuple[SecretLine, ...]:
    """Those in outputs, which nobody is shown: a key that one of them holds is committed all the same."""
    seen = changed_ranges(shown.hunks) if shown else ()
    return tuple(
        secret for secret in added_secrets(whole) if not any(secret.line in lines for lines in seen)
    )


# ---- the difference of two views ------------------------------------------------------------------


@dataclass(frozen=True)
class _Row:
    """A line of a hunk, with the numbers of the lines that it is, or stands before."""

    tag: bytes
    old: int
    new: int
    text: str

    @property
    def is_old(self) -> bool:
        """Whether the state before has it."""
        return self.tag != b"+"

    @property
    def is_new(self) -> bool:
        """Whether the state after has it."""
        return self.tag != b"-"

    def follows(self, run: list[_Row]) -> bool:
        """Whether it comes right after the rows, in each state that has it."""
        old = next((row.old for row in reversed(run) if row.is_old), None)
        new = next((row.new for row in reversed(run) if row.is_new), None)
        fits_old = not self.is_old or old in (None, self.old - 1)
        return fits_old and (not self.is_new or new in (None, self.new - 1))


def _patch(patch: FilePatch, before: NotebookView, after: NotebookView) -> FilePatch | None:
    """The patch between the source lines of two views; None where none differs and the file keeps its name."""
    old, new = _source_lines(before), _source_lines(after)
    hunks = tuple(
        _hunk(run, after)
        for group in _matcher(old, new).get_grouped_opcodes(CONTEXT)
        for run in _runs(_rows(group, old, new))
        if any(row.tag != b" " for row in run)
    )
    header = patch.text.partition(b"\n@@ ")[0].removesuffix(b"\n") + b"\n"
    if not hunks:
        return replace(patch, hunks=(), text=header) if patch.old != patch.new else None
    return replace(patch, hunks=hunks, text=header + b"".join(hunk.text for hunk in hunks))


def _matcher(old: list[_Line], new: list[_Line]) -> SequenceMatcher[str]:
    return SequenceMatcher(None, [text for _, text in old], [text for _, text in new], False)


def _source_lines(view: NotebookView) -> list[_Line]:
    """The source lines and the names of cells, without what the view has of its own."""
    numbered = enumerate(view.lines[1:], 2)
    return [(number, line) for number, line in numbered if line not in (None, END)]


def _rows(
    group: list[tuple[str, int, int, int, int]], old: list[_Line], new: list[_Line]
) -> Iterator[_Row]:
    for kind, old_first, old_last, new_first, new_last in group:
        if kind == "equal":
            for at, other in zip(
                range(old_first, old_last), range(new_first, new_last), strict=True
            ):
                yield _Row(b" ", old[at][0], new[other][0], old[at][1])
            continue
        for at in range(old_first, old_last):
            yield _Row(b"-", old[at][0], _number(new, new_first), old[at][1])
        for at in range(new_first, new_last):
            yield _Row(b"+", _number(old, old_last), new[at][0], new[at][1])


def _number(lines: list[_Line], at: int) -> int:
    """The number of a line; of the one after the last, the number that would follow."""
    if at < len(lines):
        return lines[at][0]
    return lines[-1][0] + 1 if lines else 1


def _runs(rows: Iterator[_Row]) -> Iterator[list[_Row]]:
    """Rows whose lines follow one another in both states."""
    run: list[_Row] = []
    for row in rows:
        if run and not row.follows(run):
            yield run
            run = []
        run.append(row)
    yield run


def _hunk(rows: list[_Row], after: NotebookView) -> Hunk:
    """The hunk of a run, with its cell after the header."""
    old = [row.old for row in rows if row.is_old]
    new = [row.new for row in rows if row.is_new]
    place = cell_at(after.text, new[0]) if new else None
    # A side without lines names the line before it.
    old_start = old[0] if old else rows[0].old - 1
    new_start = new[0] if new else rows[0].new - 1
    lines = tuple(HunkLine(row.tag, row.text.encode() + b"\n") for row in rows)
    heading = b" cell %d" % place.cell if place else b""
    return Hunk(max(old_start, 0), len(old), max(new_start, 0), len(new), lines, heading)

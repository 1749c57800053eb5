"""Applying in the working tree: all files go from the reviewed to the fixed content, or none does.

`git apply` writes a file by deleting and creating it, and passes it through filters that the repository's
configuration names. The result of `git apply` is therefore computed elsewhere (`combination`). Here all new contents
are written beside their files first, where a full disk or a read-only folder shows; then each file is compared with the
reviewed content once more and replaced by one rename. An error in between takes back what was renamed. A killed
attempt leaves every file in one of the two states; a second one finishes the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from shared.errors import ToolError
from workers.tools.fixes.worktree import (
    LINK,
    clear_staged,
    read_entry,
    stage_file,
    swap_back,
    swap_file,
)

_AFTERWARDS = {
    "nothing was applied": "Nothing was applied.",
    "nothing was undone": "Nothing was undone.",
}


def apply_in_place(
    root: Path,
    before: Mapping[str, bytes],
    after: Mapping[str, bytes],
    *,
    token: str,
    what: str,
    confirm: Callable[[], None] = lambda: None,
) -> tuple[str, ...]:
    """Take every file from `before` to `after`; returns the paths that had to be written.

    `confirm` is called when all is ready.
    Raises `ToolError` with `what` was not done, having changed nothing; its words name what could not be taken back.
    """
    with all_or_none(root, before, after, token=token, what=what):
        pending = [path for path in sorted(after) if not _is_done(root, path, before, after, what)]
        for path in pending:
            stage_file(root, path, after[path], expected=before[path], token=token)
        if pending:
            confirm()
        swap_all(root, pending, before, token=token)
    return tuple(pending)


def swap_all(root: Path, paths: Sequence[str], before: Mapping[str, bytes], *, token: str) -> None:
    """Replace files whose new contents are staged."""
    for path in paths:
        swap_file(root, path, expected=before[path], token=token)


@contextmanager
def all_or_none(
    root: Path, before: Mapping[str, bytes], after: Mapping[str, bytes], *, token: str, what: str
) -> Iterator[None]:
    """Take back what was replaced, by a killed attempt too, when the block raises; leave nothing beside the files."""
    try:
        yield
    except ToolError as error:
        changed = [path for path in sorted(after) if before[path] != after[path]]
        kept = [path for path in changed if not _is_back(root, path, after[path], token)]
        if kept:
            raise ToolError(
                "{reason} What could not be put back and holds the fix already, see `git diff`: {files}.",
                reason=error.sentence,
                files=", ".join(kept),
            ) from error
        if what in str(error):
            raise
        raise ToolError("{reason} {what}", reason=error.sentence, what=_AFTERWARDS[what]) from error
    finally:
        for path in after:
            clear_staged(root, path, token)


def _is_back(root: Path, path: str, fixed: bytes, token: str) -> bool:
    """Whether a file does not hold the fix, perhaps only from now on."""
    try:
        entry = read_entry(root, path)
    except ToolError:  # something else is there now
        return True
    if entry is None or entry.mode == LINK or entry.data != fixed:
        return True
    try:
        swap_back(root, path, expected=fixed, token=token)
    except ToolError:
        return False
    return True


def _is_done(
    root: Path, path: str, before: Mapping[str, bytes], after: Mapping[str, bytes], what: str
) -> bool:
    entry = read_entry(root, path)
    if entry is None or entry.mode == LINK or entry.data not in (before[path], after[path]):
        raise ToolError("{path} changed since the review: {what}.", path=path, what=what)
    return entry.data == after[path]

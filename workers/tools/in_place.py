"""Applying in the working tree: each file goes from the reviewed to the fixed content in one step.

`git apply` writes a file by deleting and creating it, and passes it through filters that the repository's
configuration names. The result of `git apply` is therefore computed elsewhere (`combination`), and here each
file is compared with the reviewed content and replaced. Whoever is killed in between leaves every file in one
of the two states; a second attempt finishes the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from shared.errors import ToolError
from workers.tools.worktree import LINK, read_entry, replace_file


def apply_in_place(
    root: Path, before: Mapping[str, bytes], after: Mapping[str, bytes], *, token: str, what: str
) -> tuple[str, ...]:
    """Take every file from `before` to `after`; returns the paths that had to be written.

    Raises `ToolError`, with `what` was not done, when any file is in neither of its two states; then nothing
    is written at all.
    """
    pending = [path for path in sorted(after) if not _is_done(root, path, before, after, what)]
    for path in pending:
        replace_file(root, path, after[path], expected=before[path], token=token)
    return tuple(pending)


def _is_done(
    root: Path, path: str, before: Mapping[str, bytes], after: Mapping[str, bytes], what: str
) -> bool:
    entry = read_entry(root, path)
    if entry is None or entry.mode == LINK or entry.data not in (before[path], after[path]):
        raise ToolError(f"{path} changed since the review: {what}.")
    return entry.data == after[path]

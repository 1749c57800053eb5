"""The tool `undo`: take an applied fix back, if nobody worked on it since."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from shared.errors import ToolError
from shared.git.patch import FilePatch, parse_patch
from shared.models.notices import Notice, notice
from shared.models.review_replies import Applied, Undone
from shared.models.subject import Origin
from shared.tools.inputs import UndoInput
from workers.tools.fixes.bench import bench, git_blob_id
from workers.tools.fixes.branch import (
    EFFECT,
    OURS,
    move_branch,
    read_branch,
    refuse_checked_out,
    trailers,
)
from workers.tools.fixes.in_place import apply_in_place
from workers.tools.fixes.merging import render
from workers.tools.fixes.repository import FixTarget, open_target
from workers.tools.fixes.worktree import LINK, read_entry
from workers.tools.registry import Documents, ToolContext
from workers.tools.sandbox.sandbox import Countdown, scratch


def run(inputs: UndoInput, context: ToolContext) -> Undone:
    """Take back what `apply` replied; twice is once."""
    return Undone(notice=undo(inputs.applied, context.documents, context.countdown()))


def undo(applied: Applied, documents: Documents, countdown: Countdown) -> Notice:
    """Take back what `apply` did and say so; raises `ToolError`, having changed nothing, when it cannot."""
    with scratch() as home:
        repository = open_target(Origin(repository=applied.repository), home, countdown)
        if applied.branch is not None:
            return _undo_branch(applied, repository)
        if repository.root is None or not applied.undo:
            raise ToolError("There is nothing recorded that could be undone.")
        return _undo_files(applied, repository.root, documents, countdown)


def _undo_branch(applied: Applied, repository: FixTarget) -> Notice:
    branch = applied.branch or ""
    tip = _tip_of_ours(applied, repository)
    if tip is None:
        return notice("undo_gone", branch=branch)
    reading = repository.references.with_environment(
        {"GIT_OBJECT_DIRECTORY": str(repository.objects)}
    )
    # The fix may build on an earlier one of the same run: the branch goes back to that one.
    base = applied.base or ""
    earlier = base if EFFECT in trailers(reading, base) else None
    if tip == earlier:
        return notice("undo_back", branch=branch)
    if tip != applied.commit:
        raise ToolError(
            "The branch {branch} was changed since the fix: nothing was undone.", branch=branch
        )
    refuse_checked_out(repository, branch)
    if not move_branch(repository, branch, earlier, tip):
        raise ToolError("The branch {branch} moved meanwhile: nothing was undone.", branch=branch)
    if earlier:
        return notice("undo_earlier", branch=branch)
    return notice("undo_deleted", branch=branch, commit=tip[:12])


def _tip_of_ours(applied: Applied, repository: FixTarget) -> str | None:
    """Where the branch stands; raises `ToolError` unless Quorate made it."""
    branch = applied.branch or ""
    tip = read_branch(repository, branch)
    if not branch.startswith(OURS) or applied.commit is None or applied.base is None:
        raise ToolError(
            "{branch} is not a branch that Quorate made: nothing was undone.", branch=branch
        )
    return tip


def _undo_files(applied: Applied, root: Path, documents: Documents, countdown: Countdown) -> Notice:
    changes = parse_patch(documents.get(applied.undo))
    fixed: dict[str, bytes] = {}
    for change in changes:
        path, blobs = change.path.decode(), change.blobs or ("", "")
        entry = read_entry(root, path)
        blob = git_blob_id(entry.data) if entry and entry.mode != LINK else None
        if entry is None or blob not in blobs:
            raise ToolError("{path} changed since the fix: nothing was undone.", path=path)
        # What a killed attempt took back already is left as it is.
        if blob == blobs[0]:
            fixed[path] = entry.data
    if not fixed:
        return notice("undo_files_back")
    restored = _restored(changes, fixed, countdown)
    token = hashlib.sha256(applied.undo.encode()).hexdigest()
    apply_in_place(root, fixed, restored, token=token, what="nothing was undone")
    return notice("undo_files", n=len(restored))


def _restored(
    changes: Sequence[FilePatch], fixed: Mapping[str, bytes], countdown: Countdown
) -> dict[str, bytes]:
    texts = [change.text.decode() for change in changes if change.path.decode() in fixed]
    with bench(fixed, countdown) as place:
        trials = place.try_all(texts)
    edits = {path: edited for trial in trials for path, edited in trial.edits.items()}
    if edits.keys() != fixed.keys():
        raise ToolError("The recorded patch does not take the fix back: nothing was undone.")
    return {path: render(data, edits[path]) for path, data in fixed.items()}

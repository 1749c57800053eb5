"""Applying on a branch: commits are made from objects, the person's files and index are never touched."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from shared.errors import ToolError
from shared.git.process import Git
from shared.models.placeholders import MASKED
from shared.models.subject import FileChange, Subject
from workers.tools.fixes.approval import Approved
from workers.tools.fixes.bench import git_blob_id
from workers.tools.fixes.repository import FixTarget, commit_of, identity
from workers.tools.fixes.worktree import (
    EXECUTABLE,
    LINK,
    REGULAR,
    read_entry,
)
from workers.tools.registry import Documents
from workers.tools.sandbox.git import own_repository
from workers.tools.sandbox.sandbox import Countdown
from workers.tools.snapshot import check_path

EFFECT, RUN, STATE = "Quorate-Effect", "Quorate-Run", "Quorate-Reviewed-State"
OURS = ("quorate/fix-", "quorate/agent-")
"""How branches begin that Quorate makes, and may remove again."""
# How far below the tip an effect is looked for: later fixes, and what people added.
SEARCHED_COMMITS = 20
LOCKED = re.compile(r"Unable to create '([^'\n]+\.lock)': File exists")
IN_THE_WAY = re.compile(r"'refs/heads/([^'\n]+)' exists; cannot create")
CHANGED = "{path} changed since the review: nothing was applied."


@dataclass(frozen=True)
class BranchState:
    """What applying on a branch led to."""

    branch: str
    base: str
    commit: str


def branch_name(run: str, prefix: str = OURS[0]) -> str:
    """The branch that what a run changes goes to."""
    return f"{prefix}{run.replace(':', '-').replace('/', '-')}"


def apply_to_branch(
    approved: Approved,
    repository: FixTarget,
    documents: Documents,
    countdown: Countdown,
    confirm: Callable[[], None] = lambda: None,
) -> BranchState:
    """Commit the fix on the run's branch; the same effect twice gives the same commit.

    `confirm` is called before the branch moves.
    Raises `ToolError` when the reviewed commit is gone, or when the branch holds somebody else's work. What was edited
    since stays out of it: the branch holds what was reviewed.
    """
    branch = branch_name(approved.order.run)
    with own_repository(
        countdown, objects=repository.objects, object_format=repository.object_format, isolate=False
    ) as (own, _):
        done = find_effect(repository, own, branch, approved.order.effect)
        if done is not None:
            return done
        base = _reviewed_commit(approved, repository, own, documents)
        commit = _commit_fix(approved, repository, own, base)
        tip = read_branch(repository, branch)
        if tip == base:
            refuse_checked_out(repository, branch)
        confirm()
        if tip not in (None, base) or not move_branch(repository, branch, commit, tip):
            # Another delivery of the same order was faster, or the name holds somebody's work.
            done = find_effect(repository, own, branch, approved.order.effect)
            if done is None:
                raise ToolError(
                    "The branch {branch} holds other work: nothing was applied.", branch=branch
                )
            return done
        return BranchState(branch, base, commit)


def read_branch(repository: FixTarget, branch: str) -> str | None:
    """The commit that a branch names, or None."""
    finished = repository.references.attempt(
        "rev-parse", "--verify", "--quiet", f"refs/heads/{branch}"
    )
    return finished.stdout.decode().strip() if finished.code == 0 else None


def move_branch(repository: FixTarget, branch: str, to: str | None, was: str | None) -> bool:
    """Compare and set a branch (None: it does not exist); False when it is not where it was."""
    nothing = repository.references.no_object
    reference = f"refs/heads/{branch}"
    if to is None:
        arguments: tuple[str, ...] = ("-d", reference, was or nothing)
    else:
        arguments = ("-m", "quorate: fix", reference, to, was or nothing)
    finished = repository.references.attempt("update-ref", "--no-deref", *arguments)
    if finished.code != 0 and _unlock(repository, reference):
        finished = repository.references.attempt("update-ref", "--no-deref", *arguments)
    if finished.code != 0 and read_branch(repository, branch) == was:
        reason = finished.complaint.rstrip(".")
        lock = LOCKED.search(finished.text)
        advice = f" If no git is at work there, remove {lock[1]} and try again." if lock else ""
        if other := IN_THE_WAY.search(finished.text):
            advice = f" git keeps no branch beside {other[1]}: rename that one and try again."
        raise ToolError(
            "The branch {branch} cannot be moved: {reason}.{advice}",
            branch=branch,
            reason=reason,
            advice=advice,
        )
    return finished.code == 0


def _unlock(repository: FixTarget, reference: str) -> bool:
    """Remove the lock that a killed attempt's git left on this run's own reference; True if there was one.

    The reference's name is this run's and its step is leased: a lock from before this attempt is nobody else's.
    """
    asked = ("rev-parse", "--path-format=absolute", "--git-path", f"{reference}.lock")
    asked_path = repository.references.attempt(*asked)
    if asked_path.code != 0:  # another branch has the place of a folder on the way
        return False
    lock = Path(os.fsdecode(asked_path.stdout).rstrip("\n"))
    try:
        if lock.stat().st_mtime >= repository.began_at:
            return False
        lock.unlink()
    except OSError:
        return False
    return True


def refuse_checked_out(repository: FixTarget, branch: str) -> None:
    """Raise `ToolError` when a working tree stands on the branch: moving it would confuse its index."""
    listed = repository.references.run("worktree", "list", "--porcelain").decode("utf-8", "replace")
    if f"branch refs/heads/{branch}\n" in f"{listed}\n":
        raise ToolError(
            "The branch {branch} is checked out: switch to another branch first.", branch=branch
        )


def trailers(own: Git, commit: str) -> dict[str, str]:
    """The `Name: value` lines in the last paragraph of a commit's message."""
    message = own.run("cat-file", "commit", commit).decode("utf-8", "replace").partition("\n\n")[2]
    paragraph = message.strip().rpartition("\n\n")[2]
    pairs = (line.partition(": ") for line in paragraph.split("\n"))
    return {name: value for name, mark, value in pairs if mark}


def find_effect(repository: FixTarget, own: Git, branch: str, effect: str) -> BranchState | None:
    """The commit on the branch that this effect made before, or None."""
    tip = read_branch(repository, branch)
    if tip is None:
        return None
    search = ("rev-list", "--first-parent", f"--max-count={SEARCHED_COMMITS}", tip)
    # The person's own git knows where a shallow clone ends.
    for commit in repository.references.run(*search).decode().split():
        if trailers(own, commit).get(EFFECT) == effect:
            return BranchState(branch, own.line("rev-parse", f"{commit}^"), commit)
    return None


def _reviewed_commit(
    approved: Approved, repository: FixTarget, own: Git, documents: Documents
) -> str:
    """The commit that the fix goes on: the reviewed one, or a new one that records what was reviewed."""
    subject = approved.subject
    reviewed = subject.origin.reviewed
    if reviewed not in ("worktree", "index"):
        commit = commit_of(repository, reviewed, own)
        own.run("read-tree", commit)
        return commit
    head = commit_of(repository, subject.origin.head, own)
    own.run("read-tree", head)
    now = _entries_now(repository, own, reviewed)
    entries: dict[str, tuple[str, str] | None] = {}
    left_out: list[str] = []
    for file in subject.files:
        check_path(file.path)
        entry = _recorded(file, now, own, documents)
        if entry is None and file.after is not None:
            left_out.append(file.path)
            continue
        if file.status == "renamed" and file.old_path is not None:
            check_path(file.old_path)
            entries[file.old_path] = None
        entries[file.path] = entry
    own.stage(entries)
    return commit_index(own, repository, head, _state_message(subject, approved, left_out))


def _recorded(
    file: FileChange, now: Callable[[str], tuple[str, str]], own: Git, documents: Documents
) -> tuple[str, str] | None:
    """The index entry of one reviewed file, whatever stands there by now; None for one that was deleted.

    None, too, where what was reviewed is not the file's own text: nobody could read it, it is a notebook's cells, or
    secrets in it were masked.
    """
    if file.after is None or file.skipped is not None or file.cells:
        return None
    data, (mode, blob) = documents.get(file.after), now(file.path)
    is_masked = MASKED.search(data.decode("utf-8", "replace")) is not None
    if is_masked and blob != git_blob_id(data, own.object_format):
        return None
    return mode, own.write_blob(data)


def _entries_now(
    repository: FixTarget, own: Git, reviewed: str
) -> Callable[[str], tuple[str, str]]:
    """The mode and blob of a path by now; where it is gone, the mode in the commit. A subject holds no modes."""
    root = repository.root
    if root is None and reviewed == "worktree":
        raise ToolError("A bare repository has no working tree.")
    committed = own.entries()
    index = repository.references.entries() if reviewed == "index" else {}

    def entry_now(path: str) -> tuple[str, str]:
        mode, blob = index.get(path, ("", ""))
        if root is not None and reviewed == "worktree":
            with suppress(ToolError):  # something else stands there by now
                if (entry := read_entry(root, path)) is not None:
                    mode, blob = entry.mode, git_blob_id(entry.data, own.object_format)
        modes = (mode, committed.get(path, ("", ""))[0])
        return next((mode for mode in modes if mode in (REGULAR, EXECUTABLE)), REGULAR), blob

    return entry_now


def _commit_fix(approved: Approved, repository: FixTarget, own: Git, base: str) -> str:
    """The commit of the fix on top of what the index of `own` holds."""
    before, after = approved.combination.before, approved.combination.after
    known = own.entries()
    entries: dict[str, tuple[str, str] | None] = {}
    for path, data in after.items():
        mode, blob = known.get(path, ("", ""))
        if mode == LINK or mode not in (REGULAR, EXECUTABLE):
            raise ToolError("{path} is a link or not a file in the reviewed state.", path=path)
        if blob != git_blob_id(before[path], repository.object_format):
            raise ToolError(CHANGED, path=path)
        entries[path] = (mode, own.write_blob(data))
    own.stage(entries)
    return commit_index(own, repository, base, _fix_message(approved))


def commit_index(own: Git, repository: FixTarget, parent: str, message: str) -> str:
    """A commit of what the index holds, by the person whose repository it is."""
    tree = own.line("write-tree")
    author = own.with_environment(identity(repository))
    return author.line("commit-tree", tree, "-p", parent, given=message.encode("utf-8"))


def _fix_message(approved: Approved) -> str:
    findings = ", ".join(approved.findings)
    lines = [
        f"Fix {findings}"[:72],
        "",
        f"Applies the patch that was approved for {findings}.",
        "",
        f"Generated-by: Quorate ({', '.join(approved.sources)})",
        f"{RUN}: {approved.order.run}",
        f"{EFFECT}: {approved.order.effect}",
    ]
    return "\n".join(lines) + "\n"


def _state_message(subject: Subject, approved: Approved, left_out: list[str]) -> str:
    note = f"\nFiles left out, since no exact text of them was reviewed: {len(left_out)}.\n"
    return (
        f"State under review ({subject.origin.reviewed})\n{note if left_out else ''}\n"
        f"Generated-by: Quorate\n{RUN}: {approved.order.run}\n{STATE}: {approved.order.effect}\n"
    )

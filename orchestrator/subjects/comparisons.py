"""Which two states are compared: what was asked for, or the first that holds a change.

With nothing named: what is staged, else the working tree, else the branch since it left the default branch,
else the last commit. Candidates are data; the capture takes the first that is not empty.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from orchestrator.subjects.request import ChangeRequest
from orchestrator.subjects.revisions import (
    empty_tree,
    find_commit,
    find_default_branch,
    find_merge_base,
    is_branch,
    read_commit,
    readable,
    require_commit,
    require_merge_base,
    suggest,
)
from shared.errors import SubjectError
from shared.git.process import Git
from shared.git.repository import Repository
from shared.models.notices import Notice, notice
from shared.sentences import Sentence

INDEX, WORKTREE = "index", "worktree"


@dataclass(frozen=True)
class StateComparison:
    """Two states. `states` are the words for `git diff`; `reviewed` is a commit, `index` or `worktree`.

    `untracked` says that files which git does not know yet belong to it; `nothing` says that they hold the same files.
    """

    title: str
    states: tuple[str, ...]
    base: str | None
    reviewed: str
    head: str | None
    nothing: Notice
    untracked: bool = False


@dataclass(frozen=True)
class Target:
    """What the free argument turned out to be: at most one of a revision and a path."""

    revision: str | None = None
    path: Path | None = None


def read_target(repository: Repository, request: ChangeRequest) -> Target:
    """Tell a path from a revision. Raises SubjectError when it is both, or neither."""
    if request.target is None:
        return Target()
    git, path = repository.git, request.path / request.target
    on_disk = _is_on_disk(repository, path)
    named = names_revision(git, request.target)
    if on_disk and named and request.target not in (".", ".."):
        raise _ambiguous(git, request.target)
    if on_disk or (not named and _was_a_path(git, request.target)):
        return Target(path=path)
    if named or ".." in request.target:
        return Target(revision=request.target)
    raise _unknown(git, request.target)


def _unknown(git: Git, target: str) -> SubjectError:
    if target == "HEAD" and find_commit(git, "HEAD") is None:
        return SubjectError(
            "There are no commits yet, so HEAD names nothing: `quorate review` looks at what is staged or not tracked."
        )
    return SubjectError(
        "'{target}' is neither a path nor a revision of this repository.{hint}",
        target=target,
        hint=suggest(git, target),
    )


def _is_on_disk(repository: Repository, path: Path) -> bool:
    """Whether there is such a file; those in a bare repository (HEAD, refs, config) are its own."""
    return repository.top is not None and os.path.lexists(path)


def _ambiguous(git: Git, target: str) -> SubjectError:
    branch = f"refs/heads/{target}"
    known = find_commit(git, branch)
    revision = (
        Sentence("{branch} for the branch", branch=branch)
        if known
        else Sentence("{target}~0 for the revision", target=target)
    )
    return SubjectError(
        "'{target}' is both a path and a revision. Write ./{target} for the path, or {revision}.",
        target=target,
        revision=revision,
    )


def comparisons(
    repository: Repository, request: ChangeRequest, revision: str | None
) -> Iterator[StateComparison]:
    """The candidates in their order, found only as far as they are asked for."""
    if sum(
        (request.staged, revision is not None and ".." in revision, request.base is not None)
    ) > 1 or (request.staged and revision is not None):
        raise SubjectError("Name one change only: --staged, --base REF, or a revision or range.")
    git = repository.git
    if request.staged:
        yield _staged(repository)
    elif request.base is not None:
        yield _since(git, request.base, revision or "HEAD")
    elif revision is not None:
        yield _named(git, revision)
    else:
        yield from _found(repository)


def _found(repository: Repository) -> Iterator[StateComparison]:
    git = repository.git
    if repository.top is not None:
        yield _staged(repository)
        yield _worktree(git)
    head = find_commit(git, "HEAD")
    if head is None:
        return
    default = find_default_branch(git)
    if default is not None and find_merge_base(git, default, head) not in (None, head):
        yield _since(git, default, "HEAD")
    yield _commit(git, head, "last commit")


def _staged(repository: Repository) -> StateComparison:
    if repository.top is None:
        raise SubjectError("A bare repository has no staged changes. Name a revision or a range.")
    git = repository.git
    head = find_commit(git, "HEAD")
    return StateComparison(
        title="staged changes",
        states=("--cached", head or empty_tree(git)),
        base=head,
        reviewed=INDEX,
        head=head,
        nothing=notice("nothing_staged"),
    )


def _worktree(git: Git) -> StateComparison:
    head = find_commit(git, "HEAD")
    return StateComparison(
        title="uncommitted changes of the working tree",
        states=(head or empty_tree(git),),
        base=head,
        reviewed=WORKTREE,
        head=head,
        nothing=notice("nothing_uncommitted"),
        untracked=True,
    )


def _named(git: Git, revision: str) -> StateComparison:
    for dots, compare in (("...", _since), ("..", _between)):
        if dots in revision:
            left, _, right = revision.partition(dots)
            return compare(git, left or "HEAD", right or "HEAD")
    commit = require_commit(git, revision)
    default = find_default_branch(git) if is_branch(git, revision) else None
    if default is None or default == revision:
        return _commit(git, commit, "commit")
    if find_merge_base(git, default, commit) not in (None, commit):
        return _since(git, default, revision)
    return _commit(git, commit, "commit")


def _between(git: Git, left: str, right: str) -> StateComparison:
    base, reviewed = require_commit(git, left), require_commit(git, right)
    return StateComparison(
        title=f"changes from {readable(left)} to {readable(right)}",
        states=(base, reviewed),
        base=base,
        reviewed=reviewed,
        head=reviewed,
        nothing=notice("nothing_between", left=left, right=right),
    )


def _since(git: Git, base: str, revision: str) -> StateComparison:
    parted = require_merge_base(git, base, revision)
    reviewed = require_commit(git, revision)
    count = git.run("rev-list", "--count", f"{parted}..{reviewed}").decode("ascii").strip()
    name = (
        (git.ask("symbolic-ref", "--quiet", "--short", "HEAD") or "HEAD")
        if revision == "HEAD"
        else readable(revision)
    )
    base = readable(base)
    return StateComparison(
        title=f"{name} since it left {base} ({count} commit{'' if count == '1' else 's'})",
        states=(parted, reviewed),
        base=parted,
        reviewed=reviewed,
        head=reviewed,
        nothing=notice("nothing_since", name=name, base=base),
    )


def _commit(git: Git, commit: str, word: str) -> StateComparison:
    known = read_commit(git, commit)
    return StateComparison(
        title=f"{word} {known.short}: {known.subject}",
        states=(known.parent or empty_tree(git), commit),
        base=known.parent,
        reviewed=commit,
        head=commit,
        nothing=notice("nothing_in_commit", commit=known.short),
    )


def names_revision(git: Git, target: str) -> bool:
    """Whether it is a revision, or a range of two."""
    ends = target.replace("...", "..").split("..") if ".." in target else [target]
    return all(find_commit(git, end or "HEAD") for end in ends)


def _was_a_path(git: Git, target: str) -> bool:
    """True for a file that the change deletes: gone from the disk, known to the index or to HEAD."""
    literal = f":(literal){target}"
    if git.ask("ls-files", "--error-unmatch", "--", literal):
        return True
    return bool(git.ask("ls-tree", "--name-only", "HEAD", "--", target))

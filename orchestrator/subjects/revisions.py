"""Revisions as people name them: resolved, described, and missed with a suggestion."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

from shared.errors import SubjectError
from shared.git.process import Git
from shared.sentences import Sentence

DEFAULT_BRANCHES = ("main", "master", "trunk")
DEEPEN = (
    "Fetch the rest: `git fetch --unshallow`, or in CI a checkout with its whole history "
    "(GitHub: `fetch-depth: 0`, GitLab: `GIT_DEPTH: 0`)."
)


@dataclass(frozen=True)
class Commit:
    """A commit: its id, its first parent (None for a root), and its subject line."""

    id: str
    parent: str | None
    subject: str

    @property
    def short(self) -> str:
        """The id as people write it."""
        return self.id[:10]


def find_commit(git: Git, revision: str) -> str | None:
    """The id of the commit that `revision` names, None when it names none."""
    if not revision or revision.startswith("-") or "\0" in revision:
        return None
    return git.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")


def require_commit(git: Git, revision: str) -> str:
    """Like `find_commit`; raises SubjectError with the nearest branch and tag names."""
    commit = find_commit(git, revision)
    if commit is None:
        raise SubjectError(
            "'{revision}' is not a revision of this repository.{hint}",
            revision=revision,
            hint=suggest(git, revision),
        )
    return commit


def suggest(git: Git, revision: str) -> str:
    """What may be meant or missing: names near `revision`, the rest of a shallow clone; or nothing."""
    refs = git.ask(
        "for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/tags", "refs/remotes"
    )
    names = (refs or "").splitlines()
    near = difflib.get_close_matches(revision, names, n=3, cutoff=0.5)
    quoted = " or ".join(repr(name) for name in near)
    meant = Sentence(" Did you mean {names}?", names=quoted) if near else ""
    if is_shallow(git):
        return Sentence(
            "{meant} This clone is shallow and may lack it. {advice}", meant=meant, advice=DEEPEN
        )
    if near or not names:
        return meant
    listed = ", ".join((*names[:8], *(["..."] if len(names) > 8 else [])))
    return Sentence(" Branches and tags: {names}.", names=listed)


def read_commit(git: Git, commit: str) -> Commit:
    """The commit with its first parent. Raises SubjectError when a shallow clone hides the parent."""
    raw = git.run("cat-file", "commit", commit).decode("utf-8", "replace")
    header, _, message = raw.partition("\n\n")
    parent = find_commit(git, f"{commit}^1")
    if parent is None and re.search(r"^parent ", header, re.MULTILINE):
        raise SubjectError(
            "This clone is shallow and does not hold the parent of {commit}, so its change is "
            "unknown. {advice}",
            commit=commit[:10],
            advice=DEEPEN,
        )
    return Commit(commit, parent, _plain(message.strip().partition("\n")[0]))


def find_default_branch(git: Git) -> str | None:
    """The branch that others start from: what `origin/HEAD` points at, else a usual name."""
    head = git.ask("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD")
    names = [head] if head else []
    names += DEFAULT_BRANCHES
    names += [f"origin/{name}" for name in DEFAULT_BRANCHES]
    return next((name for name in names if find_commit(git, name)), None)


def find_merge_base(git: Git, left: str, right: str) -> str | None:
    """Where two lines of work parted; None when they share no commit that is known here."""
    bases = git.ask("merge-base", left, right)
    return bases.splitlines()[0] if bases else None


def require_merge_base(git: Git, left: str, right: str) -> str:
    """Like `find_merge_base`; raises SubjectError that tells a shallow clone from unrelated histories."""
    base = find_merge_base(git, require_commit(git, left), require_commit(git, right))
    if base is not None:
        return base
    if is_shallow(git):
        raise SubjectError(
            "This clone is shallow and does not hold the commit at which {left} and {right} "
            "diverged. {advice}",
            left=left,
            right=right,
            advice=DEEPEN,
        )
    raise SubjectError(
        "{left} and {right} have no commit in common. Name the two states: {left}..{right}",
        left=left,
        right=right,
    )


def is_shallow(git: Git) -> bool:
    return git.ask("rev-parse", "--is-shallow-repository") == "true"


def is_branch(git: Git, name: str) -> bool:
    """True when `name` is a local or remote branch, and not a tag or a commit."""
    full = git.ask(
        "rev-parse", "--symbolic-full-name", "--verify", "--quiet", "--end-of-options", name
    )
    return full is not None and full.startswith(("refs/heads/", "refs/remotes/"))


def readable(revision: str) -> str:
    """A revision as lists show it: a branch without what git puts before it, a whole id as people write it."""
    for prefix in ("refs/heads/", "refs/remotes/origin/", "refs/remotes/", "refs/tags/"):
        revision = revision.removeprefix(prefix)
    return revision[:10] if re.fullmatch(r"[0-9a-f]{40}([0-9a-f]{24})?", revision) else revision


def empty_tree(git: Git) -> str:
    """The id of the tree without files, in the repository's own hash."""
    return git.run("hash-object", "-t", "tree", "--stdin").decode("ascii").strip()


def _plain(text: str) -> str:
    """One line without control characters: a commit's author may be hostile to terminals."""
    clean = "".join(letter if letter.isprintable() else " " for letter in text).strip()
    return clean if len(clean) <= 72 else f"{clean[:69]}..."

"""A person's repository: where its parts are, which commit is meant, who commits."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from shared.errors import ToolError
from shared.git.process import Git
from shared.models.subject import Origin
from workers.tools.sandbox.git import own_repository, sandboxed_git
from workers.tools.sandbox.sandbox import Countdown, scratch

COMMIT = re.compile(r"^[0-9a-f]{40}([0-9a-f]{24})?$")
FALLBACK_NAME, FALLBACK_EMAIL = "Quorate", "quorate@localhost"


@dataclass(frozen=True)
class FixTarget:
    """The repository that a fix goes to: `root` holds its files (None: bare), `references` moves its references.

    `began_at` is when this attempt began.
    """

    root: Path | None
    git_dir: Path
    objects: Path
    references: Git
    began_at: float

    @property
    def object_format(self) -> str:
        """How git names objects in it: sha1 or sha256."""
        return self.references.object_format

    @property
    def name(self) -> str:
        """How people know it: its path."""
        return str(self.root or self.git_dir)


def open_target(origin: Origin, home: Path, countdown: Countdown) -> FixTarget:
    """The repository of a subject; raises `ToolError` when there is none to apply anything to."""
    if origin.repository is None:
        raise ToolError("The change came as a bare diff: there is no repository to apply a fix to.")
    root = Path(origin.repository)
    if not root.is_absolute() or not root.is_dir():
        raise ToolError("The repository {root} does not exist here.", root=root)
    bare = not (root / ".git").exists()
    start = root if bare else root / ".git"
    git = sandboxed_git(_git_directory(start), home, countdown, isolate=False)
    asked = ("--absolute-git-dir", "--git-path", "objects", "--show-object-format")
    output = git.attempt("rev-parse", "--path-format=absolute", *asked)
    if output.code != 0:
        raise ToolError(
            "{root} is not a git repository: {complaint}.", root=root, complaint=output.complaint
        )
    answers = os.fsdecode(output.stdout).split("\n")
    git_dir, objects = Path(answers[0]), Path(answers[1])
    return FixTarget(
        root=None if bare else root,
        git_dir=git_dir,
        objects=objects,
        references=replace(
            git.with_environment({"GIT_DIR": str(git_dir)}), object_format=answers[2]
        ),
        began_at=countdown.began_at,
    )


@contextmanager
def borrowed(origin: Origin, countdown: Countdown) -> Iterator[tuple[FixTarget, Git]]:
    """The repository, and one of our own that reads its objects and writes none of them; raises `ToolError`."""
    with scratch() as home:
        target = open_target(origin, home, countdown)
        with own_repository(countdown, object_format=target.object_format, isolate=False) as (
            own,
            _,
        ):
            lent = {"GIT_ALTERNATE_OBJECT_DIRECTORIES": _as_list(target.objects)}
            yield target, own.with_environment(lent)


def _as_list(folder: Path) -> str:
    """A list of one folder, whose name may hold what parts the list."""
    escaped = str(folder).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _git_directory(start: Path) -> Path:
    """`.git` itself, or the directory that a worktree's or submodule's `.git` file names."""
    if start.is_dir():
        return start
    try:
        text = start.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ToolError("{start} cannot be read.", start=start) from error
    if not text.startswith("gitdir: "):
        raise ToolError("{start} is not a git repository.", start=start)
    return (start.parent / text.removeprefix("gitdir: ")).resolve()


def commit_of(repository: FixTarget, revision: str | None, own: Git) -> str:
    """A full commit id that exists; raises `ToolError`. `own` reads the person's objects."""
    if revision is None or not COMMIT.fullmatch(revision):
        raise ToolError("The subject does not say which commit was reviewed.")
    finished = own.attempt("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    if finished.code != 0:
        raise ToolError(
            "The reviewed commit {revision} is not in {repository} any more.",
            revision=revision[:12],
            repository=repository.name,
        )
    return finished.stdout.decode().strip()


def identity(repository: FixTarget) -> Mapping[str, str]:
    """Author and committer for `git commit-tree`: from git's configuration, or a name of our own."""
    git = repository.references.with_environment(_personal_configuration())
    name = _configured(git, "user.name") or FALLBACK_NAME
    email = _configured(git, "user.email") or FALLBACK_EMAIL
    return {
        "GIT_AUTHOR_NAME": name,
        "GIT_AUTHOR_EMAIL": email,
        "GIT_COMMITTER_NAME": name,
        "GIT_COMMITTER_EMAIL": email,
    }


def _personal_configuration() -> dict[str, str]:
    """Let `git config` read the person's own file too; reading a value runs nothing."""
    home = Path(os.path.expanduser("~"))
    folder = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    files = (path for path in (home / ".gitconfig", folder / "git" / "config") if path.is_file())
    return {"HOME": str(home), "GIT_CONFIG_GLOBAL": str(next(files, os.devnull))}


def _configured(git: Git, key: str) -> str | None:
    finished = git.attempt("config", "--get", key)
    text = finished.stdout.decode("utf-8", "replace").strip()
    return text if finished.code == 0 and text else None

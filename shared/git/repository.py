"""A person's repository, opened for reading: where its parts are, with everything silenced that it could run."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from shared.errors import EnvironmentFault, SubjectError
from shared.git.process import Git, LocalRunner
from shared.git.silence import OLDEST_GIT, silenced, silenced_filters
from shared.programs import find_program


@dataclass(frozen=True)
class Repository:
    """A repository and where we are in it. `top` is None when it is bare.

    `apart`: only the environment says that its working tree belongs to it, as with `git --git-dir=D --work-tree=T`.
    """

    git: Git
    git_dir: Path
    top: Path | None
    apart: bool = False

    @property
    def place(self) -> Path:
        """The directory that names the repository to people."""
        return self.top or self.git_dir

    @property
    def address(self) -> Path:
        """Where others find it again."""
        return self.git_dir if self.apart else self.place


def open_repository(directory: Path, environ: Mapping[str, str]) -> Repository:
    """The repository that `directory` lies in, silenced.

    Raises SubjectError when there is none, EnvironmentFault when git is missing, too old or refuses.
    """
    if not directory.is_dir():
        raise SubjectError("{directory} is not a directory that can be read.", directory=directory)
    runner = LocalRunner(_find_git(environ), directory)
    apart = _named_apart(directory, environ)
    git = Git(runner, silenced(environ) | apart)
    _check_version(git, runner.executable)
    facts = os.fsdecode(git.run("rev-parse", "--is-inside-work-tree", "--is-bare-repository"))
    git_dir = Path(os.fsdecode(git.run("rev-parse", "--absolute-git-dir")).removesuffix("\n"))
    inside, bare = (line == "true" for line in facts.split()[:2])
    top = None if bare else _find_top(git, directory, git_dir, inside)
    listed = git.ask("config", "-z", "--name-only", "--get-regexp", r"^filter\.") or ""
    environment = silenced(environ, silenced_filters(listed.split("\0"))) | apart
    return Repository(
        replace(git, environment=environment | _index(environ, git_dir)), git_dir, top, bool(apart)
    )


def _named_apart(directory: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """The repository of `git --git-dir=D --work-tree=T`, as git tells its hooks: nothing in the folders names it."""
    names = [environ.get(name) for name in ("GIT_DIR", "GIT_WORK_TREE")]
    git_dir, top = (Path(name).resolve() if name else None for name in names)
    here = directory.resolve()
    if git_dir is None or top is None or not here.is_relative_to(top):
        return {}
    if any((folder / ".git").exists() for folder in (here, *here.parents)):
        return {}
    return {"GIT_DIR": str(git_dir), "GIT_WORK_TREE": str(top)}


def _find_git(environ: Mapping[str, str]) -> str:
    program = find_program("git", environ.get("PATH"))
    if program is None:
        raise EnvironmentFault(
            "git is not installed, or not on PATH. Install it, or review a diff outside of a repository."
        )
    return program


def _check_version(git: Git, executable: str) -> None:
    answer = git.run("--version").decode("ascii", "replace")
    version = re.search(r"(\d+)\.(\d+)", answer)
    if version is None or (int(version[1]), int(version[2])) < OLDEST_GIT:
        oldest = ".".join(map(str, OLDEST_GIT))
        raise EnvironmentFault(
            "git {oldest} or newer is needed, and {executable} says {version!r}.",
            oldest=oldest,
            executable=executable,
            version=answer.strip(),
        )


def _find_top(git: Git, directory: Path, git_dir: Path, inside: bool) -> Path:
    here = directory.resolve()
    if not inside and here.is_relative_to(git_dir.resolve()):
        raise SubjectError(
            "{directory} lies inside a repository's .git directory. Go to its working tree.",
            directory=directory,
        )
    top = git.ask("rev-parse", "--show-toplevel") if inside else None
    # core.worktree could point at any directory of this machine and have its files read and sent.
    if top is None or not here.is_relative_to(Path(top).resolve()):
        raise SubjectError(
            "The configuration of the repository at {git_dir} moves its working tree away from "
            "{directory}. Go there if that is what should be reviewed.",
            git_dir=git_dir,
            directory=directory,
        )
    return Path(top)


def _index(environ: Mapping[str, str], git_dir: Path) -> dict[str, str]:
    """Honour the index that `git commit -a` shows to its hooks, when it is this repository's."""
    index = environ.get("GIT_INDEX_FILE")
    if index and Path(index).resolve().is_relative_to(git_dir.resolve()):
        return {"GIT_INDEX_FILE": str(Path(index).resolve())}
    return {}

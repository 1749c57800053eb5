"""Where a change is: the repository, the two states that are compared, and what of them was asked for."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from orchestrator.subjects.comparisons import (
    StateComparison,
    comparisons,
    names_revision,
    read_target,
)
from orchestrator.subjects.entries import ChangedEntry, list_entries, list_untracked
from orchestrator.subjects.linter_reports import inside
from orchestrator.subjects.request import ChangeRequest
from shared.errors import SubjectError
from shared.git.repository import Repository, open_repository
from shared.models.notices import Notice, notice

_EVERYTHING = ":(top)"
_LITERAL = ":(top,literal)"


@dataclass(frozen=True)
class Located:
    """A change that was found and not read yet: the two states, and what differs between them.

    `nothing` says why there is none, where no comparison holds a change.
    """

    repository: Repository
    comparison: StateComparison
    pathspecs: tuple[str, ...]
    entries: tuple[ChangedEntry, ...]
    untracked: tuple[bytes, ...]
    nothing: Notice | None = None


def locate(request: ChangeRequest) -> Located:
    """The first comparison that the request allows and that holds a change; the last one where none does."""
    repository, pathspecs, revision = _locate(request)
    narrowed = pathspecs != (_EVERYTHING,)
    apart = filter(None, (inside(repository, place) for place in request.without))
    pathspecs = (*pathspecs, *(f":(top,exclude,literal){name}" for name in apart))
    last: StateComparison | None = None
    for comparison in comparisons(repository, request, revision):
        entries = list_entries(repository.git, comparison, pathspecs)
        untracked = list_untracked(repository.git, pathspecs) if comparison.untracked else ()
        if entries or untracked:
            return Located(repository, comparison, pathspecs, entries, untracked)
        last = comparison
    if last is None:
        raise SubjectError("This bare repository has no commit yet, so there is nothing to review.")
    nothing = notice("nothing_there", why=last.nothing) if narrowed else last.nothing
    return Located(repository, last, pathspecs, (), (), nothing)


def _locate(request: ChangeRequest) -> tuple[Repository, tuple[str, ...], str | None]:
    """The repository, what limits the paths, and the revision that was named."""
    repository, pathspecs, revision = _locate_first(request)
    if not request.paths:
        return repository, pathspecs, revision
    more = tuple(_further(repository, request, name, revision) for name in request.paths)
    if revision is None:
        more = (*pathspecs, *more)
    return repository, (_EVERYTHING,) if _EVERYTHING in more else more, revision


def _locate_first(request: ChangeRequest) -> tuple[Repository, tuple[str, ...], str | None]:
    """As far as the first word says it."""
    everything = request.pathspecs or (_EVERYTHING,)
    if request.target is None:
        return open_repository(request.path, request.environ), everything, None
    place = request.path / request.target
    if place.is_dir():
        # A directory may lie in another repository than the one that we are in.
        repository = open_repository(place, request.environ)
        if request.path.resolve().is_relative_to(repository.place.resolve()):
            read_target(repository, request)
        return repository, request.pathspecs or (_below(repository, place),), None
    repository = open_repository(place.parent if place.is_file() else request.path, request.environ)
    target = read_target(repository, request)
    if target.path is not None:
        return repository, request.pathspecs or (_below(repository, target.path),), None
    return repository, everything, target.revision


def _further(
    repository: Repository, request: ChangeRequest, name: str, revision: str | None
) -> str:
    """What limits the change to a path that was named after the first word. Raises SubjectError for anything else."""
    if repository.top is None:
        below = f"{_LITERAL}{name}"
    else:
        below = _below(repository, request.path / name)
        if os.path.lexists(request.path / name):
            return below
    inside = below.removeprefix(_LITERAL)
    states = [state for state in (revision or "HEAD").replace("...", "..").split("..") if state]
    git = repository.git
    if git.ask("ls-files", "--error-unmatch", "--", below) or any(
        git.ask("rev-parse", "--verify", "--quiet", f"{state}:{inside}") for state in states
    ):
        return below
    if names_revision(git, name):
        raise SubjectError(
            "'{name}' is a revision, and only the first word may be one: write A..B for the change "
            "between two, and the paths after it.",
            name=name,
        )
    raise SubjectError(
        "there is no '{name}', neither here nor in the states that are compared", name=name
    )


def _below(repository: Repository, path: Path) -> str:
    """The path as git is to be told of it. Raises SubjectError for one outside of the repository."""
    if repository.top is None:
        return _EVERYTHING
    # The file itself may be a symbolic link, so only its folder is resolved.
    place = path.resolve() if path.is_dir() else path.parent.resolve() / path.name
    top = repository.top.resolve()
    if not place.is_relative_to(top):
        raise SubjectError(
            "{path} does not lie in the repository at {top}: review it by itself",
            path=path,
            top=top,
        )
    inside = place.relative_to(top).as_posix()
    return _EVERYTHING if inside == "." else f"{_LITERAL}{inside}"

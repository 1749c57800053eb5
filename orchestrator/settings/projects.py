"""The repository's own configuration file, as it was before the change that is looked at.

Whoever writes a change could otherwise write the rules that it is judged by. So the file is read from the commit
before the change (HEAD for what is not committed, and where no change is reviewed), never from the state under
review: with git's own objects, so that no link, filter or checkout comes between. Outside of a repository there is no
such commit, and the file of the directory itself is read. What differs is told. docs/configuration.md has the rules
for people.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from orchestrator.settings.documents import Document, parse_pyproject, parse_yaml
from orchestrator.settings.schema import Settings
from orchestrator.settings.trees import MAX_PYPROJECT
from orchestrator.subjects.comparisons import INDEX, WORKTREE
from orchestrator.subjects.revisions import find_commit
from shared.errors import ConfigurationError, EnvironmentFault, SubjectError
from shared.git.process import Git, OutputTooLarge
from shared.git.repository import Repository, open_repository
from shared.models.notices import Notice, notice

PROJECT_FILES = (".quorate.yaml", ".quorate/config.yaml", ".dev/config.yaml")
PYPROJECT = "pyproject.toml"
_SHARED_PLACE = ".dev/config.yaml"
_REGULAR = ("100644", "100755", "100664")
_DEEPEST = 64


@dataclass(frozen=True)
class Reviewed:
    """What is looked at: `base` is the commit before it (None: there is none), `state` what it is compared with."""

    repository: Repository
    base: str | None
    state: str = WORKTREE


@dataclass(frozen=True)
class ProjectFile:
    """What holds of the repository's own configuration, and what is to be told about it.

    `repository` is the folder that it belongs to, `name` the file in there.
    """

    document: Document | None = None
    notices: tuple[Notice, ...] = ()
    repository: Path | None = None
    name: str = ""


def project_file(
    directory: Path, environ: Mapping[str, str], reviewed: Reviewed | None = None
) -> ProjectFile:
    """The repository's own configuration for work in `directory`; raises ConfigurationError for what cannot be read."""
    if reviewed is None:
        root = _repository_above(directory)
        if root is None:
            return _chosen(_Folder(directory.resolve()), directory.resolve())
        try:
            repository = open_repository(directory, environ)
            reviewed = Reviewed(repository, find_commit(repository.git, "HEAD"))
        except (SubjectError, EnvironmentFault):
            return _unread(directory.resolve(), root, "no_git")
    return _before(directory.resolve(), reviewed)


def changed_file(directory: Path, reviewed: Reviewed) -> ProjectFile | None:
    """The repository's own configuration as the change leaves it; None when the change leaves it as it was.

    Raises ConfigurationError for what cannot be read.
    """
    top = reviewed.repository.place.resolve()
    here = directory.resolve()
    if reviewed.base is None:
        return None
    inside = here if here.is_relative_to(top) and reviewed.repository.top else top
    names = tuple(_candidates(inside.relative_to(top)))
    git = reviewed.repository.git
    base = _Committed(git, reviewed.base, top, names)
    if reviewed.state == WORKTREE:
        is_changed = reviewed.repository.top and any(_is_dirty(name, base, top) for name in names)
        return _chosen(_Folder(top, names), top) if is_changed else None
    if not _edited(base, reviewed, names):
        return None
    return _chosen(_Committed(git, reviewed.state, top, names), top)


def uncommitted_file(directory: Path, environ: Mapping[str, str]) -> Path | None:
    """The file on disk that would count once it is committed as it is; None when it counts already, or none would.

    Raises ConfigurationError for what is committed and cannot be read.
    """
    here = directory.resolve()
    top = _repository_above(here)
    if top is None:
        return None
    file = speaking_file(top, here)
    if file is None:
        return None
    name = file.relative_to(top).as_posix()
    try:
        repository = open_repository(here, environ)
        head = find_commit(repository.git, "HEAD")
        base = head and _Committed(repository.git, head, top, (name,)).content(name)
    except (SubjectError, EnvironmentFault):
        base = None
    return None if _lines(base or None) == _lines(_on_disk(file)) else file


def speaking_file(top: Path, inside: Path | None = None) -> Path | None:
    """The file on disk that would count for work `inside` the repository at `top`; None when none would."""
    names = _candidates((inside or top).relative_to(top))
    files = ((name, top / name) for name in names)
    return next((file for name, file in files if _speaks(name, _on_disk(file))), None)


def _before(directory: Path, reviewed: Reviewed) -> ProjectFile:
    repository = reviewed.repository
    top = repository.place.resolve()
    inside = directory if directory.is_relative_to(top) and repository.top else top
    if reviewed.base is None:
        return _unread(inside, top, "no_commit")
    names = tuple(_candidates(inside.relative_to(top)))
    base = _Committed(repository.git, reviewed.base, top, names)
    links = [name for name in names if name in base.entries and not base.is_file(name)]
    notices = [notice("project_unread", files=links, why="link")] if links else []
    return _chosen(base, top, (*notices, *_differences(base, reviewed, top, names)))


def committed_files(
    reviewed: Reviewed, names: Sequence[str], limit: int = MAX_PYPROJECT
) -> dict[str, bytes]:
    """Ordinary files of the commit before the change, by name from the top; those that are not there are left out.

    Of one with more than `limit` bytes there is no content, only more bytes than that.
    """
    git = reviewed.repository.git
    entries = {} if reviewed.base is None else _entries(git, reviewed.base, tuple(names))
    blobs = {
        name: _blob(git, blob, limit) for name, (mode, blob) in entries.items() if mode in _REGULAR
    }
    return {name: content for name, content in blobs.items() if content is not None}


def _unread(directory: Path, top: Path, why: str) -> ProjectFile:
    """Nothing is used; what lies there is told."""
    names = _candidates(directory.relative_to(top) if directory.is_relative_to(top) else Path())
    there = [name for name in names if _speaks(name, _on_disk(top / name))]
    return ProjectFile(None, (notice("project_unread", files=there, why=why),) if there else ())


def _differences(
    base: _Committed, reviewed: Reviewed, top: Path, names: tuple[str, ...]
) -> Iterator[Notice]:
    """What the change, or the working tree, has otherwise than the commit that counts."""
    short = (reviewed.base or "")[:10]
    edited = _edited(base, reviewed, names)
    if edited:
        yield notice("project_edited", files=edited, base=short)
    others = [name for name in names if reviewed.repository.top and name not in edited]
    if dirty := [name for name in others if _is_dirty(name, base, top)]:
        yield notice("project_uncommitted", files=dirty, base=short)


def _edited(base: _Committed, reviewed: Reviewed, names: tuple[str, ...]) -> list[str]:
    if reviewed.state == WORKTREE:
        return []
    git = reviewed.repository.git
    after = _entries(git, reviewed.state, names)
    return [name for name in names if _says_otherwise(name, base, after.get(name), git)]


def _is_dirty(name: str, base: _Committed, top: Path) -> bool:
    here, committed = _on_disk(top / name), base.content(name)
    return _lines(here) != _lines(committed) and (_speaks(name, here) or _speaks(name, committed))


def _says_otherwise(name: str, base: _Committed, entry: tuple[str, str] | None, git: Git) -> bool:
    if entry == base.entries.get(name):
        return False
    after = _blob(git, entry[1]) if entry is not None and entry[0] in _REGULAR else None
    if entry is not None and after is None:
        return True  # a link, or a folder, in the place of the file
    return _speaks(name, after) or _speaks(name, base.content(name))


# ---- where a file may stand ---------------------------------------------------------------------


def _repository_above(directory: Path) -> Path | None:
    here = directory.resolve()
    return next(
        (folder for folder in (here, *here.parents) if os.path.lexists(folder / ".git")), None
    )


def _candidates(inside: Path) -> Iterator[str]:
    """The names from that folder up to the top, the one that counts first."""
    here = PurePosixPath(inside.as_posix())
    for folder in (here, *here.parents)[-_DEEPEST:]:
        for name in (*PROJECT_FILES, PYPROJECT):
            yield str(folder / name)


class _Folder:
    """What lies in a directory: outside of any repository, or in a working tree."""

    def __init__(self, folder: Path, names: tuple[str, ...] = (*PROJECT_FILES, PYPROJECT)) -> None:
        self.names = names
        self._folder = folder

    def content(self, name: str) -> bytes | None:
        return _on_disk(self._folder / name)

    def place(self, name: str) -> tuple[str, Path]:
        file = self._folder / name
        return str(file), file.parent


class _Committed:
    """The files of one commit, by git's own objects: `entries` are mode and blob by name."""

    def __init__(self, git: Git, commit: str, top: Path, names: tuple[str, ...]) -> None:
        self.names = names
        self.entries = _entries(git, commit, names)
        self._git, self._commit, self._top = git, commit, top
        self._read: dict[str, bytes | None] = {}

    def is_file(self, name: str) -> bool:
        return self.entries[name][0] in _REGULAR

    def content(self, name: str) -> bytes | None:
        if name not in self.entries or not self.is_file(name):
            return None
        if name not in self._read:
            self._read[name] = _blob(self._git, self.entries[name][1])
        return self._read[name]

    def place(self, name: str) -> tuple[str, Path]:
        return f"{self._commit[:10]}:{name}", (self._top / name).parent


def _chosen(
    where: _Folder | _Committed, top: Path, notices: tuple[Notice, ...] = ()
) -> ProjectFile:
    """The first file that speaks to Quorate."""
    for name in where.names:
        content = where.content(name)
        if content is None:
            continue
        place, folder = where.place(name)
        if PurePosixPath(name).name == PYPROJECT:
            document = parse_pyproject(content, place, folder)
        else:
            document = parse_yaml(content, place, folder, project=True)
        if document is not None and _is_ours(name, document):
            return ProjectFile(document, notices, top, name)
    return ProjectFile(None, notices)


def _is_ours(name: str, document: Document) -> bool:
    """A folder `.dev` may hold another tool's file."""
    shared = name.endswith(_SHARED_PLACE)
    return not shared or bool(document.tree.keys() & Settings.model_fields.keys())


def _speaks(name: str, content: bytes | None) -> bool:
    """True when that content would set anything, as far as can be said without judging it."""
    if content is None:
        return False
    try:
        if PurePosixPath(name).name == PYPROJECT:
            return parse_pyproject(content, name, Path()) is not None
        return _is_ours(name, parse_yaml(content, name, Path(), project=True))
    except ConfigurationError:
        return not name.endswith(_SHARED_PLACE)


# ---- reading ------------------------------------------------------------------------------------


def _entries(git: Git, state: str, names: tuple[str, ...]) -> dict[str, tuple[str, str]]:
    """Mode and blob of each name, in a commit or in the index."""
    listing = ("ls-files", "-s", "-z", "--full-name", "--") if state == INDEX else (
        "ls-tree", "-z", "--full-tree", state, "--",
    )  # fmt: skip
    asked = tuple(f":(top,literal){name}" for name in names) if state == INDEX else names
    options = () if state == INDEX else ("--literal-pathspecs",)
    listed = os.fsdecode(git.run(*options, *listing, *asked))
    entries = {}
    for line in filter(None, listed.split("\0")):
        facts, _, name = line.partition("\t")
        mode, *rest = facts.split(" ")
        entries[name] = (mode, rest[0] if state == INDEX else rest[1])
    return entries


def _blob(git: Git, blob: str, limit: int = MAX_PYPROJECT) -> bytes | None:
    """A blob as it is stored: no filter, no conversion. What is too large is cut just after the limit."""
    try:
        return git.run("cat-file", "blob", blob, limit=limit)
    except OutputTooLarge:
        return b" " * (limit + 1)


def _on_disk(file: Path) -> bytes | None:
    """The bytes of an ordinary file; never those that a link points to, which may be a stranger's choice."""
    if os.path.realpath(file) != str(file):
        return None
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        if isinstance(error, PermissionError):
            raise EnvironmentFault(
                "No permission to read the configuration {file}.", file=file
            ) from None
        return None
    with os.fdopen(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            return None
        return stream.read(MAX_PYPROJECT + 1)


def _lines(content: bytes | None) -> list[bytes] | None:
    """The lines, whatever ends them: a checkout may have converted those."""
    return None if content is None else content.splitlines()

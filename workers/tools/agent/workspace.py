"""A workspace opened: its files read, and written out for as long as a program needs them.

The person's repository lends its objects to one of our own, in whose index the state is put together. Nothing of the
repository's configuration, hooks, filters or attributes counts there, and nothing is written into it. Links and
submodules are no files of a workspace: where it is written out, a link is a small file that holds its target, as git
makes it where a system has no links, and a submodule is an empty folder.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from shared.errors import ToolError
from shared.git.process import Git
from shared.models.subject import Origin
from shared.models.workspace import Workspace, WorkspaceFile
from workers.tools.fixes.bench import git_blob_id, is_text
from workers.tools.fixes.repository import FixTarget, borrowed, commit_of
from workers.tools.fixes.worktree import EXECUTABLE, REGULAR
from workers.tools.registry import ToolContext
from workers.tools.sandbox.sandbox import MEGABYTE, Countdown, scratch
from workers.tools.snapshot import check_path, path_problem

MOST_FILES = 200_000
MOST_MB = 4096
LARGEST_READ = 16 * MEGABYTE
AT_ONCE = 32 * MEGABYTE


@dataclass(frozen=True)
class FileContent:
    """What a file holds, and whether it may be run."""

    data: bytes
    executable: bool = False


@dataclass(frozen=True)
class WorkspaceTree:
    """The files of a workspace. `git` is a repository of our own with the state in its index; `commit` is its id."""

    workspace: Workspace
    commit: str
    target: FixTarget
    git: Git
    countdown: Countdown

    def paths(self) -> tuple[str, ...]:
        """Every file with a plain name, in the order of names."""
        return tuple(self._files)

    def blob(self, path: str) -> str:
        """git's name for the content of a file: the same content has the same name in every commit."""
        return self._entry(path)[1]

    def is_executable(self, path: str) -> bool:
        """Whether the file may be run."""
        return self._entry(path)[0] == EXECUTABLE

    def size(self, path: str) -> int:
        """How many bytes the file has."""
        return self._sizes[self.blob(path)]

    def read(self, path: str) -> bytes:
        """The content of a file; raises `ToolError` when there is none, or it is larger than LARGEST_READ."""
        contents = self.read_all([path])
        if path not in contents:
            raise ToolError("{path} is too large to be read.", path=path)
        return contents[path]

    def read_all(self, paths: Iterable[str]) -> dict[str, bytes]:
        """The contents of many files by few processes; what is larger than LARGEST_READ is left out."""
        wanted = {path: self.blob(path) for path in paths}
        fitting = {blob for blob in wanted.values() if self._sizes[blob] <= LARGEST_READ}
        contents: dict[str, bytes] = {}
        for blobs in _portions(sorted(fitting), self._sizes):
            contents |= self._read_blobs(blobs)
        return {path: contents[blob] for path, blob in wanted.items() if blob in contents}

    def is_text(self, path: str) -> bool:
        """True for UTF-8 without NUL; not for what is too large to be read."""
        return self.size(path) <= LARGEST_READ and is_text(self.read(path))

    @property
    def total_size(self) -> int:
        """How many bytes all files have."""
        return sum(self._sizes[blob] for _, blob in self._files.values())

    @contextmanager
    def written_out(self) -> Iterator[Path]:
        """A fresh private folder with the files in it, without a repository around them; gone afterwards."""
        count, size_mb = len(self.entries), self.total_size // MEGABYTE
        if count > MOST_FILES or size_mb > MOST_MB:
            raise ToolError(
                "The repository is too large to be written out: {count} files, {size_mb} MB.",
                count=count,
                size_mb=size_mb,
            )
        with scratch() as folder:
            git = self.git.with_environment({"GIT_WORK_TREE": str(folder)})
            git.run("-c", "core.symlinks=false", "checkout-index", "--all", "--force", "--quiet")
            yield folder

    @cached_property
    def entries(self) -> Mapping[str, tuple[str, str]]:
        """(mode, blob) of all that is there: links, submodules and odd names, too."""
        return self.git.entries()

    @cached_property
    def _files(self) -> Mapping[str, tuple[str, str]]:
        return {
            path: entry
            for path, entry in sorted(self.entries.items())
            if entry[0] in (REGULAR, EXECUTABLE) and path_problem(path) is None
        }

    @cached_property
    def _sizes(self) -> Mapping[str, int]:
        blobs = sorted({blob for _, blob in self._files.values()})
        asked = self.git.run("cat-file", "--batch-check", given="\n".join(blobs).encode())
        sizes: dict[str, int] = {}
        for row in asked.decode().splitlines():
            blob, _, size = row.partition(" blob ")
            if not size:
                raise ToolError(
                    "{repository} lacks contents of the commit {commit}: get them first (`git fetch --refetch`, "
                    "or a full clone).",
                    repository=self.target.name,
                    commit=self.commit[:12],
                )
            sizes[blob] = int(size)
        return sizes

    def _entry(self, path: str) -> tuple[str, str]:
        try:
            return self._files[path]
        except KeyError:
            raise ToolError("There is no file {path!r} in this state.", path=path[:200]) from None

    def _read_blobs(self, blobs: Collection[str]) -> dict[str, bytes]:
        stream = self.git.run("cat-file", "--batch", given="\n".join(blobs).encode())
        contents: dict[str, bytes] = {}
        at = 0
        for blob in blobs:
            start = stream.index(b"\n", at) + 1
            at = start + self._sizes[blob] + 1
            contents[blob] = stream[start : at - 1]
        return contents


@contextmanager
def open_workspace(workspace: Workspace, context: ToolContext) -> Iterator[WorkspaceTree]:
    """The files of a workspace; raises `ToolError` when its repository or its commit is gone."""
    countdown = context.countdown()
    with borrowed(Origin(repository=workspace.repository), countdown) as (target, git):
        commit = commit_of(target, workspace.commit, git)
        git.run("read-tree", commit)
        stage(git, contents_of(workspace.files, context))
        yield WorkspaceTree(workspace, commit, target, git, countdown)


@contextmanager
def written_out(workspace: Workspace, context: ToolContext) -> Iterator[Path]:
    """A workspace in a fresh private folder, gone afterwards; raises `ToolError`."""
    with open_workspace(workspace, context) as tree, tree.written_out() as folder:
        yield folder


def stage(git: Git, files: Mapping[str, FileContent | None]) -> None:
    """Put files into the index of a repository of ours; None removes one."""
    contents = [content.data for content in files.values() if content is not None]
    if contents:
        git.write_blobs(contents)
    git.stage(index_entries(files, git.object_format))


def index_entries(
    files: Mapping[str, FileContent | None], object_format: str
) -> dict[str, tuple[str, str] | None]:
    """The files as git's index has them: removals come first, for a file may become a folder."""
    entries: dict[str, tuple[str, str] | None] = dict.fromkeys(
        path for path, content in files.items() if content is None
    )
    for path, content in files.items():
        if content is not None:
            mode = EXECUTABLE if content.executable else REGULAR
            entries[path] = (mode, git_blob_id(content.data, object_format))
    return entries


def contents_of(
    files: Iterable[WorkspaceFile], context: ToolContext
) -> dict[str, FileContent | None]:
    """What stands in the files that differ from the commit; raises `ToolError` for a path that is refused."""
    contents: dict[str, FileContent | None] = {}
    for file in files:
        check_path(file.path)
        document = None if file.document is None else context.documents.get(file.document)
        contents[file.path] = None if document is None else FileContent(document, file.executable)
    return contents


def _portions(blobs: Iterable[str], sizes: Mapping[str, int]) -> Iterator[list[str]]:
    portion: list[str] = []
    total = 0
    for blob in blobs:
        if portion and total + sizes[blob] > AT_ONCE:
            yield portion
            portion, total = [], 0
        portion.append(blob)
        total += sizes[blob]
    if portion:
        yield portion

"""A person's files, read and replaced without following a link and without ever being half written."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from shared.errors import ToolError
from workers.tools.snapshot import check_path

DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
REGULAR, EXECUTABLE, LINK = "100644", "100755", "120000"


@dataclass(frozen=True)
class WorktreeEntry:
    """A file as git would record it: its mode and its content (a link's target)."""

    mode: str
    data: bytes


def read_entry(root: Path, path: str) -> WorktreeEntry | None:
    """What is at `path` below `root`, or None when nothing is.

    Raises `ToolError` when a directory on the way is a link, or when it is neither a file nor a link.
    """
    with _parent(root, path) as parent:
        if parent is None:
            return None
        name = PurePosixPath(path).name
        try:
            status = os.stat(name, dir_fd=parent, follow_symlinks=False)
        except FileNotFoundError:
            return None
        if stat.S_ISLNK(status.st_mode):
            return WorktreeEntry(LINK, os.fsencode(os.readlink(name, dir_fd=parent)))
        if not stat.S_ISREG(status.st_mode):
            raise ToolError("{path} is not a file any more: nothing was applied.", path=path)
        return WorktreeEntry(_mode(status.st_mode), _read(parent, name, path))


def stage_file(root: Path, path: str, data: bytes, *, expected: bytes, token: str) -> None:
    """Write `data` beside a regular file with the content `expected`, and keep that by a second name.

    What can be refused (space, permissions) is refused here. `token` names both, so that a second attempt takes over
    what a killed one left. Raises `ToolError` when something else is there.
    """
    with _entry(root, path) as (parent, name):
        new, old = _beside(path, token)
        mode = stat.S_IMODE(_checked(parent, name, path, expected).st_mode)
        for temporary in (new, old):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=parent)
        _write(parent, new, data, mode)
        try:
            os.link(name, old, src_dir_fd=parent, dst_dir_fd=parent, follow_symlinks=False)
        except OSError:  # a file system without second names
            _write(parent, old, expected, mode)


def swap_file(root: Path, path: str, *, expected: bytes, token: str) -> None:
    """Put what `stage_file` wrote in the file's place, in one step. Raises `ToolError`, having changed nothing."""
    with _entry(root, path) as (parent, name):
        new, old = _beside(path, token)
        _checked(parent, name, path, expected)
        os.replace(new, name, src_dir_fd=parent, dst_dir_fd=parent)
        if _read(parent, old, path) != expected:  # somebody wrote into it in between: that stays
            os.replace(old, name, src_dir_fd=parent, dst_dir_fd=parent)
            raise ToolError("{path} changed since the review.", path=path)
        os.fsync(parent)


def swap_back(root: Path, path: str, *, expected: bytes, token: str) -> None:
    """Put the file that `swap_file` replaced back in its place. Raises `ToolError` when it is not as that left it."""
    with _entry(root, path) as (parent, name):
        _checked(parent, name, path, expected)
        os.replace(_beside(path, token)[1], name, src_dir_fd=parent, dst_dir_fd=parent)
        os.fsync(parent)


def clear_staged(root: Path, path: str, token: str) -> None:
    """Remove what `stage_file` left beside a file, as far as that is possible."""
    with contextlib.suppress(ToolError), _entry(root, path) as (parent, _):
        for temporary in _beside(path, token):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=parent)


def _beside(path: str, token: str) -> tuple[str, str]:
    """The names of the new and of the old content beside a file."""
    mark = hashlib.sha256(f"{token}/{path}".encode()).hexdigest()[:16]
    return f".quorate-{mark}.tmp", f".quorate-{mark}.old.tmp"


def _checked(parent: int, name: str, path: str, expected: bytes) -> os.stat_result:
    status = os.stat(name, dir_fd=parent, follow_symlinks=False)
    if not stat.S_ISREG(status.st_mode) or _read(parent, name, path) != expected:
        raise ToolError("{path} changed since the review.", path=path)
    return status


@contextlib.contextmanager
def _entry(root: Path, path: str) -> Iterator[tuple[int, str]]:
    """The directory of a file that is to be written, and its name there; an OSError in the block is a ToolError."""
    with _parent(root, path) as parent:
        if parent is None:
            raise ToolError("{path} is gone since the review.", path=path)
        try:
            yield parent, PurePosixPath(path).name
        except FileNotFoundError as error:
            raise ToolError("{path} is gone since the review.", path=path) from error
        except OSError as error:
            raise ToolError(
                "{path} cannot be written: {why}.", path=path, why=error.strerror
            ) from error


@contextlib.contextmanager
def _parent(root: Path, path: str) -> Iterator[int | None]:
    """The directory of `path`, opened component by component; None when it does not exist."""
    check_path(path)
    descriptor = _open_root(root)
    try:
        for part in PurePosixPath(path).parts[:-1]:
            try:
                inner = os.open(part, DIRECTORY, dir_fd=descriptor)
            except FileNotFoundError:
                yield None
                return
            except OSError as error:
                raise ToolError(
                    "{path} is refused: {part} is a link or not a directory ({why}).",
                    path=path,
                    part=part,
                    why=error.strerror,
                ) from error
            os.close(descriptor)
            descriptor = inner
        yield descriptor
    finally:
        os.close(descriptor)


def _open_root(root: Path) -> int:
    try:
        return os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise ToolError(
            "The repository {root} cannot be opened: {why}.", root=root, why=error.strerror
        ) from error


def _read(parent: int, name: str, path: str) -> bytes:
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        with os.fdopen(os.open(name, flags, dir_fd=parent), "rb") as file:
            return file.read()
    except OSError as error:
        raise ToolError("{path} cannot be read: {why}.", path=path, why=error.strerror) from error


def _write(parent: int, name: str, data: bytes, mode: int) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(name, flags, 0o600, dir_fd=parent), "wb") as file:
        file.write(data)
        file.flush()
        os.fchmod(file.fileno(), mode)
        os.fsync(file.fileno())


def _mode(mode: int) -> str:
    return EXECUTABLE if mode & stat.S_IXUSR else REGULAR

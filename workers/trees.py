"""Folders that a stranger's program filled: measured and removed whatever their depth and their modes.

A few thousand folders within one another take a moment to make. The standard library removes and walks them by
recursion and by paths, and ends with RecursionError or beyond the longest path that the system takes.
"""

from __future__ import annotations

import os
import secrets
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

DEEPEST = 200
LONGEST_PATH = 4_000


@contextmanager
def temporary_folder(prefix: str, within: Path | None = None) -> Iterator[Path]:
    """A private empty folder that is gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=within)).resolve()
    try:
        yield folder
    finally:
        remove_tree(folder)


def entries_of(folder: str) -> Iterator[os.DirEntry[str] | None]:
    """Everything below a folder, links not followed; None for a folder that is too deep to be looked into."""
    waiting = [(folder, 0)]
    while waiting:
        place, depth = waiting.pop()
        with suppress(OSError), os.scandir(place) as entries:
            for entry in entries:
                yield entry
                if not entry.is_dir(follow_symlinks=False):
                    continue
                if depth >= DEEPEST or len(entry.path) > LONGEST_PATH:
                    yield None
                else:
                    waiting.append((entry.path, depth + 1))


def remove_tree(folder: Path) -> None:
    """Remove a folder with all that is in it as far as the system lets us. Nobody may still write there."""
    with suppress(OSError):
        root = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            while names := os.listdir(root):
                if not sum(_take_apart(root, name) for name in names):
                    break
        finally:
            os.close(root)
        folder.rmdir()


def _take_apart(root: int, name: str) -> bool:
    """Remove an entry of the root; the folders in it become the root's own. False when it stays."""
    try:
        if not _is_folder(root, name):
            os.unlink(name, dir_fd=root)
            return True
        inside = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=root)
        try:
            for inner in os.listdir(inside):
                if _is_folder(inside, inner):
                    moved = secrets.token_hex(16)
                    os.rename(inner, moved, src_dir_fd=inside, dst_dir_fd=root)
                else:
                    os.unlink(inner, dir_fd=inside)
        finally:
            os.close(inside)
        os.rmdir(name, dir_fd=root)
    except OSError:
        return False
    return True


def _is_folder(parent: int, name: str) -> bool:
    """Whether it is one; what is closed is opened, for a folder is moved by writing in it."""
    mode = os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode
    if stat.S_ISDIR(mode) and mode & 0o700 != 0o700:
        os.chmod(name, 0o700, dir_fd=parent)
    return stat.S_ISDIR(mode)

"""Which files of a change are not captured, and why: their reasons are shown, never dropped."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from orchestrator.subjects.request import Screen

SYMLINK, SUBMODULE = b"120000", b"160000"
_HEAD_BYTES = 8000
"""Where git, too, looks for a NUL byte to call a file binary."""


@dataclass(frozen=True)
class Unread:
    """A file that was not read, and the reason."""

    reason: str


def screen_path(path: bytes, screen: Screen) -> str | None:
    """Why a file of that name is not captured; None when its name is no reason."""
    try:
        name = path.decode("utf-8")
    except UnicodeDecodeError:
        return "its name is not UTF-8"
    if any(letter in name for letter in "\r\n\0"):
        return "its name holds a line break"
    parts = name.split("/")
    if name.startswith("/") or ".." in parts or parts[0] == ".git":
        return "its path leads out of the repository"
    if stays_here(name, screen):
        return "it may hold secrets, so it is never sent (privacy.never_send)"
    if _matches(name, screen.exclude):
        return "it is excluded by the configuration (review.exclude)"
    return None


def stays_here(name: str, screen: Screen) -> bool:
    """True when a file of that name is never sent."""
    return not _matches(name, screen.may_be_sent) and _matches(name, screen.never_sent)


def screen_modes(*modes: bytes | None) -> str | None:
    """Why a file of these git modes is not captured; None when it is a plain file."""
    if SUBMODULE in modes:
        return "it is a submodule; review it in its own repository"
    if SYMLINK in modes:
        return "it is a symbolic link, which is never followed"
    return None


def screen_content(content: bytes) -> str | None:
    """Why this text is not captured; None for text."""
    return "it is binary" if b"\0" in content[:_HEAD_BYTES] else None


def too_large(size: int, limit: int) -> str:
    """The reason for a file over the limit."""
    return f"it is too large ({megabytes(size)}; the limit for one file is {megabytes(limit)})"


def megabytes(size: int) -> str:
    """A size for people, in millions of bytes."""
    return f"{size / 1_000_000:.1f} MB"


def read_inside(top: Path, path: bytes, limit: int) -> bytes | Unread:
    """A plain file below `top`, read without following any symbolic link on the way."""
    folder = os.open(top, os.O_RDONLY | os.O_DIRECTORY)
    try:
        *folders, name = path.split(b"/")
        for part in folders:
            inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
        handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except PermissionError:
        return Unread("there is no permission to read it")
    except OSError:
        return Unread("it is not a plain file, or it is gone")
    finally:
        os.close(folder)
    with os.fdopen(handle, "rb") as file:
        facts = os.fstat(file.fileno())
        if not stat.S_ISREG(facts.st_mode):
            return Unread("it is not a plain file")
        if facts.st_size > limit:
            return Unread(too_large(facts.st_size, limit))
        content = file.read(limit + 1)
    return Unread(too_large(len(content), limit)) if len(content) > limit else content


def _matches(name: str, globs: tuple[str, ...]) -> bool:
    lowered = name.lower()
    last = lowered.rpartition("/")[2]
    return any(_matches_one(lowered, last, glob.lower()) for glob in globs)


def _matches_one(name: str, last: str, glob: str) -> bool:
    if "/" not in glob:
        return fnmatchcase(last, glob)
    glob = glob.removeprefix("**/").removeprefix("/")
    return fnmatchcase(name, glob) or fnmatchcase(name, f"*/{glob}")

"""Which files of a change are not captured, and why: their reasons are shown, never dropped."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from orchestrator.subjects.request import Screen
from shared.models.coverage import UnreadReason
from shared.patterns import regex
from shared.text.masking.file_names import is_withheld, names_file

SYMLINK, SUBMODULE = b"120000", b"160000"
PLAIN, EXECUTABLE = b"100644", b"100755"
_LFS = regex(
    rb"\s*version (?:https://git-lfs\.github\.com/spec/|https://hawser\.github\.com/spec/|http://git-media\.io/v/)"
)
"""A pointer by each of the names that git-lfs reads; it passes over white space before them."""
_HEAD_BYTES = 8000
"""Where git also looks for a NUL byte to call a file binary."""


@dataclass(frozen=True)
class Unread:
    """A file that was not read, and the reason in words and as a code."""

    reason: str
    code: UnreadReason


BINARY = Unread("it is binary", UnreadReason.BINARY)


def screen_path(path: bytes, screen: Screen) -> Unread | None:
    """Why a file of that name is not captured; None when its name is no reason."""
    try:
        name = path.decode("utf-8")
    except UnicodeDecodeError:
        return Unread("its name is not UTF-8", UnreadReason.UNUSABLE_NAME)
    if any(letter in name for letter in "\r\n\0"):
        return Unread("its name holds a line break", UnreadReason.UNUSABLE_NAME)
    parts = name.split("/")
    if name.startswith("/") or ".." in parts or parts[0] == ".git":
        return Unread("its path leads out of the repository", UnreadReason.UNUSABLE_NAME)
    if stays_here(name, screen):
        return Unread(
            "it may hold secrets, so it is never sent (privacy.never_send)", UnreadReason.NEVER_SENT
        )
    if names_file(screen.exclude, name):
        return Unread("it is excluded by the configuration (review.exclude)", UnreadReason.EXCLUDED)
    return None


def stays_here(name: str, screen: Screen) -> bool:
    """True when a file of that name is never sent."""
    return is_withheld(name, screen.never_sent, screen.may_be_sent)


def screen_modes(*modes: bytes | None) -> Unread | None:
    """Why a file of these git modes is not captured; None when it is a plain file."""
    if SUBMODULE in modes:
        return Unread("it is a submodule; review it in its own repository", UnreadReason.SUBMODULE)
    if SYMLINK in modes:
        return Unread("it is a symbolic link, which is never followed", UnreadReason.SYMLINK)
    return None


def screen_content(content: bytes) -> Unread | None:
    """Why this text is not captured; None for text."""
    if _LFS.match(content):
        return Unread(
            "it is a Git LFS pointer, and its content is elsewhere", UnreadReason.LFS_POINTER
        )
    return BINARY if b"\0" in content[:_HEAD_BYTES] else None


def too_large(size: int, limit: int) -> Unread:
    """The reason for a file over the limit."""
    return Unread(
        f"it is too large ({megabytes(size)}; the limit for one file is {megabytes(limit)})",
        UnreadReason.TOO_LARGE,
    )


def megabytes(size: int) -> str:
    """A size for people, in millions of bytes."""
    return f"{size / 1_000_000:.1f} MB"


def read_inside(top: Path, path: bytes, limit: int) -> bytes | Unread:
    """A plain file below `top`, read without following any symbolic link on the way."""
    try:
        file = _open_inside(top, path)
    except PermissionError:
        return Unread("there is no permission to read it", UnreadReason.GONE)
    except OSError:
        return Unread("it is not a plain file, or it is gone", UnreadReason.GONE)
    with file:
        facts = os.fstat(file.fileno())
        if not stat.S_ISREG(facts.st_mode):
            return Unread("it is not a plain file", UnreadReason.GONE)
        if facts.st_size > limit:
            return too_large(facts.st_size, limit)
        content = file.read(limit + 1)
    return too_large(len(content), limit) if len(content) > limit else content


def head_inside(top: Path, path: bytes, size: int) -> bytes:
    """The first bytes of a plain file below `top`; nothing when it cannot be read."""
    try:
        with _open_inside(top, path) as file:
            plain = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            return file.read(size) if plain else b""
    except OSError:
        return b""


def is_executable(top: Path, path: bytes) -> bool:
    """True for a plain file that its owner may execute, which is what git records."""
    try:
        mode = os.lstat(os.path.join(os.fsencode(top), path)).st_mode
    except OSError:
        return False
    return stat.S_ISREG(mode) and bool(mode & stat.S_IXUSR)


def _open_inside(top: Path, path: bytes) -> IO[bytes]:
    folder = os.open(top, os.O_RDONLY | os.O_DIRECTORY)
    try:
        *folders, name = path.split(b"/")
        for part in folders:
            inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
        handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    finally:
        os.close(folder)
    return os.fdopen(handle, "rb")

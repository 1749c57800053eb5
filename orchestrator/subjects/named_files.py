"""A file that somebody named, read once: what may not be read is refused with its reason, before anything is stored."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from orchestrator.subjects.request import Screen
from orchestrator.subjects.screening import megabytes, stays_here
from shared.errors import EnvironmentFault, SubjectError


def read_named(folder: Path, name: str, typed: str, limit: int, screen: Screen) -> bytes:
    """The bytes of a file that was named, relative to `folder`. A symbolic link is followed, and is screened by both of
    its names.

    `typed` is what an error calls it. Raises SubjectError beyond `limit` bytes and for what cannot be read,
    EnvironmentFault for a missing permission.
    """
    file = folder / name
    check_name(name, file, typed, screen)
    try:
        return _read_bytes(file, typed, limit)
    except PermissionError as error:
        raise EnvironmentFault("{typed}: there is no permission to read it", typed=typed) from error
    except FileNotFoundError as error:
        raise SubjectError("{typed}: there is no such file", typed=typed) from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise SubjectError(
            "{typed}: it cannot be read: {reason}", typed=typed, reason=reason
        ) from error


def check_name(name: str, file: Path, typed: str, screen: Screen) -> None:
    """Raise SubjectError where a file of that name is not read."""
    if not name.isprintable():
        raise SubjectError("{typed!r}: the name holds characters that cannot be shown", typed=typed)
    names = (os.path.abspath(file), os.path.realpath(file))
    if any(stays_here(spelling, screen) for spelling in names):
        raise SubjectError(
            "{typed}: it may hold secrets, so it is never sent (privacy.never_send; make an "
            "exception with privacy.may_send in your own configuration)",
            typed=typed,
        )


def _read_bytes(file: Path, typed: str, limit: int) -> bytes:
    """All of a plain file or of a pipe, like the one that a shell makes of `<(command)`."""
    # Not blocking: to open a named pipe that nobody writes would wait for ever.
    handle = os.open(file, os.O_RDONLY | os.O_NONBLOCK)
    try:
        _check_kind(os.fstat(handle).st_mode, typed)
        os.set_blocking(handle, True)
        with open(handle, "rb", closefd=False) as stream:
            content = stream.read(limit + 1)
    finally:
        os.close(handle)
    if len(content) > limit:
        raise SubjectError(
            "{typed}: it is too large (the limit for one file is {limit}): give the part that "
            "matters",
            typed=typed,
            limit=megabytes(limit),
        )
    return content


def _check_kind(mode: int, typed: str) -> None:
    if stat.S_ISDIR(mode):
        raise SubjectError("{typed}: it is a folder; name the files in it", typed=typed)
    if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
        raise SubjectError("{typed}: it is neither a plain file nor a pipe", typed=typed)

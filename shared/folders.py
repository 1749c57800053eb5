"""Private folders and log files, and what to tell a person when the disk will not give them."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shared.accounts import Account
from shared.errors import EnvironmentFault
from shared.instance import Instance
from shared.sentences import Sentence

LOG_CAP_BYTES = 5_000_000
FRESH_BYTES = 100_000_000
"""A new Postgres takes 39 MB and wants room for its log."""

_MOVE = "set XDG_DATA_HOME and XDG_STATE_HOME to another folder"
_CURES = {
    errno.ENOSPC: ("the disk is full", "free some space, or {move}"),
    errno.EDQUOT: ("the disk quota is used up", "free some space, or {move}"),
    errno.EACCES: ("permission denied", "make it yours, or {move}"),
    errno.EPERM: ("not permitted", "make it yours, or {move}"),
    errno.EROFS: ("the file system is read-only", "{move}"),
    errno.ENOTDIR: ("a file stands where a folder should be", "move it away, or {move}"),
    errno.EEXIST: ("a file stands where a folder should be", "move it away, or {move}"),
    errno.EMFILE: ("too many open files", "raise the limit with `ulimit -n`"),
}


@contextmanager
def os_error_as_fault(doing: str, where: Path, move: str = _MOVE) -> Iterator[None]:
    """Turn an OSError inside into an EnvironmentFault: what, where, what to do; `move` says how to go elsewhere."""
    try:
        yield
    except OSError as error:
        code = error.errno or 0
        why, cure = _CURES.get(code, (error.strerror or str(error), "correct that, or {move}"))
        raise EnvironmentFault(
            "Cannot {doing} {where}: {why}; {cure}.",
            doing=doing,
            where=where,
            why=why,
            cure=Sentence(cure, move=move),
        ) from error


def prepare(instance: Instance, account: Account | None) -> None:
    """Make the instance's folders, 0700; `run_dir` belongs to the servers' account if there is one.

    Raises EnvironmentFault if a folder cannot be made or belongs to somebody else.
    """
    for folder in (instance.data_dir, instance.state_dir, instance.log_dir):
        make_private(folder)
    if instance.run_dir.parent != instance.state_dir:
        # A folder in /tmp has a name that others can guess: it must be ours and no link.
        make_private(instance.run_dir.parent)
    make_private(instance.run_dir, account)


def make_private(folder: Path, account: Account | None = None) -> None:
    """Make `folder` with mode 0700, owned by `account` or us, and refuse anybody else's.

    Missing parents get the ordinary mode; parents that exist are never changed.
    """
    with os_error_as_fault("make the folder", folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        try:
            folder.mkdir(mode=0o700)
        except FileExistsError:
            if not stat.S_ISDIR(folder.lstat().st_mode):
                raise
        found = folder.lstat()
        wanted_uid = account.uid if account else os.geteuid()
        if account and found.st_uid != account.uid and folder.parent.stat().st_uid == os.geteuid():
            os.chown(folder, account.uid, account.gid, follow_symlinks=False)
        elif found.st_uid != wanted_uid:
            raise EnvironmentFault(
                "The folder {folder} belongs to user {st_uid}, not to {wanted_uid}; run as its owner, or "
                "{move}.",
                folder=folder,
                st_uid=found.st_uid,
                wanted_uid=wanted_uid,
                move=_MOVE,
            )
        if stat.S_IMODE(found.st_mode) != 0o700:
            folder.chmod(0o700)


def hand_over(folder: Path, account: Account | None) -> None:
    """Give what `folder` holds to `account`: the data of an instance whose servers ran as another one.

    Only while no server works in it. What its owner had no right to (a hard link to somebody else's file) stays.
    """
    if account is None or not folder.is_dir() or folder.stat().st_uid == account.uid:
        return
    former = folder.stat().st_uid
    with os_error_as_fault(f"hand over to {account.name}", folder):
        for _, folders, files, place in os.fwalk(folder, topdown=False):
            for name in (*folders, *files):
                _hand_over_entry(name, place, former, account)
        os.chown(folder, account.uid, account.gid, follow_symlinks=False)  # last: it is the mark


def _hand_over_entry(name: str, place: int, former: int, account: Account) -> None:
    kind = os.stat(name, dir_fd=place, follow_symlinks=False).st_mode
    if not (stat.S_ISDIR(kind) or stat.S_ISREG(kind)):
        return
    descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=place)
    try:
        found = os.fstat(descriptor)
        if found.st_uid == former and (stat.S_ISDIR(found.st_mode) or found.st_nlink == 1):
            os.fchown(descriptor, account.uid, account.gid)
    finally:
        os.close(descriptor)


def require_space(folder: Path, needed_bytes: int) -> None:
    """Raise EnvironmentFault unless the file system of `folder` has `needed_bytes` to give."""
    with os_error_as_fault("measure the free space of", folder):
        found = os.statvfs(folder)
    free = found.f_bavail * found.f_frsize
    if free < needed_bytes:
        raise EnvironmentFault(
            "Only {free} MB are free for {folder} and {needed} MB are needed; free some space, "
            "or {move}.",
            free=free // 1_000_000,
            folder=folder,
            needed=-(-needed_bytes // 1_000_000),
            move=_MOVE,
        )


@contextmanager
def appending(log: Path) -> Iterator[int]:
    """A descriptor that appends to `log`, which is moved to `*.1` first once it is over the cap."""
    with os_error_as_fault("write the log", log):
        log.parent.mkdir(parents=True, exist_ok=True)
        if log.exists() and log.stat().st_size > LOG_CAP_BYTES:
            log.replace(log.with_name(log.name + ".1"))
        descriptor = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def last_lines(log: Path, count: int = 3) -> str:
    """The end of `log` on one line, for an error's text; empty if there is none."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - 4000))
            lines = file.read().decode(errors="replace").splitlines()
    except OSError:
        return ""
    return " / ".join(line.strip() for line in lines[-count:] if line.strip())

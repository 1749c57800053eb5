"""Which account the servers run as: root hands them to an unprivileged one, others keep theirs."""

import os
import pwd
import stat
from dataclasses import dataclass
from pathlib import Path

from shared.errors import EnvironmentFault

PREFERRED = ("quorate", "nobody", "daemon")
"""`postgres` and `redis` are left out: they own other servers' data on many machines."""


@dataclass(frozen=True, slots=True)
class Account:
    """An unprivileged account of this machine."""

    name: str
    uid: int
    gid: int


def server_account(
    existing: tuple[Path, ...], names: tuple[str, ...] = PREFERRED
) -> Account | None:
    """The account that the servers get, or None when we are not root and keep ours.

    Folders in `existing` that already hold data decide: their owner keeps them.
    Raises EnvironmentFault when root finds no account to drop to.
    """
    if os.geteuid() != 0:
        return None
    for folder in existing:
        if folder.is_dir() and (found := folder.stat()).st_uid != 0:
            return Account(f"user {found.st_uid}", found.st_uid, found.st_gid)
    for name in names:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        if entry.pw_uid != 0:
            return Account(name, entry.pw_uid, entry.pw_gid)
    raise EnvironmentFault(
        f"Postgres does not run as root and this machine has none of the accounts {', '.join(names)}; "
        "add one with `useradd --system quorate`, or run Quorate as an ordinary user."
    )


def can_run(account: Account, program: Path) -> bool:
    """Whether `account` may enter every folder above `program` and read and execute the file."""
    path = program.resolve()
    wanted = [
        (path, stat.S_IROTH | stat.S_IXOTH),
        *((above, stat.S_IXOTH) for above in path.parents),
    ]
    return all(_grants(account, place, bits) for place, bits in wanted)


def _grants(account: Account, place: Path, other_bits: int) -> bool:
    found = place.stat()
    if found.st_uid == account.uid:
        bits = other_bits << 6
    elif found.st_gid == account.gid:
        bits = other_bits << 3
    else:
        bits = other_bits
    return found.st_mode & bits == bits

"""Which account the servers run as: root hands them to one that nothing else uses, others keep theirs."""

import fcntl
import grp
import os
import pwd
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from shared.errors import EnvironmentFault

VARIABLE = "QUORATE_SERVER_ACCOUNT"
DEDICATED = "quorate"
SHARED_ACCOUNTS = frozenset(
    "root nobody daemon bin sys sync games man lp mail news uucp proxy www-data www backup list irc ircd gnats adm "
    "operator guest ftp http apache nginx httpd caddy postgres postgresql mysql redis valkey memcache mongodb rabbitmq "
    "sshd messagebus dbus systemd-network systemd-resolve systemd-timesync polkitd chrony ntp cron at _apt nfsnobody "
    "docker git gitlab-runner jenkins runner builder ubuntu debian admin vagrant ec2-user".split()
)
"""Accounts that other programs or people use: any process of theirs could read the servers' data."""
_OVERFLOW_IDS = frozenset({65534, 4294967294})
_NO_LOGIN = ("/usr/sbin/nologin", "/sbin/nologin", "/bin/false")
_SYSTEM_PATH = "/usr/sbin:/sbin:/usr/bin:/bin"
_OTHERWISE = (
    "or run Quorate as an ordinary user, or set QUORATE_REDIS_URL and QUORATE_DATABASE_URL to "
    "servers that exist"
)


@dataclass(frozen=True, slots=True)
class Account:
    """An unprivileged account of this machine."""

    name: str
    uid: int
    gid: int


def server_account(
    environ: Mapping[str, str], make: Callable[[str], None] | None = None
) -> Account | None:
    """The account that the servers get, or None when we are not root and keep ours.

    `quorate` is made by `make` where it is missing; another name (QUORATE_SERVER_ACCOUNT) must exist.
    Raises EnvironmentFault for an account that is not the servers' alone, or that cannot be made.
    """
    if os.geteuid() != 0:
        return None
    name = environ.get(VARIABLE) or DEDICATED
    if name in SHARED_ACCOUNTS:
        raise EnvironmentFault(
            "{variable} is {name!r}, which other programs use, too: any of them could read and "
            "change what the servers hold. Name an account that nothing else uses (`{dedicated}` "
            "without the variable).",
            variable=VARIABLE,
            name=name,
            dedicated=DEDICATED,
        )
    entry = _look_up(name) or (_made(name, make or make_account) if name == DEDICATED else None)
    if entry is None:
        raise EnvironmentFault(
            "As root the servers run as the account {name!r}, which this machine does not have: add "
            "it with `{command}`, {otherwise}.",
            name=name,
            command=" ".join(_useradd(name)),
            otherwise=_OTHERWISE,
        )
    if entry.pw_uid == 0 or entry.pw_uid in _OVERFLOW_IDS:
        raise EnvironmentFault(
            "The account {name!r} has the id {pw_uid}, which it shares with another account: give it "
            "another, or name another account in {variable}.",
            name=name,
            pw_uid=entry.pw_uid,
            variable=VARIABLE,
        )
    return Account(name, entry.pw_uid, entry.pw_gid)


def _made(name: str, make: Callable[[str], None]) -> pwd.struct_passwd | None:
    """The account, made by one process at a time.

    Of two `useradd` at once the second gives the name another id than the first had told: it looks for the name
    before it takes its own lock, and replaces the entry after.
    """
    folder = os.open("/etc", os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        if (entry := _look_up(name)) is not None:
            return entry
        make(name)
        return _look_up(name)
    finally:
        os.close(folder)


def make_account(name: str) -> None:
    """Add a system account without a home and a login, by the system's own tool, and say so on stderr.

    Raises EnvironmentFault with the command when that is impossible.
    """
    failure = "there is neither useradd nor adduser"
    for command in (_useradd(name), _busybox(name)):
        program = shutil.which(command[0], path=_SYSTEM_PATH)
        if program is None:
            continue
        done = subprocess.run(
            (program, *command[1:]),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            env={"PATH": _SYSTEM_PATH, "LC_ALL": "C"},
            check=False,
        )
        if _look_up(name) is not None:
            if done.returncode == 0:
                say(
                    f"added the system account {name!r} for the embedded servers, which do not run as root "
                    f"(remove it with `userdel {name}` once they are down)"
                )
            return
        if done.returncode != 0:  # Debian's adduser takes busybox's -h for a call for help
            failure = (done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"])[-1]
    raise EnvironmentFault(
        "As root the servers run as the account {name!r}, and it cannot be added ({failure}): "
        "add it with `{command}`, {otherwise}.",
        name=name,
        failure=failure,
        command=" ".join(_useradd(name)),
        otherwise=_OTHERWISE,
    )


def other_users(account: Account, foreign: Sequence[str]) -> tuple[str, ...]:
    """Signs that somebody else uses `account`: a login shell, and the `foreign` programs that run as it."""
    signs = []
    shell = entry.pw_shell if (entry := _look_up(account.name)) else ""
    if shell and Path(shell).name not in {"nologin", "false", "true"}:
        signs.append(f"it has the login shell {shell}")
    if foreign:
        signs.append(f"it runs {', '.join(foreign)}")
    return tuple(signs)


def say(text: str) -> None:
    """One line on stderr."""
    sys.stderr.write(f"quorate: {text}\n")
    sys.stderr.flush()


def can_run(account: Account, program: Path) -> bool:
    """Whether `account` may enter every folder above `program` and read and execute the file."""
    path = program.resolve()
    wanted = [
        (path, stat.S_IROTH | stat.S_IXOTH),
        *((above, stat.S_IXOTH) for above in path.parents),
    ]
    return all(_grants(account, place, bits) for place, bits in wanted)


def _look_up(name: str) -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(name)
    except KeyError:
        return None


def _useradd(name: str) -> tuple[str, ...]:
    options = ("--system", "--no-create-home", "--home-dir", "/nonexistent", "--shell", _no_login())
    return ("useradd", *options, *_group_option(name), name)


def _group_option(name: str) -> tuple[str, ...]:
    try:
        grp.getgrnam(name)
    except KeyError:
        return ("--user-group",)
    return ("--gid", name)


def _busybox(name: str) -> tuple[str, ...]:
    return ("adduser", "-S", "-D", "-H", "-h", "/nonexistent", "-s", _no_login(), name)


def _no_login() -> str:
    return next((path for path in _NO_LOGIN if Path(path).exists()), _NO_LOGIN[-1])


def _grants(account: Account, place: Path, other_bits: int) -> bool:
    found = place.stat()
    if found.st_uid == account.uid:
        bits = other_bits << 6
    elif found.st_gid == account.gid:
        bits = other_bits << 3
    else:
        bits = other_bits
    return found.st_mode & bits == bits

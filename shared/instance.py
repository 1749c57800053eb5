"""Where one instance of Quorate keeps its data, its state and its sockets, and the URLs that follow."""

import hashlib
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self
from urllib.parse import quote

from shared.errors import UserError
from shared.patterns import regex

DATABASE = "quorate"
POSTGRES_SOCKET = ".s.PGSQL.5432"
REDIS_SOCKET = "redis.sock"
SIGNALS_DB = 2
"""Where the embedded Redis keeps what is no message: signals, limits, counts."""

_NAME = regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
# Flower does not decode percent escapes and libpq splits a host at commas.
_PLAIN_PATH = regex(r"[A-Za-z0-9._/-]+")
# sun_path holds 108 bytes with its NUL on Linux and 104 on macOS: the shorter one keeps one rule.
_LONGEST_SOCKET_PATH = 103
_SHARED_TMP = Path("/tmp")


@dataclass(frozen=True, slots=True)
class Endpoints:
    """How clients reach the servers; the same three URLs describe external servers.

    They hold passwords, so they are not shown with the value.
    """

    broker_url: str = field(repr=False)
    """kombu's URL, always database 0: Flower reads only that one."""
    redis_url: str = field(repr=False)
    """redis-py's URL for Quorate's own keys (signals, limits)."""
    database_url: str = field(repr=False)
    """SQLAlchemy's URL, with the psycopg driver."""


@dataclass(frozen=True, slots=True)
class Instance:
    """The folders of one instance; making the value touches no disk."""

    name: str
    data_dir: Path
    """Holds `pg` and `redis`: what must survive."""
    state_dir: Path
    """Holds locks, logs and the supervisor's status."""
    run_dir: Path
    """Holds the sockets, 0700."""
    log_dir: Path

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> Self:
        """The instance that `QUORATE_INSTANCE` names, in the XDG folders of `environ`.

        Raises UserError for a name that cannot be a folder's name. `XDG_RUNTIME_DIR` is not used:
        it is unset under cron and su, and two places would mean two pairs of servers.
        """
        home = Path(environ.get("HOME") or Path.home())
        data_home = _xdg(environ, "XDG_DATA_HOME", home / ".local/share")
        state_home = _xdg(environ, "XDG_STATE_HOME", home / ".local/state")
        name = environ.get("QUORATE_INSTANCE") or "default"
        return cls._in(data_home / "quorate", state_home / "quorate", name)

    @classmethod
    def at(cls, root: Path, name: str = "default") -> Self:
        """An instance that lives below `root` alone, as tests want it."""
        root = root.absolute()
        return cls._in(root / "data", root / "state", name)

    @classmethod
    def _in(cls, data_home: Path, state_home: Path, name: str) -> Self:
        if not _NAME.fullmatch(name):
            raise UserError(
                "QUORATE_INSTANCE is {name!r}; use letters, digits, '.', '_' and '-', at most 64, "
                "beginning with a letter or a digit.",
                name=name,
            )
        state_dir = state_home / name
        return cls(
            name=name,
            data_dir=data_home / name,
            state_dir=state_dir,
            run_dir=_run_dir(state_dir),
            log_dir=state_dir / "log",
        )

    @property
    def postgres_dir(self) -> Path:
        return self.data_dir / "pg"

    @property
    def redis_dir(self) -> Path:
        return self.data_dir / "redis"

    @property
    def postgres_socket(self) -> Path:
        return self.run_dir / POSTGRES_SOCKET

    @property
    def redis_socket(self) -> Path:
        return self.run_dir / REDIS_SOCKET

    @property
    def password_file(self) -> Path:
        """Holds the servers' password, 0600; made with the first start."""
        return self.data_dir / "password"

    @property
    def password(self) -> str | None:
        """The servers' password; None before the first start, and for whoever may not read it."""
        try:
            return self.password_file.read_text(encoding="ascii").strip() or None
        except (OSError, UnicodeDecodeError):
            return None

    @property
    def endpoints(self) -> Endpoints:
        """The URLs at which this instance's servers answer once they are up; they hold the password."""
        password = self.password
        login = f":{password}@" if password else ""
        return Endpoints(
            broker_url=f"redis+socket://{login}{self.redis_socket}",
            redis_url=f"unix://{login}{self.redis_socket}?db={SIGNALS_DB}",
            database_url=socket_database_url(self.run_dir, DATABASE, password),
        )


def socket_database_url(folder: Path, database: str, password: str | None) -> str:
    """SQLAlchemy's URL of a database behind the socket in `folder`."""
    login = f"postgres:{password}" if password else "postgres"
    return f"postgresql+psycopg://{login}@/{quote(database)}?host={quote(str(folder), safe='')}"


def _xdg(environ: Mapping[str, str], variable: str, default: Path) -> Path:
    # The XDG specification: a relative path is to be ignored.
    value = Path(environ.get(variable, ""))
    return value if value.is_absolute() else default


def _run_dir(state_dir: Path) -> Path:
    wanted = state_dir / "run"
    longest = str(wanted / POSTGRES_SOCKET)
    if len(os.fsencode(longest)) <= _LONGEST_SOCKET_PATH and _PLAIN_PATH.fullmatch(longest):
        return wanted
    # /tmp and not $TMPDIR: shells, cron and services disagree about the latter, and every
    # process of the instance must find the same sockets.
    temporary = _SHARED_TMP if _SHARED_TMP.is_dir() else Path(tempfile.gettempdir())
    mark = hashlib.sha256(os.fsencode(state_dir)).hexdigest()[:16]
    return temporary / f"quorate-{os.geteuid()}-{mark}" / "run"

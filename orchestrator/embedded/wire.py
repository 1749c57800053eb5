"""Just enough of the Redis and Postgres protocols to ask a server on a unix socket how it is.

redis-py costs 258 ms to import and psycopg 260 ms; a command whose servers are up asks in 3 ms.
Protocols: https://redis.io/docs/latest/develop/reference/protocol-spec/ (RESP2) and
https://www.postgresql.org/docs/current/protocol-message-formats.html (3.0).
"""

import socket
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Self

from orchestrator.embedded.passwords import ScramClient
from shared.errors import EnvironmentFault
from shared.instance import DATABASE, Instance

PROBE_S = 2.0


class ServerState(StrEnum):
    """What a server's socket says."""

    DOWN = "down"
    SILENT = "silent"  # it takes connections and does not answer
    STARTING = "starting"
    NO_DATABASE = "no database"  # Postgres is up, our database is not made yet
    MISMATCHED = "mismatched"  # it refuses our password, or does not ask for it
    UP = "up"


_STATE_BY_SQLSTATE = {
    "3D000": ServerState.NO_DATABASE,
    "57P01": ServerState.STARTING,  # going down: what follows is a start
    "57P02": ServerState.STARTING,
    "57P03": ServerState.STARTING,
    "53300": ServerState.UP,  # every connection is taken: busy, not dead
    "28000": ServerState.MISMATCHED,  # no line of pg_hba.conf lets us in, or an unknown way to
    "28P01": ServerState.MISMATCHED,  # another password
}


class RedisRefusal(EnvironmentFault):
    """Redis does not take our password, or does not ask for one."""


class PostgresRefusal(EnvironmentFault):
    """Postgres answered with an error; `sqlstate` is its five-character code.

    A fatal one has ended the connection.
    """

    def __init__(self, sqlstate: str, message: str, *, is_fatal: bool = False) -> None:
        super().__init__(f"Postgres refused: {message} ({sqlstate}).")
        self.sqlstate = sqlstate
        self.is_fatal = is_fatal


class _Wire:
    """A connected stream; closes itself as a context manager. Methods raise OSError on a dead peer."""

    def __init__(self, path: Path, timeout_s: float) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(timeout_s)
        try:
            self._socket.connect(str(path))
        except OSError:
            self._socket.close()
            raise
        self._input = self._socket.makefile("rb")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def fileno(self) -> int:
        return self._socket.fileno()

    def close(self) -> None:
        self._input.close()
        self._socket.close()

    def _read(self, size: int) -> bytes:
        data = self._input.read(size)
        if len(data) < size:
            raise ConnectionResetError("the server closed the connection")
        return data


class RedisWire(_Wire):
    """One connection to a Redis-compatible server. Raises RedisRefusal where the password does not fit."""

    def __init__(self, instance: Instance, timeout_s: float = PROBE_S) -> None:
        super().__init__(instance.redis_socket, timeout_s)
        password = instance.password
        try:
            if password and not (reply := self.ask("AUTH", password)).startswith("+OK"):
                raise RedisRefusal(
                    "Redis at {redis_socket} answers AUTH with {reply!r}.",
                    redis_socket=instance.redis_socket,
                    reply=reply,
                )
        except (OSError, EnvironmentFault):
            self.close()
            raise

    def ask(self, *words: str) -> str:
        """Send one command and return its reply of one line or one bulk string, errors included."""
        parts = [word.encode() for word in words]
        body = b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts)
        self._socket.sendall(b"*%d\r\n%s" % (len(parts), body))
        line = self._input.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionResetError("the server closed the connection")
        if line.startswith(b"$") and (size := int(line[1:])) >= 0:
            return self._read(size + 2)[:-2].decode(errors="replace")
        return line.strip().decode(errors="replace")

    def information(self, section: str) -> dict[str, str]:
        """One section of INFO as names and values."""
        lines = self.ask("INFO", section).splitlines()
        return dict(line.split(":", 1) for line in lines if ":" in line)


class PostgresWire(_Wire):
    """One connection to Postgres as its superuser, with the instance's password if it has one.

    Raises PostgresRefusal where it does not fit, or is not asked for.
    """

    def __init__(
        self, path: Path, database: str, password: str | None, timeout_s: float = PROBE_S
    ) -> None:
        super().__init__(path, timeout_s)
        self._scram = ScramClient(password) if password else None
        self._is_known = password is None
        parameters = (
            b"user\0postgres\0database\0" + database.encode() + b"\0application_name\0quorate\0\0"
        )
        start = (196608).to_bytes(4, "big") + parameters
        try:
            self._socket.sendall((len(start) + 4).to_bytes(4, "big") + start)
            self._exchange()
            if not self._is_known:
                raise PostgresRefusal("28000", "it does not ask for the password")
        except (OSError, EnvironmentFault):
            super().close()
            raise

    @classmethod
    def to(cls, instance: Instance, database: str = DATABASE, timeout_s: float = PROBE_S) -> Self:
        """A connection to an instance's server."""
        return cls(instance.postgres_socket, database, instance.password, timeout_s)

    def query(self, sql: str) -> list[tuple[str, ...]]:
        """Run `sql` (simple protocol) and return its rows as text, NULL as an empty string.

        Raises PostgresRefusal for an error of the server, OSError for a lost connection.
        """
        body = sql.encode() + b"\0"
        self._socket.sendall(b"Q" + (len(body) + 4).to_bytes(4, "big") + body)
        return self._exchange()

    def close(self) -> None:
        with suppress(OSError):
            self._socket.sendall(b"X\0\0\0\4")
        super().close()

    def _exchange(self) -> list[tuple[str, ...]]:
        rows: list[tuple[str, ...]] = []
        refusal: PostgresRefusal | None = None
        while True:
            kind = self._read(1)
            body = self._read(int.from_bytes(self._read(4), "big") - 4)
            if kind == b"D":
                rows.append(_row(body))
            elif kind == b"E":
                refusal = _refusal(body)
                if refusal.is_fatal:  # no ReadyForQuery follows
                    raise refusal
            elif kind == b"R":
                self._log_in(int.from_bytes(body[:4], "big"), body[4:])
            elif kind == b"Z":
                if refusal:
                    raise refusal
                return rows

    def _log_in(self, step: int, body: bytes) -> None:
        """Answer AuthenticationSASL, SASLContinue and SASLFinal; anything else must be AuthenticationOk."""
        if step == 0:
            return
        if self._scram is None or step not in {10, 11, 12}:
            raise PostgresRefusal("28000", "it asks for a password")
        try:
            if step == 10:
                first = self._scram.first
                size = len(first).to_bytes(4, "big")
                self._send_login(ScramClient.MECHANISM.encode() + b"\0" + size + first)
            elif step == 11:
                self._send_login(self._scram.answer(body))
            else:
                self._is_known = self._scram.is_answered_by(body)
        except (ValueError, KeyError) as error:
            raise PostgresRefusal("28000", "its login is not SCRAM-SHA-256") from error

    def _send_login(self, body: bytes) -> None:
        self._socket.sendall(b"p" + (len(body) + 4).to_bytes(4, "big") + body)


def redis_state(instance: Instance) -> ServerState:
    """Ask Redis with a PING."""
    try:
        with RedisWire(instance) as redis:
            answer = redis.ask("PING")
    except RedisRefusal:
        return ServerState.MISMATCHED
    except TimeoutError:
        return ServerState.SILENT
    except OSError:
        return ServerState.DOWN
    if answer.startswith("-NOAUTH"):
        return ServerState.MISMATCHED
    return ServerState.UP if answer == "+PONG" else ServerState.STARTING


def postgres_state(instance: Instance) -> ServerState:
    """Ask Postgres with a SELECT 1 in our database."""
    try:
        with PostgresWire.to(instance) as postgres:
            postgres.query("SELECT 1")
            return ServerState.UP
    except PostgresRefusal as refusal:
        return _STATE_BY_SQLSTATE.get(refusal.sqlstate, ServerState.SILENT)
    except TimeoutError:
        return ServerState.SILENT
    except OSError:
        return ServerState.DOWN


def _row(body: bytes) -> tuple[str, ...]:
    count, at, cells = int.from_bytes(body[:2], "big"), 2, []
    for _ in range(count):
        size = int.from_bytes(body[at : at + 4], "big", signed=True)
        at += 4
        cells.append(body[at : at + max(size, 0)].decode(errors="replace"))
        at += max(size, 0)
    return tuple(cells)


def _refusal(body: bytes) -> PostgresRefusal:
    fields = {field[:1]: field[1:].decode(errors="replace") for field in body.split(b"\0") if field}
    return PostgresRefusal(
        fields.get(b"C", "XX000"),
        fields.get(b"M", "unknown error"),
        is_fatal=fields.get(b"V") in {"FATAL", "PANIC"},
    )

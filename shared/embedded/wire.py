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

from shared.embedded.instance import DATABASE, Instance
from shared.errors import EnvironmentFault

PROBE_S = 2.0


class ServerState(StrEnum):
    """What a server's socket says."""

    DOWN = "down"
    SILENT = "silent"  # it takes connections and does not answer
    STARTING = "starting"
    NO_DATABASE = "no database"  # Postgres is up, our database is not made yet
    UP = "up"


_STATE_BY_SQLSTATE = {
    "3D000": ServerState.NO_DATABASE,
    "57P01": ServerState.STARTING,  # going down: what follows is a start
    "57P02": ServerState.STARTING,
    "57P03": ServerState.STARTING,
    "53300": ServerState.UP,  # every connection is taken: busy, not dead
}


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
    """One connection to a Redis-compatible server."""

    def __init__(self, path: Path, timeout_s: float = PROBE_S) -> None:
        super().__init__(path, timeout_s)

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
    """One connection to Postgres as its superuser, by trust on a socket that only we can reach."""

    def __init__(self, path: Path, database: str, timeout_s: float = PROBE_S) -> None:
        super().__init__(path, timeout_s)
        parameters = (
            b"user\0postgres\0database\0" + database.encode() + b"\0application_name\0quorate\0\0"
        )
        start = (196608).to_bytes(4, "big") + parameters
        try:
            self._socket.sendall((len(start) + 4).to_bytes(4, "big") + start)
            self._exchange()
        except (OSError, EnvironmentFault):
            super().close()
            raise

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
            elif kind == b"R" and body[:4] != b"\0\0\0\0":
                raise PostgresRefusal("28000", "it asks for a password")
            elif kind == b"Z":
                if refusal:
                    raise refusal
                return rows


def redis_state(instance: Instance) -> ServerState:
    """Ask Redis with a PING."""
    try:
        with RedisWire(instance.redis_socket) as redis:
            return ServerState.UP if redis.ask("PING") == "+PONG" else ServerState.STARTING
    except TimeoutError:
        return ServerState.SILENT
    except OSError:
        return ServerState.DOWN


def postgres_state(instance: Instance) -> ServerState:
    """Ask Postgres with a SELECT 1 in our database."""
    try:
        with PostgresWire(instance.postgres_socket, DATABASE) as postgres:
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

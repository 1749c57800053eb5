"""A pool of connections: at most so many, opened when they are needed, the one used last taken first."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import psycopg

from shared.store.connections import LimitedConnection

TAKEN_S = 120.0
"""How long a caller waits for a connection where all are taken."""


class ConnectionPool:
    """Connections to one server; safe to share between threads, not across a fork."""

    def __init__(
        self, connect: Callable[[], LimitedConnection], size: int, taken_s: float = TAKEN_S
    ) -> None:
        """Connects on first use."""
        self._connect = connect
        self._size = size
        self._taken_s = taken_s
        self._places = threading.BoundedSemaphore(size)
        self._idle: deque[LimitedConnection] = deque()
        self._closed = 0

    @contextmanager
    def connection(self) -> Iterator[LimitedConnection]:
        """A connection of the caller's own; a broken one never returns to the pool. Raises psycopg.Error."""
        if not self._places.acquire(timeout=self._taken_s):
            raise psycopg.OperationalError(
                f"all {self._size} connections are taken, and none came back within {self._taken_s:g} s"
            )
        try:
            closed = self._closed
            connection = self._opened()
            try:
                yield connection
            finally:
                if closed == self._closed and _is_idle(connection):
                    self._idle.append(connection)
                else:
                    connection.close()
        finally:
            self._places.release()

    def close(self) -> None:
        """Close what nobody uses, and the rest when it comes back. The pool can be used again."""
        self._closed += 1
        with suppress(IndexError):
            while True:
                self._idle.pop().close()

    def _opened(self) -> LimitedConnection:
        try:
            return self._idle.pop()
        except IndexError:
            return self._connect()


def _is_idle(connection: LimitedConnection) -> bool:
    """Whether it is open, and nothing is under way on it."""
    idle = psycopg.pq.TransactionStatus.IDLE
    return not connection.closed and connection.info.transaction_status == idle

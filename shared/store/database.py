"""One connection pool, statements on psycopg, and what to do when the server goes away.

SQLAlchemy holds the schema and the migrations; statements run on the driver itself (measured: 230
microseconds a turn cheaper than compiled Core), and so does everything that a command needs: loading SQLAlchemy
costs as much processor as the whole of `quorate list`. Connections are in autocommit: one statement is one
transaction, `transaction()` groups several.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any, TypeVar

import psycopg

from shared.errors import EnvironmentFault
from shared.store.connections import opener
from shared.store.database_url import without_password
from shared.store.pool import ConnectionPool
from shared.store.sealing import Sealer

Connection = psycopg.Connection[Any]
Cursor = psycopg.Cursor[Any]
T = TypeVar("T")

_RETRIED = (
    psycopg.OperationalError,
    psycopg.InterfaceError,
    psycopg.errors.SerializationFailure,
    psycopg.errors.DeadlockDetected,
    # A standby, a full disk that was remounted, a failover under way: it passes like an absence.
    psycopg.errors.ReadOnlySqlTransaction,
    # The server's limits (a lock's and a statement's are OperationalErrors): this process stood still for too long.
    psycopg.errors.IdleInTransactionSessionTimeout,
    psycopg.errors.TransactionTimeout,
)
_OTHER_TABLES = (
    psycopg.errors.UndefinedColumn,
    psycopg.errors.UndefinedFunction,
    psycopg.errors.UndefinedTable,
)
"""The schema was changed under a process that began before an upgrade, such as a command that follows a run."""
# What a command may ask for takes long on a large database; a service that waits so long waits for nobody.
LONGEST_REPORT_S = 600.0
SERVICE_ANSWER_S = 20.0


class Database:
    """A pool of psycopg connections in autocommit; safe to share between threads, not across a fork."""

    def __init__(
        self,
        url: str,
        *,
        pool_size: int = 8,
        patience_s: float = 0.0,
        answer_s: float = LONGEST_REPORT_S,
        keys: Sequence[bytes] = (),
    ) -> None:
        """`patience_s`: how long `run` goes on trying while the server is away. `keys` seal and open texts.

        `answer_s`: how long a statement may take, and the server may be silent.
        """
        self.url = url
        self.patience_s = patience_s
        self.sealer = Sealer(keys)
        self._pool = ConnectionPool(opener(url, answer_s=answer_s, sealer=self.sealer), pool_size)

    def close(self) -> None:
        """Drop all pooled connections."""
        self._pool.close()

    def connection(self) -> AbstractContextManager[Connection]:
        """A pooled connection in autocommit; a broken one never returns to the pool."""
        return self._pool.connection()

    def answers(self) -> bool:
        """True when the server answers on a new connection, whatever the pooled ones wait for."""
        probe = Database(self.url, pool_size=1, answer_s=2.0)
        try:
            return (
                probe.run(lambda connection: connection.execute("SELECT 1").fetchone()) is not None
            )
        except EnvironmentFault:
            return False
        finally:
            probe.close()

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """A connection inside one transaction, committed when the block ends well."""
        with self.connection() as connection, connection.transaction():
            yield connection

    @contextmanager
    def pipelined(self) -> Iterator[Connection]:
        """A transaction whose statements are sent together: up to the next answer that is asked for, or to the end.

        An error in a statement may be raised by a later one, or by the end of the block. What is sent together is one
        transaction without saying so, which ends with the pipeline: BEGIN and COMMIT would cost two exchanges more.
        """
        with self.connection() as connection, connection.pipeline():
            try:
                yield connection
            except BaseException:
                with suppress(psycopg.Error):
                    connection.execute("ROLLBACK")
                raise

    def run(
        self,
        work: Callable[[Connection], T],
        *,
        atomic: bool = False,
        pipelined: bool = False,
        patience_s: float | None = None,
    ) -> T:
        """Call `work` with a connection; try again when the connection was lost or the server chose a victim.

        `atomic`: in one transaction; `pipelined`: the same with fewer round trips, for work that can do without the
        errors and row counts of single statements.
        `work` must be a compare-and-set: it may be executed again after it had already been committed.
        Raises EnvironmentFault once `patience_s` (this call's, else the database's) is over, and at once where the
        tables are another version's.
        """
        opened = self.connection
        if pipelined or atomic:
            opened = self.pipelined if pipelined else self.transaction
        patience = self.patience_s if patience_s is None else patience_s
        deadline = time.monotonic() + patience
        pause = 0.05
        while True:
            try:
                with opened() as connection:
                    return work(connection)
            except _RETRIED as error:
                if time.monotonic() + pause > deadline:
                    raise unreachable(self.url, error) from error
                time.sleep(pause)
                pause = min(pause * 2, 1.0)
            except _OTHER_TABLES as error:
                raise EnvironmentFault(
                    "the database has the tables of another version of Quorate: it was upgraded, or never was. Try "
                    "again with the version that the others run (`quorate status`, `quorate docs upgrading`)."
                ) from error


def unreachable(url: str, error: Exception) -> EnvironmentFault:
    """The error for a database that does not answer."""
    first_line = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    return EnvironmentFault(
        "the database at {url} does not answer: {first_line}. Check it with `quorate doctor`.",
        url=without_password(url),
        first_line=first_line,
    )

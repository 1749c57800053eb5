"""How a connection to Postgres is opened, and how long its two ends wait for one another.

A peer that vanishes without a word (a machine without power, a firewall that forgot a flow, a stopped process) closes
nothing: without limits its locks stay until the kernel's keepalive notices, two hours by Linux's default, and whoever
waits for its answer waits for ever. Three kinds of limits, because none of them sees everything:

* TCP, on both ends: keepalives and `tcp_user_timeout` notice a machine that is gone. They do nothing on unix sockets.
* The server ends a session that keeps a transaction open and says nothing, and never waits long for a lock. It does
  not where statements were sent together (no `Sync` has come yet): those sessions the sweeper ends.
* The client gives up a connection on which nothing has come for `answer_s`, also when the kernel at the other end
  still acknowledges.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping
from typing import Any, TypeVar

import psycopg
import sqlalchemy as sa
from psycopg.rows import namedtuple_row

T = TypeVar("T")

APPLICATION = "quorate"
LOCK_S = 5
IDLE_IN_TRANSACTION_S = 15
# How much later the client gives up than the server, whose answer says more.
MARGIN_S = 1.0

_CLIENT_LIMITS = {
    "connect_timeout": "5",
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "3",
    "tcp_user_timeout": "10000",
}
_SERVER_LIMITS = {
    "lock_timeout": f"{LOCK_S}s",
    "idle_in_transaction_session_timeout": f"{IDLE_IN_TRANSACTION_S}s",
    "tcp_keepalives_idle": "5",
    "tcp_keepalives_interval": "2",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "10s",
    "client_connection_check_interval": "2s",
}
# A migration may take any time, whatever the URL or the role allows other work. Between its statements it
# only loads code: one that says nothing is stopped or gone, and its locks keep everybody out.
MIGRATION_SILENCE_S = 60
_UNLIMITED = {
    "statement_timeout": "0",
    "lock_timeout": "0",
    "idle_in_transaction_session_timeout": f"{MIGRATION_SILENCE_S}s",
    "idle_session_timeout": f"{MIGRATION_SILENCE_S}s",
    "client_connection_check_interval": "2s",
    "tcp_keepalives_idle": "5",
    "tcp_keepalives_interval": "2",
    "tcp_keepalives_count": "3",
}


class SilentServer(psycopg.OperationalError):
    """the server has not answered for {} s: the connection is given up"""


class LimitedConnection(psycopg.Connection[Any]):
    """A connection that is given up when nothing has come for `answer_s` while an answer is waited for."""

    answer_s: float = float("inf")

    def wait(self, gen: Generator[Any, Any, T], *words: Any, **options: Any) -> T:
        """Wait for the end of one exchange with the server. Raises SilentServer, having closed the connection."""
        return super().wait(self._limited(gen), *words, **options)

    def _limited(self, gen: Generator[Any, Any, T]) -> Generator[Any, Any, T]:
        try:
            wanted = next(gen)
            deadline = time.monotonic() + self.answer_s
            while True:
                ready = yield wanted
                if ready:
                    deadline = time.monotonic() + self.answer_s
                elif time.monotonic() > deadline:
                    # Anything sent on it now (ROLLBACK, the end of a pipeline) would wait again.
                    self.pgconn.finish()
                    raise SilentServer(str(SilentServer.__doc__).format(f"{self.answer_s:g}"))
                wanted = gen.send(ready)
        except StopIteration as end:
            result: T = end.value
            return result


def make_engine(url: str, *, pool_size: int, answer_s: float) -> sa.Engine:
    """The pool of a `Database`: connections in autocommit, within limits. What the URL sets itself is left as it is."""
    limits = {**_SERVER_LIMITS, "statement_timeout": f"{int(answer_s * 1000)}ms"}
    engine = sa.create_engine(
        url,
        pool_size=pool_size,
        max_overflow=0,
        pool_timeout=120,
        pool_reset_on_return=None,
        connect_args={
            **_unless_set(url, {"application_name": APPLICATION, **_CLIENT_LIMITS}),
            "autocommit": True,
            "row_factory": namedtuple_row,
            "options": _options(url, {"plan_cache_mode": "force_generic_plan", **limits}),
        },
        use_native_hstore=False,
    )

    def connect(_dialect: object, _record: object, words: Any, options: Any) -> LimitedConnection:
        opened = LimitedConnection.connect(*words, **options)
        opened.answer_s = answer_s + MARGIN_S
        return opened

    sa.event.listen(engine, "do_connect", connect)
    return engine


def make_migration_engine(url: str) -> sa.Engine:
    """Connections for migrations: a dead peer is noticed, but nothing ends work that goes on."""
    return sa.create_engine(
        url,
        poolclass=sa.NullPool,
        connect_args={
            **_unless_set(url, _CLIENT_LIMITS),
            "application_name": f"{APPLICATION}-migration",
            "options": _options(url, {}, _UNLIMITED),
        },
    )


def _unless_set(url: str, ours: Mapping[str, str]) -> dict[str, str]:
    theirs = sa.engine.make_url(url).query
    return {name: value for name, value in ours.items() if name not in theirs}


def _options(url: str, first: Mapping[str, str], last: Mapping[str, str] | None = None) -> str:
    """The server's settings for a session. Of two values the later counts, so the URL's own change ours."""
    theirs = sa.engine.make_url(url).query.get("options", "")
    own = theirs if isinstance(theirs, str) else " ".join(theirs)
    return " ".join(part for part in (_words(first), own, _words(last or {})) if part)


def _words(settings: Mapping[str, str]) -> str:
    return " ".join(f"-c {name}={value}" for name, value in settings.items())

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
from collections.abc import Callable, Generator, Mapping
from typing import Any, TypeVar

import psycopg
from psycopg.conninfo import make_conninfo
from psycopg.rows import namedtuple_row

from shared.store.database_url import parameters, prepares
from shared.store.projects import Projects
from shared.store.sealing import PLAIN, Sealer, open_on

T = TypeVar("T")

APPLICATION = "quorate"
LOCK_S = 5
IDLE_IN_TRANSACTION_S = 15
PREPARED_AFTER = 5
"""How often a connection executes a statement before it prepares it; psycopg's own default."""
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
    sealer: Sealer = PLAIN
    projects: Projects | None = None

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


def opener(url: str, *, answer_s: float, sealer: Sealer = PLAIN) -> Callable[[], LimitedConnection]:
    """What opens connections in autocommit, within limits. What the URL sets itself is left as it is.

    Raises ConfigurationError for a URL that cannot be read; what opens them raises psycopg.OperationalError.
    """
    theirs = parameters(url)
    limits = {**_SERVER_LIMITS, "statement_timeout": f"{int(answer_s * 1000)}ms"}
    options = _options(theirs, {"plan_cache_mode": "force_generic_plan", **limits})
    given = {"application_name": APPLICATION, **_CLIENT_LIMITS, **theirs, "options": options}
    address = make_conninfo("", **given)

    threshold = PREPARED_AFTER if prepares(url) else None

    def connect() -> LimitedConnection:
        opened = LimitedConnection.connect(
            address, autocommit=True, row_factory=namedtuple_row, prepare_threshold=threshold
        )
        opened.answer_s = answer_s + MARGIN_S
        opened.sealer = sealer
        open_on(opened, sealer)
        return opened

    return connect


def migration_arguments(url: str) -> dict[str, str]:
    """What connections for migrations are opened with besides their URL."""
    theirs = parameters(url)
    return {
        **{name: value for name, value in _CLIENT_LIMITS.items() if name not in theirs},
        "application_name": f"{APPLICATION}-migration",
        "options": _options(theirs, {}, _UNLIMITED),
    }


def _options(
    theirs: Mapping[str, str], first: Mapping[str, str], last: Mapping[str, str] | None = None
) -> str:
    """The server's settings for a session. Of two values the later counts, so the URL's own change ours."""
    own = theirs.get("options", "")
    return " ".join(part for part in (_words(first), own, _words(last or {})) if part)


def _words(settings: Mapping[str, str]) -> str:
    return " ".join(f"-c {name}={value}" for name, value in settings.items())

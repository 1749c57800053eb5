"""Listen on a socket and answer with uvicorn: one process, and no connection is kept by who does not speak."""

from __future__ import annotations

import asyncio
import socket

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from orchestrator.web.sites import is_loopback
from shared.errors import EnvironmentFault, UserError

HEAD_S = 30.0
MAX_HEAD = 16 * 1024
MAX_CONNECTIONS = 512
LEAVE_S = 3


def listen(host: str, port: int, *, guarded: bool) -> socket.socket:
    """A socket that listens; `guarded`: stored tokens let people in, so others may reach it.

    Raises UserError for an address that others reach while nobody has a token, EnvironmentFault for one that cannot be
    used.
    """
    if not is_loopback(host) and not guarded:
        raise UserError(
            "{host} is reached from other machines, and there is no token yet: add one with `quorate "
            "tokens add NAME --role viewer`, or leave --host out",
            host=host,
        )
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=256)
    except OSError as fault:
        raise EnvironmentFault(
            "port {port} of {host} cannot be used ({why}): give another one with --port",
            port=port,
            host=host,
            why=fault.strerror,
        ) from fault


def make_server(app: ASGIApp, *, head_s: float = HEAD_S) -> uvicorn.Server:
    """The server; `run(sockets=[...])` answers until a signal, or until `should_exit` is set."""

    class Timed(TimedProtocol):
        limit_s = head_s

    return uvicorn.Server(
        uvicorn.Config(
            app,
            http=Timed,
            ws="none",
            lifespan="off",
            loop="asyncio",
            log_level="critical",
            access_log=False,
            server_header=False,
            limit_concurrency=MAX_CONNECTIONS,
            h11_max_incomplete_event_size=MAX_HEAD,
            timeout_graceful_shutdown=LEAVE_S,
        )
    )


class TimedProtocol(H11Protocol):
    """A connection is closed on which no request comes within `limit_s`, however it drips.

    uvicorn bounds the time between two requests only. What is sent after a refused head counts as waiting, too.
    """

    limit_s = HEAD_S
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        """The first request is waited for."""
        super().connection_made(transport)
        self._settle(waits=True)

    def data_received(self, data: bytes) -> None:
        """A request has come, or a piece of one."""
        super().data_received(data)
        self._settle(waits=True)

    def on_response_complete(self) -> None:
        """A request that was sent along may be under way now."""
        super().on_response_complete()
        self._settle(waits=False)

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody is waited for."""
        self._disarm()
        super().connection_lost(exc)

    @property
    def _has_request(self) -> bool:
        cycle: object | None = self.cycle  # which uvicorn leaves out of its type
        return cycle is not None

    def _settle(self, *, waits: bool) -> None:
        if self._has_request and not self.cycle.response_complete:
            self._disarm()
        elif waits and self._deadline is None:
            self._deadline = self.loop.call_later(self.limit_s, self._close)

    def _disarm(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _close(self) -> None:
        if not self._has_request and not self.transport.is_closing():
            self.transport.write(b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n")
        self.transport.close()

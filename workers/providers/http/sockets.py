"""Sockets that obey a call's guard.

httpcore's timeouts bound one read at a time, so a server that drips a byte a second holds a call
for hours. Here every connect, handshake, read and write gets what is left of the call's whole
time. The cancel flag cannot wake a thread that waits in a system call: one watching thread shuts
the socket down instead.
"""

from __future__ import annotations

import contextlib
import errno
import queue
import select
import socket
import ssl
import threading
import time
from collections.abc import Iterable, Iterator
from typing import Any

import httpcore

from workers.providers.guard import POLL_S, Guard

CONNECT_S = 10.0
_QUICK_S = 3.0
_NOBODY = frozenset({errno.ECONNREFUSED, errno.ENETUNREACH, errno.EHOSTUNREACH})
_IDLE_ROUNDS = 40


class Unresolved(httpcore.NetworkError):
    """A name that was not resolved. Not a ConnectError: httpcore would look it up a second time at once."""

    def __init__(self, why: str, took_s: float) -> None:
        super().__init__(why)
        self.quick = took_s < _QUICK_S


class NobodyThere(httpcore.ConnectError):
    """The connection was refused, or no way leads there."""


class Line(httpcore.NetworkBackend):
    """One connection and the guard of the call that is using it."""

    def __init__(self) -> None:
        self.guard: Guard | None = None
        self.sent = 0
        self.lock = threading.Lock()
        self._socket: socket.socket | None = None

    def use(self, guard: Guard | None) -> None:
        """Hand the connection to a call, or to nobody; `sent` counts its bytes from now."""
        with self.lock:
            self.guard = guard
            self.sent = 0

    def adopt(self, sock: socket.socket | None) -> None:
        """Remember the socket that an abort has to shut down."""
        with self.lock:
            self._socket = sock

    def abort(self, guard: Guard) -> None:
        """Wake the thread that waits on this connection, if it still serves that call."""
        with self.lock:
            if self.guard is guard and self._socket is not None:
                with contextlib.suppress(OSError):
                    # Not SSLSocket.shutdown: it would take the TLS state from under the reader.
                    socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

    def left_s(self) -> float:
        """Seconds that the call may still take; raises once it is cancelled or out of time."""
        if self.guard is None:
            return CONNECT_S
        self.guard.check()
        return max(self.guard.remaining_s(), 0.001)

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to the first address that answers."""
        del timeout, local_address, socket_options
        addresses = _resolve(host, port, self)
        until = time.monotonic() + CONNECT_S
        trouble: OSError = OSError(f"no address for {host}")
        for family, kind, protocol, address in addresses:
            left = min(self.left_s(), until - time.monotonic())
            if left <= 0:
                break
            try:
                return _Stream(self, self._connect(family, kind, protocol, address, left))
            except OSError as error:
                trouble = error
        self.left_s()
        if isinstance(trouble, TimeoutError):
            raise httpcore.ConnectTimeout(f"no connection within {CONNECT_S:g} s") from trouble
        fault = NobodyThere if trouble.errno in _NOBODY else httpcore.ConnectError
        raise fault(trouble.strerror or str(trouble)) from trouble

    def _connect(self, family: int, kind: int, protocol: int, address: Any, left_s: float) -> Any:
        sock = socket.socket(family, kind, protocol)
        self.adopt(sock)
        try:
            sock.settimeout(left_s)
            sock.connect(address)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except OSError:
            self.adopt(None)
            sock.close()
            raise
        return sock

    def sleep(self, seconds: float) -> None:
        """Wait between two attempts to connect."""
        if self.guard is not None:
            self.guard.pause(seconds)


class _Stream(httpcore.NetworkStream):
    """A connected socket whose every wait is bounded by the line's guard."""

    def __init__(self, line: Line, sock: socket.socket) -> None:
        self._line = line
        self._sock = sock
        line.adopt(sock)

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        del timeout
        with self._errors(httpcore.ReadTimeout, httpcore.ReadError):
            self._sock.settimeout(self._line.left_s())
            return self._sock.recv(max_bytes)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        del timeout
        view = memoryview(buffer)
        with self._errors(httpcore.WriteTimeout, httpcore.WriteError):
            while view:
                self._sock.settimeout(self._line.left_s())
                sent = self._sock.send(view)
                self._line.sent += sent
                view = view[sent:]

    def close(self) -> None:
        with self._line.lock:
            self._sock.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        del timeout
        try:
            with self._errors(httpcore.ConnectTimeout, httpcore.ConnectError):
                self._sock.settimeout(min(self._line.left_s(), CONNECT_S))
                return _Stream(
                    self._line, ssl_context.wrap_socket(self._sock, server_hostname=server_hostname)
                )
        except BaseException:
            self.close()
            raise

    def get_extra_info(self, info: str) -> Any:
        if info == "is_readable":  # on an idle connection: the server has closed it
            return _is_readable(self._sock)
        return None

    @contextlib.contextmanager
    def _errors(self, slow: type[Exception], broken: type[Exception]) -> Iterator[None]:
        try:
            yield
        except TimeoutError as error:
            raise slow("timed out") from error
        except OSError as error:
            raise broken(error.strerror or str(error)) from error


def _is_readable(sock: socket.socket) -> bool:
    if sock.fileno() < 0:
        return True
    poll = select.poll()
    poll.register(sock.fileno(), select.POLLIN)
    return bool(poll.poll(0))


_Address = tuple[int, int, int, Any]


def _resolve(host: str, port: int, line: Line) -> list[_Address]:
    """Look a name up in a thread of its own: getaddrinfo has no timeout. Raises Unresolved."""
    with contextlib.suppress(socket.gaierror, UnicodeError):
        return _lookup(host, port, socket.AI_NUMERICHOST)
    answer: queue.SimpleQueue[list[_Address] | OSError] = queue.SimpleQueue()

    def work() -> None:
        try:
            answer.put(_lookup(host, port, 0))
        except (OSError, UnicodeError) as error:
            answer.put(error if isinstance(error, OSError) else OSError(f"bad host name: {error}"))

    threading.Thread(target=work, name="quorate-resolve", daemon=True).start()
    began = time.monotonic()
    until = began + CONNECT_S
    while (left := min(line.left_s(), until - time.monotonic())) > 0:
        with contextlib.suppress(queue.Empty):
            addresses = answer.get(timeout=min(left, POLL_S))
            if isinstance(addresses, OSError):
                why = addresses.strerror or str(addresses)
                raise Unresolved(why, time.monotonic() - began) from addresses
            return addresses
    raise Unresolved(f"the name {host} was not resolved within {CONNECT_S:g} s", CONNECT_S)


def _lookup(host: str, port: int, flags: int) -> list[_Address]:
    addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=flags)
    return [(family, kind, protocol, address) for family, kind, protocol, _, address in addresses]


class Watch:
    """The one thread that looks at the cancel flags of all calls in flight."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls: dict[Guard, Line] = {}
        self._running = False

    @contextlib.contextmanager
    def over(self, guard: Guard, line: Line) -> Iterator[None]:
        """Abort `line` when `guard` is cancelled during the block."""
        with self._lock:
            self._calls[guard] = line
            if not self._running:
                self._running = True
                threading.Thread(target=self._run, name="quorate-cancel", daemon=True).start()
        try:
            yield
        finally:
            with self._lock:
                del self._calls[guard]

    def _run(self) -> None:
        idle = 0
        while True:
            time.sleep(POLL_S)
            with self._lock:
                calls = list(self._calls.items())
                idle = 0 if calls else idle + 1
                if idle > _IDLE_ROUNDS:
                    self._running = False
                    return
            for guard, line in calls:
                if guard.cancel.is_set():
                    line.abort(guard)

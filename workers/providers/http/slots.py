"""Single connections per origin, last in first out, each with a call's guard while it is used."""

from __future__ import annotations

import contextlib
import functools
import ipaddress
import re
import ssl
import threading
import time
import urllib.request
from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import SplitResult, unquote, urlsplit

import httpcore

from workers.providers.guard import Guard
from workers.providers.http.sockets import Line

MAX_FREE = 1024
_HOST = re.compile(rb"[\w.:%-]+")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address as httpcore wants it, and what its connections can be shared by."""

    url: httpcore.URL
    host: str
    host_header: bytes

    @property
    def origin(self) -> tuple[bytes, bytes, int | None]:
        """Equal for addresses that one connection serves."""
        return (self.url.scheme, self.url.host, self.url.port)


@functools.lru_cache(maxsize=1024)
def endpoint(address: str) -> Endpoint:
    """Read an address. Raises httpcore.UnsupportedProtocol for one that cannot be called."""
    try:
        parts = urlsplit(address)
        host, port = parts.hostname or "", parts.port
        wire_host = host.encode("ascii") if host.isascii() else host.encode("idna")
        target = _target(parts).encode("ascii")
        if not _HOST.fullmatch(wire_host):
            raise ValueError(f"no host name: {host[:80]!r}")
    except (ValueError, UnicodeError) as error:
        raise httpcore.UnsupportedProtocol(f"no valid address: {error}") from None
    if parts.scheme not in ("http", "https"):
        raise httpcore.UnsupportedProtocol("no http or https address")
    shown = b"[%s]" % wire_host if b":" in wire_host else wire_host
    return Endpoint(
        url=httpcore.URL(scheme=parts.scheme.encode(), host=wire_host, port=port, target=target),
        host=host,
        host_header=shown if port is None else b"%s:%d" % (shown, port),
    )


def _target(parts: SplitResult) -> str:
    path = parts.path or "/"
    if not (path + parts.query).isprintable() or " " in path + parts.query:
        raise ValueError("unquoted characters")
    return f"{path}?{parts.query}" if parts.query else path


class Slot:
    """A connection to one origin, and since when (monotonic) nobody uses it."""

    def __init__(self, line: Line, pool: httpcore.ConnectionPool) -> None:
        self.line = line
        self.pool = pool
        self.free_since = 0.0

    def reusable(self) -> bool:
        """True when the last exchange was read to its end."""
        return any(connection.is_idle() for connection in self.pool.connections)


class Slots:
    """The free list: it never lets two calls wait for one another."""

    def __init__(self, trust_env: bool, idle_s: float) -> None:
        self._trust_env = trust_env
        self._idle_s = idle_s
        self._lock = threading.Lock()
        self._free: defaultdict[object, deque[Slot]] = defaultdict(deque)

    @contextlib.contextmanager
    def slot(self, target: Endpoint, guard: Guard) -> Iterator[Slot]:
        """A connection for one call."""
        slot = self._take(target) or self._new_slot(target)
        slot.line.use(guard)
        try:
            yield slot
        finally:
            slot.line.use(None)
            self._give_back(target, slot)

    def close(self) -> None:
        """Close all idle connections."""
        with self._lock:
            slots = [slot for free in self._free.values() for slot in free]
            self._free.clear()
        for slot in slots:
            slot.pool.close()

    def _take(self, target: Endpoint) -> Slot | None:
        with self._lock:
            free = self._free.get(target.origin)
            return free.pop() if free else None

    def _give_back(self, target: Endpoint, slot: Slot) -> None:
        old = []
        with self._lock:
            free = self._free[target.origin]
            now = time.monotonic()
            while free and (now - free[0].free_since > self._idle_s or len(free) >= MAX_FREE):
                old.append(free.popleft())
            if slot.reusable():
                slot.free_since = now
                free.append(slot)
            else:
                old.append(slot)
        for stale in old:
            stale.pool.close()

    def _new_slot(self, target: Endpoint) -> Slot:
        line = Line()
        tls = _tls() if target.url.scheme == b"https" else None
        proxy = _proxy_for(target) if self._trust_env else None
        pool = httpcore.ConnectionPool(
            tls,
            proxy=proxy,
            max_connections=1,
            keepalive_expiry=self._idle_s,
            retries=1,
            network_backend=line,
        )
        return Slot(line, pool)


@functools.lru_cache(maxsize=1)
def _tls() -> ssl.SSLContext:
    # One for all: a context per connection costs about 0.9 MB and 9 ms each.
    import httpx  # noqa: PLC0415 - its import takes as long as a fast call, plain http does without

    return httpx.create_ssl_context()


def _proxy_for(target: Endpoint) -> httpcore.Proxy | None:
    if _is_loopback(target.host) or urllib.request.proxy_bypass(target.host):
        return None
    known = urllib.request.getproxies()
    address = known.get(target.url.scheme.decode()) or known.get("all")
    if not address:
        return None
    parts = urlsplit(address if "://" in address else f"http://{address}")
    if parts.scheme != "http" or not parts.hostname:
        raise httpcore.UnsupportedProtocol(f"proxies of the kind {parts.scheme} are not supported")
    url = httpcore.URL(
        scheme=b"http", host=parts.hostname.encode(), port=parts.port or 80, target=b"/"
    )
    return httpcore.Proxy(url, auth=_account(parts))


def _account(parts: SplitResult) -> tuple[bytes, bytes] | None:
    if parts.username is None:
        return None
    return unquote(parts.username).encode(), unquote(parts.password or "").encode()


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")

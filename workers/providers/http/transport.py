"""HTTP for every provider: one connection per call, taken from a free list.

httpx's pool scans all its connections on every request (encode/httpcore#1035): at 1,000 calls in
flight that is 30 to 60 ms of processor time a call. So there is one list of single connections per
origin, last in first out, on httpcore, the engine of httpx; httpx's client above it would cost as
much again as the call itself. This file, `slots.py` and `sockets.py` are the only ones that know
either.
"""

from __future__ import annotations

import contextlib
import functools
import os
import ssl
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import httpcore

from shared.errors import ProviderError, Scope
from shared.models.outcomes import FailureKind
from workers.providers.guard import Guard
from workers.providers.http.slots import Slots, endpoint
from workers.providers.http.sockets import Line, NobodyThere, Unresolved, Watch

MAX_BYTES = 16 * 1024 * 1024
IDLE_S = 15.0
_UNPACKED_AT_ONCE = 256 * 1024
# What is asked for is gzip; some proxies send the other one (RFC 9110, 8.4.1) anyway.
_WINDOWS = {"gzip": zlib.MAX_WBITS | 16, "x-gzip": zlib.MAX_WBITS | 16, "deflate": zlib.MAX_WBITS}


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """What is sent. Headers (the key is among them), body and `secrets` stay out of the repr.

    `secrets` are the texts among the headers that no message may repeat.
    """

    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes = field(default=b"", repr=False)
    method: str = "POST"
    secrets: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """What came back; header names are lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)


class HttpStream:
    """A response that is still arriving."""

    def __init__(self, response: httpcore.Response, max_bytes: int, guard: Guard) -> None:
        self.status = response.status
        self.headers: dict[str, str] = {
            name.decode("latin-1").lower(): value.decode("latin-1")
            for name, value in response.headers
        }
        self._response = response
        self._max_bytes = max_bytes
        self._guard = guard

    def chunks(self) -> Iterator[bytes]:
        """The decoded body piece by piece. Raises ProviderError when it exceeds the size limit."""
        size = 0
        for chunk in self._decoded(self.headers.get("content-encoding", "identity").lower()):
            size += len(chunk)
            if size > self._max_bytes:
                raise ProviderError(
                    FailureKind.TRUNCATED,
                    f"The answer of {self._guard.participant} exceeds {self._max_bytes} bytes.",
                )
            yield chunk

    def _decoded(self, encoding: str) -> Iterator[bytes]:
        if encoding in ("identity", ""):
            yield from self._response.iter_stream()
            return
        if encoding not in _WINDOWS:
            raise zlib.error(f"unknown content-encoding {encoding[:20]}")
        unpacker = zlib.decompressobj(wbits=_WINDOWS[encoding])
        for packed in self._response.iter_stream():
            left = packed
            while left:
                yield unpacker.decompress(left, _UNPACKED_AT_ONCE)
                left = unpacker.unconsumed_tail
        if not unpacker.eof:
            raise zlib.error("the compressed stream is not complete")


class HttpTransport:
    """A process's way out. Safe to use from any number of threads."""

    def __init__(
        self, *, trust_env: bool = True, max_bytes: int = MAX_BYTES, idle_s: float = IDLE_S
    ) -> None:
        self._max_bytes = max_bytes
        self._slots = Slots(trust_env, idle_s)
        self._watch = Watch()

    def send(self, request: HttpRequest, guard: Guard) -> HttpResponse:
        """Send and read everything within the guard's time. Raises ProviderError."""
        with self.open(request, guard) as stream:
            return HttpResponse(stream.status, stream.headers, b"".join(stream.chunks()))

    @contextlib.contextmanager
    def open(self, request: HttpRequest, guard: Guard) -> Iterator[HttpStream]:
        """Send, and give the response while it arrives. Raises ProviderError, in the block too.

        What goes wrong once the whole request has left, with no answer or in the middle of a good one, may have been
        charged, and its error says so, unless the code that raised it knows better.
        """
        guard.check()
        with _faults(guard, request.url):
            target = endpoint(request.url)
            built = httpcore.Request(
                request.method,
                target.url,
                headers=_headers(target.host_header, request),
                content=request.body,
            )
            with (
                self._slots.slot(target, guard) as slot,
                self._watch.over(guard, slot.line),
                _perhaps_charged(guard, request, slot.line) as status,
            ):
                response = slot.pool.handle_request(built)
                status.append(response.status)
                try:
                    yield HttpStream(response, self._max_bytes, guard)
                finally:
                    response.close()

    def close(self) -> None:
        """Close all idle connections."""
        self._slots.close()


def _headers(host: bytes, request: HttpRequest) -> list[tuple[bytes, bytes]]:
    return [
        (b"host", host),
        (b"user-agent", b"quorate"),
        (b"accept", b"*/*"),
        (b"accept-encoding", b"gzip"),
        (b"content-length", b"%d" % len(request.body)),
        *(
            (name.encode("ascii"), value.encode("latin-1", "replace"))
            for name, value in request.headers.items()
        ),
    ]


@functools.lru_cache(maxsize=1)
def _transport_of(pid: int) -> HttpTransport:
    del pid  # a forked child must not share its parent's sockets
    return HttpTransport()


def transport() -> HttpTransport:
    """This process's transport, made at its first use."""
    return _transport_of(os.getpid())


# Most specific first: kind, whether the same call may succeed later, what to say.
_FAULTS: tuple[tuple[type[Exception], FailureKind, bool, str], ...] = (
    (Unresolved, FailureKind.UNREACHABLE, True, "cannot be reached"),
    (httpcore.ConnectTimeout, FailureKind.UNREACHABLE, True, "cannot be reached"),
    (httpcore.ConnectError, FailureKind.UNREACHABLE, True, "cannot be reached"),
    (httpcore.ProxyError, FailureKind.UNREACHABLE, True, "cannot be reached through the proxy"),
    (httpcore.TimeoutException, FailureKind.TIMEOUT, True, "was too slow"),
    (httpcore.NetworkError, FailureKind.UNREACHABLE, True, "broke the connection off"),
    (httpcore.RemoteProtocolError, FailureKind.UNREACHABLE, True, "broke its answer off"),
    (httpcore.LocalProtocolError, FailureKind.BAD_REQUEST, False, "cannot be asked like this"),
    (httpcore.UnsupportedProtocol, FailureKind.BAD_REQUEST, False, "cannot be asked like this"),
    (zlib.error, FailureKind.UNREACHABLE, True, "sent an answer that cannot be decompressed"),
)
_FAULT_CLASSES = tuple(fault[0] for fault in _FAULTS)


@contextlib.contextmanager
def _perhaps_charged(guard: Guard, request: HttpRequest, line: Line) -> Iterator[list[int]]:
    """Mark what goes wrong while the provider works on the request, or gives its answer, as perhaps charged."""
    status: list[int] = []
    try:
        yield status
    except ProviderError as error:
        _mark(error, status, line.sent > len(request.body))
        raise
    except _FAULT_CLASSES as fault:
        failure = _as_provider_error(fault, guard, request.url)
        _mark(failure, status, line.sent > len(request.body))
        raise failure from fault


def _mark(error: ProviderError, status: list[int], sent: bool) -> None:
    if error.charged is None:
        error.charged = sent and status in ([], [200])


@contextlib.contextmanager
def _faults(guard: Guard, url: str) -> Iterator[None]:
    """Turn what goes wrong below into ProviderError; cancel and deadline come first."""
    try:
        yield
    except _FAULT_CLASSES as error:
        raise _as_provider_error(error, guard, url) from error


def _as_provider_error(error: Exception, guard: Guard, url: str) -> ProviderError:
    try:
        guard.check()
    except ProviderError as over:
        return over
    return _error_of(error, guard, url)


def _error_of(error: Exception, guard: Guard, url: str) -> ProviderError:
    kind, retryable, text = next(
        (kind, again, text) for cls, kind, again, text in _FAULTS if isinstance(error, cls)
    )
    # httpcore re-raises `from None`, which keeps the context only.
    cause = error.__cause__ or error.__context__
    detail = (str(error) or type(error).__name__).rstrip(".")
    if isinstance(cause, ssl.SSLError):
        retryable = not isinstance(cause, ssl.SSLCertVerificationError)
        detail = f"TLS failed: {getattr(cause, 'verify_message', '') or cause.reason or cause}"
    elif isinstance(error, Unresolved):
        retryable = error.quick  # each further try would take as long
    where = url.partition("?")[0]
    return ProviderError(
        kind,
        f"{guard.participant} ({where}) {text}: {detail}.",
        retryable=retryable,
        scope=Scope.NOBODY if isinstance(error, Unresolved | NobodyThere) else Scope.ACCOUNT,
    )

"""HTTP around an application: loopback only, JSON only, a token for everything but the health checks.

A page in a browser on this machine must not reach it: the Host header must be ours (DNS rebinding), an Origin header
too (cross-site requests), and the token is not a cookie. Other accounts of this machine reach the port, so the token
is the only thing between them and a decision: the path is decoded once, and routing and authorisation look at that one
value. Every request gets an answer, a bug's too.
"""

from __future__ import annotations

import io
import secrets
import socket
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.message import Message
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol
from urllib.parse import unquote_to_bytes

from orchestrator.presentation.json_rows import dumps
from shared.errors import (
    DecisionConflict,
    EnvironmentFault,
    QuorateError,
    UnknownRun,
    UserError,
)
from shared.patterns import regex

LOOPBACK = "127.0.0.1"
MAX_BODY = 64 * 1024
MAX_LINE = 8 * 1024
MAX_CONNECTIONS = 64
REQUEST_S = 30.0
LINGER_S = 2.0
"""How long the rest of a refused request is thrown away, so that the refusal is not lost in a reset."""

PUBLIC = frozenset({("healthz",), ("readyz",)})
READING = frozenset({"GET", "HEAD"})
STATUS_OF: tuple[tuple[type[QuorateError], HTTPStatus], ...] = (
    (UnknownRun, HTTPStatus.NOT_FOUND),
    (DecisionConflict, HTTPStatus.CONFLICT),
    (UserError, HTTPStatus.BAD_REQUEST),
    (EnvironmentFault, HTTPStatus.SERVICE_UNAVAILABLE),
)

Path = tuple[str, ...]
_UNRESERVED_PATH = regex(r"/(?:[A-Za-z0-9/._~!$&'()*+,=:@-]|%[0-9A-Fa-f]{2})*")
_LENGTH = regex(r"[0-9]{1,18}")


@dataclass(frozen=True)
class Reply:
    """A status and its JSON; `allow` names the methods where another one was used."""

    status: HTTPStatus
    content: Mapping[str, object]
    allow: str = ""


@dataclass(frozen=True)
class Request:
    """An authorised request: its path is decoded, and its body complete."""

    method: str
    path: Path
    body: bytes = b""


class _Nothing(Exception):
    """A connection without a request."""


class Responder(Protocol):
    """What answers requests."""

    def answer(self, request: Request) -> Reply:
        """The answer. Raises QuorateError."""
        ...


class RequestRefused(Exception):
    """The request is not passed on; `reply` says why."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.reply = error(status, message)


def error(status: HTTPStatus, message: str, allow: str = "") -> Reply:
    """A refusal in one sentence."""
    return Reply(status, {"error": message}, allow)


def decode_path(target: str) -> Path:
    """The segments of a request's target, decoded once; a slash at the end does not count. Raises RequestRefused."""
    raw = target.partition("?")[0]
    if not _UNRESERVED_PATH.fullmatch(raw):
        raise RequestRefused(
            HTTPStatus.BAD_REQUEST, "the path is malformed: send /path, percent-encoded"
        )
    parts = raw[1:].split("/")
    if len(parts) > 2 and not parts[-1]:
        parts.pop()
    try:
        path = tuple(unquote_to_bytes(part).decode("utf-8") for part in parts)
    except UnicodeDecodeError as fault:
        raise RequestRefused(HTTPStatus.BAD_REQUEST, "the path is not UTF-8") from fault
    if not all(_is_name(part) for part in path):
        raise RequestRefused(
            HTTPStatus.BAD_REQUEST, "the path holds an empty, relative or unprintable part"
        )
    return path


def _is_name(part: str) -> bool:
    return part not in ("", ".", "..") and part.isprintable()


class Server(ThreadingHTTPServer):
    """One request a thread; knows the application and the token."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(
        self,
        port: int,
        application: Responder,
        token: str,
        report_bug: Callable[[Exception], None],
        *,
        request_s: float = REQUEST_S,
    ) -> None:
        """Binds at once; a request must arrive within `request_s`, however it drips. `report_bug` hears of our own.

        Raises EnvironmentFault when the port is taken, ValueError without a token.
        """
        if not token.strip():
            raise ValueError("a service without a token would be open to every account")
        try:
            super().__init__((LOOPBACK, port), Handler)
        except OSError as fault:
            raise EnvironmentFault(
                f"port {port} cannot be used ({fault.strerror}): give another one with --port"
            ) from fault
        self.application = application
        self.report_bug = report_bug
        self.request_s = request_s
        self.token = token.strip().encode("utf-8", "surrogateescape")
        self._places = threading.BoundedSemaphore(MAX_CONNECTIONS)

    @property
    def hosts(self) -> frozenset[str]:
        """The Host headers that mean us."""
        port = self.server_address[1]
        return frozenset({f"{LOOPBACK}:{port}", f"localhost:{port}"})

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread of its own; whoever finds no place waits in the queue of the socket."""
        self._places.acquire()
        try:
            super().process_request(request, client_address)
        except BaseException:
            self._places.release()
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """The thread's work; its place is free again afterwards."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is nobody's fault; a bug was answered and told already."""


class _Inbound(io.RawIOBase):
    """The bytes of a connection until a deadline, which a slow sender cannot move."""

    def __init__(self, connection: socket.socket, limit_s: float) -> None:
        self._connection = connection
        self._deadline = time.monotonic() + limit_s

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any) -> int:
        """The next bytes. Raises TimeoutError after the deadline."""
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("the request took too long")
        self._connection.settimeout(left)
        return self._connection.recv_into(buffer)


class Handler(BaseHTTPRequestHandler):
    """From a connection to a request and back."""

    server: Server
    server_version = "quorate"
    sys_version = ""
    default_request_version = (
        "HTTP/1.0"  # of a line that cannot be read; the answer has a status line
    )

    def setup(self) -> None:
        """One request a connection, read against the clock."""
        super().setup()
        self.rfile = io.BufferedReader(_Inbound(self.connection, self.server.request_s))

    def handle(self) -> None:
        """Answer whatever came; a client that sends nothing, or goes away, is let go."""
        self.close_connection = True
        self.requestline, self.command, self.request_version = "", "", "HTTP/1.0"
        try:
            self._send(self._reply())
        except (_Nothing, OSError):
            return
        self._linger()

    def log_message(self, format: str, *args: object) -> None:
        """Requests are not logged: paths hold run ids only, but nobody asked for them."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What the standard library refuses while it reads the head leaves by our way."""
        raise RequestRefused(HTTPStatus(code), explain or message or HTTPStatus(code).phrase)

    def _reply(self) -> Reply:
        try:
            return self.server.application.answer(self._request())
        except RequestRefused as refused:
            return refused.reply
        except (_Nothing, ConnectionError):
            raise
        except QuorateError as fault:
            kinds = (status for kind, status in STATUS_OF if isinstance(fault, kind))
            return error(next(kinds, HTTPStatus.INTERNAL_SERVER_ERROR), str(fault))
        except Exception as bug:  # noqa: BLE001 - the outermost place: a request must be answered
            self.server.report_bug(bug)
            return error(
                HTTPStatus.INTERNAL_SERVER_ERROR, "this is a bug: see the service's stderr"
            )

    def _request(self) -> Request:
        """What was asked, once it may be. Raises RequestRefused, or _Nothing when nothing was."""
        try:
            self._read_head()
            return self._authorised()
        except TimeoutError as slow:
            raise RequestRefused(HTTPStatus.REQUEST_TIMEOUT, "the request took too long") from slow

    def _read_head(self) -> None:
        self.raw_requestline = self.rfile.readline(MAX_LINE + 1)
        if not self.raw_requestline:
            raise _Nothing
        if len(self.raw_requestline) > MAX_LINE:
            raise RequestRefused(HTTPStatus.REQUEST_URI_TOO_LONG, "the request line is too long")
        if not self.parse_request():
            raise RequestRefused(HTTPStatus.BAD_REQUEST, "this is not a request")

    def _authorised(self) -> Request:
        length = _body_length(self.headers)
        _check_site(self.headers, self.server.hosts)
        # `self.path` is no longer what was sent: the standard library joins slashes at its beginning.
        path = decode_path(self.requestline.split()[1])
        if not (path in PUBLIC and self.command in READING):
            self._check_token()
        if length is not None and length > MAX_BODY:
            raise RequestRefused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "a body of at most 64 KiB")
        if self.command != "POST":
            return Request(self.command, path)
        if length is None:
            raise RequestRefused(HTTPStatus.LENGTH_REQUIRED, "send the body's Content-Length")
        if self.headers.get_content_type() != "application/json":
            raise RequestRefused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "send application/json")
        body = self.rfile.read(length)
        if len(body) < length:
            raise RequestRefused(
                HTTPStatus.BAD_REQUEST, "the body is shorter than its Content-Length"
            )
        return Request(self.command, path, body)

    def _check_token(self) -> None:
        scheme, _, given = _single(self.headers, "Authorization").partition(" ")
        # Headers are read as Latin-1, and the token was UTF-8 bytes when it was sent.
        token = given.strip().encode("latin-1", "replace")
        if not (secrets.compare_digest(token, self.server.token) and scheme.lower() == "bearer"):
            raise RequestRefused(
                HTTPStatus.UNAUTHORIZED, "send the token as `Authorization: Bearer ...`"
            )

    def _send(self, reply: Reply) -> None:
        content = dumps(reply.content).encode("utf-8", "replace")
        self.connection.settimeout(REQUEST_S)
        self.send_response(reply.status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        if reply.allow:
            self.send_header("Allow", reply.allow)
        if reply.status == HTTPStatus.UNAUTHORIZED:
            self.send_header("WWW-Authenticate", "Bearer")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def _linger(self) -> None:
        """Throw away what still comes: closing over unread bytes resets the connection, and the answer with it."""
        try:
            self.connection.shutdown(socket.SHUT_WR)
            end = time.monotonic() + LINGER_S
            while (left := end - time.monotonic()) > 0:
                self.connection.settimeout(left)
                if not self.connection.recv(65_536):
                    return
        except OSError:
            return


def _single(headers: Message, name: str) -> str:
    """The header's value, empty without one. Raises RequestRefused for several: who knows which one holds."""
    values = headers.get_all(name, [])
    if len(values) > 1:
        raise RequestRefused(HTTPStatus.BAD_REQUEST, f"several {name} headers")
    return str(values[0]).strip() if values else ""


def _body_length(headers: Message) -> int | None:
    """The length of the body; None without one. Raises RequestRefused where it is not certain (RFC 9112, 6.3)."""
    if headers.defects:
        raise RequestRefused(HTTPStatus.BAD_REQUEST, "a header is malformed")
    if headers.get_all("Transfer-Encoding"):
        raise RequestRefused(HTTPStatus.BAD_REQUEST, "send the body whole, with its Content-Length")
    if headers.get_all("Content-Length") is None:
        return None
    length = _single(headers, "Content-Length")
    if not _LENGTH.fullmatch(length):
        raise RequestRefused(HTTPStatus.BAD_REQUEST, "Content-Length is not a number")
    return int(length)


def _check_site(headers: Message, hosts: frozenset[str]) -> None:
    """Raises RequestRefused for a request that a page of another site sent."""
    if _single(headers, "Host").lower() not in hosts:
        raise RequestRefused(
            HTTPStatus.MISDIRECTED_REQUEST, "this is not the host that was asked for"
        )
    origins = {f"http://{host}" for host in hosts}
    if any(str(origin).strip().lower() not in origins for origin in headers.get_all("Origin", [])):
        raise RequestRefused(HTTPStatus.FORBIDDEN, "another site may not ask")

"""HTTP around an application, byte by byte on a real socket: who is let in, and that everybody gets an answer."""

import json
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http import HTTPStatus

import pytest

from orchestrator.web.http_service import Reply, Request, Server
from shared.errors import DecisionConflict, EnvironmentFault, UnknownRun, UserError

pytestmark = pytest.mark.component

TOKEN = "a-token-of-the-test"


@dataclass
class Recorder:
    """Answers everything, and remembers what reached it."""

    requests: list[Request] = field(default_factory=list)
    bugs: list[Exception] = field(default_factory=list)

    def answer(self, request: Request) -> Reply:
        self.requests.append(request)
        match request.path[-1]:
            case "bug":
                raise ZeroDivisionError("a secret of the traceback")
            case "unknown":
                raise UnknownRun("no such run")
            case "conflict":
                raise DecisionConflict("answered")
            case "wrong":
                raise UserError("wrong")
            case "away":
                raise EnvironmentFault("away")
        return Reply(HTTPStatus.OK, {"path": list(request.path)})


@dataclass(frozen=True)
class Client:
    """Sends bytes and reads the answer to its end."""

    port: int
    recorder: Recorder

    def send(self, *pieces: bytes, end: bool = False) -> tuple[int, bytes, bytes]:
        """The status, the head and the body of the answer."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as connection:
            for piece in pieces:
                connection.sendall(piece)
            if end:
                connection.shutdown(socket.SHUT_WR)
            answer = b""
            while chunk := connection.recv(65_536):
                answer += chunk
        head, _, body = answer.partition(b"\r\n\r\n")
        return int(head.split()[1]), head, body

    def ask(
        self,
        target: str | bytes,
        *headers: str,
        method: str = "GET",
        token: str | None = None,
        body: bytes = b"",
        host: bool = True,
    ) -> tuple[int, bytes, bytes]:
        """One request with these header lines."""
        target = target.encode() if isinstance(target, str) else target
        lines = [method.encode() + b" " + target + b" HTTP/1.1"]
        lines += [f"Host: 127.0.0.1:{self.port}".encode()] if host else []
        lines += [b"Authorization: Bearer " + token.encode()] if token else []
        lines += [header.encode("latin-1") for header in headers]
        return self.send(b"\r\n".join(lines) + b"\r\n\r\n" + body)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    recorder = Recorder()
    server = Server(0, recorder, TOKEN, recorder.bugs.append)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def client(server: Server) -> Client:
    recorder = server.application
    assert isinstance(recorder, Recorder)
    recorder.requests.clear()
    return Client(server.server_address[1], recorder)


@pytest.mark.parametrize("target", ["/healthz", "/readyz", "/healthz?probe=1"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_health_check_needs_no_token(client: Client, target: str, method: str):
    status, _, body = client.ask(target, method=method)
    assert status == 200
    assert bool(body) == (method == "GET")


OTHER_TARGETS = [
    "/api/runs",
    "/%61pi/runs",
    "/a%70i/runs",
    "/%61%70%69/%72uns",
    "/%2561pi/runs",
    "/api%2fruns",
    "/api%2Fruns",
    "/%2fapi/runs",
    "/API/runs",
    "/Api/runs",
    "//api/runs",
    "///api//runs",
    "/./api/runs",
    "/%2e/api/runs",
    "/x/../api/runs",
    "/healthz/../api/runs",
    "/healthz/%2e%2e/api/runs",
    "/healthz%2f..%2fapi%2fruns",
    "/healthz/",
    "//healthz",
    "/healthz//",
    "/HEALTHZ",
    "/healthz;x",
    "/healthz;/../api/runs",
    "/healthz%00",
    "/healthz%20",
    "/healthz%0a",
    "/healthz/x",
    "/api;x/runs",
    "/api/runs;x",
    "/api/runs?path=/healthz",
    "/api/runs#/healthz",
    "/api/runs/%00",
    "/api/runs/%c0%af",
    "/api/runs/%ff",
    "/api/runs/%zz",
    "/api\\runs",
    "/\t/api/runs",
    "/",
    "*",
    "?/healthz",
    "healthz",
    "api/runs",
    "http://127.0.0.1/api/runs",
    "http://127.0.0.1/healthz",
    "file:///healthz",
]


@pytest.mark.parametrize("target", OTHER_TARGETS)
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "OPTIONS", "PUT", "get", "BREW"])
def test_everything_else_needs_the_token(client: Client, target: str, method: str):
    status, head, _ = client.ask(target, method=method)
    assert status in (400, 401)
    assert b"\r\nContent-Type: application/json" in head
    assert client.recorder.requests == []


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "get"])
def test_a_health_check_only_reads(client: Client, method: str):
    assert client.ask("/healthz", method=method)[0] == 401


@pytest.mark.parametrize("target", OTHER_TARGETS)
def test_with_the_token_a_strange_target_gets_an_answer(client: Client, target: str):
    status, _, body = client.ask(target, token=TOKEN)
    assert status in (200, 400)
    json.loads(body)


def test_the_path_is_decoded_once(client: Client):
    for target in ("/api/runs/%61", "/api/runs/%2561", "/api/runs/a%2fb/", "/api/runs/%ea%b0%80"):
        assert client.ask(target, token=TOKEN)[0] == 200
    seen = [request.path[2] for request in client.recorder.requests]
    assert seen == ["a", "%61", "a/b", "\uac00"]


@pytest.mark.parametrize(
    "header",
    [
        "Authorization: ",
        "Authorization: Bearer",
        "Authorization: Bearer ",
        "Authorization: Bearer wrong",
        f"Authorization: Bearer {TOKEN[:-1]}",
        f"Authorization: Bearer {TOKEN}x",
        f"Authorization: Bearer {TOKEN.upper()}",
        f"Authorization: Basic {TOKEN}",
        f"Authorization: {TOKEN}",
        f"Authorization : Bearer {TOKEN}",
        f"Authorization: Bearer wrong\r\nAuthorization: Bearer {TOKEN}",
        f"Authorization: Bearer {TOKEN}\r\nAuthorization: Bearer wrong",
        f"X-Authorization: Bearer {TOKEN}",
        f"Cookie: token={TOKEN}",
        "Authorization: Bearer \xff\xfe",
    ],
)
def test_only_the_token_itself_lets_in(client: Client, header: str):
    assert client.ask("/api/runs", header)[0] in (400, 401)
    assert client.ask("/api/runs?token=" + TOKEN, header)[0] in (400, 401)
    assert client.recorder.requests == []


@pytest.mark.parametrize("token", ["", " ", "\t\n"])
def test_there_is_no_service_without_a_token(token: str):
    with pytest.raises(ValueError, match="without a token"):
        Server(0, Recorder(), token, print)


def test_a_token_beyond_ascii_lets_in_as_it_was_sent():
    server = Server(0, Recorder(), "비밀", print)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        client = Client(server.server_address[1], Recorder())
        assert client.ask("/api", token="비밀")[0] == 200
        assert client.ask("/api", token="비빌")[0] == 401
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (("Host: evil.example",), 421),
        (("Host: 127.0.0.1",), 421),
        (("Host: 127.0.0.1:1",), 421),
        (("Host: 127.0.0.1:{port}.evil.example",), 421),
        (("Host: evil.example@127.0.0.1:{port}",), 421),
        (("Host: evil.example, 127.0.0.1:{port}",), 421),
        (("Host: 127.0.0.1:{port}", "Host: evil.example"), 400),
        (("Host: 127.0.0.1:{port}", "Host: 127.0.0.1:{port}"), 400),
        ((), 421),
        (("Host: ",), 421),
        (("X-Forwarded-Host: 127.0.0.1:{port}",), 421),
        (("Host: 127.0.0.1:{port}", "Origin: http://evil.example"), 403),
        (("Host: 127.0.0.1:{port}", "Origin: null"), 403),
        (("Host: 127.0.0.1:{port}", "Origin: "), 403),
        (("Host: 127.0.0.1:{port}", "Origin: http://["), 403),
        (("Host: 127.0.0.1:{port}", "Origin: https://127.0.0.1:{port}"), 403),
        (("Host: 127.0.0.1:{port}", "Origin: http://127.0.0.1"), 403),
        (("Host: 127.0.0.1:{port}", "Origin: http://127.0.0.1:{port}.evil.example"), 403),
        (("Host: 127.0.0.1:{port}", "Origin: http://127.0.0.1:{port}", "Origin: null"), 403),
        (("Host: 127.0.0.1:{port}", "Origin: http://127.0.0.1:{port}"), 200),
        (("Host: LOCALHOST:{port}", "Origin: http://localhost:{port}"), 200),
    ],
)
@pytest.mark.parametrize("target", ["/healthz", "/api/runs"])
def test_a_foreign_host_or_origin_is_refused_everywhere(
    client: Client, headers: tuple[str, ...], status: int, target: str
):
    sent = [header.format(port=client.port) for header in headers]
    assert client.ask(target, *sent, token=TOKEN, host=False)[0] == status


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ((), 411),
        (("Content-Length: \xb2",), 400),
        (("Content-Length: \xb9\xb2",), 400),
        (("Content-Length: +5",), 400),
        (("Content-Length: -1",), 400),
        (("Content-Length: 5.0",), 400),
        (("Content-Length: 0x5",), 400),
        (("Content-Length: 5_0",), 400),
        (("Content-Length: 5, 5",), 400),
        (("Content-Length: ",), 400),
        (("Content-Length: " + "9" * 5000,), 400),
        (("Content-Length: 5", "Content-Length: 5"), 400),
        (("Content-Length: 5", "Content-Length: 6"), 400),
        (("Content-Length: 5", "Transfer-Encoding: chunked"), 400),
        (("Transfer-Encoding: chunked",), 400),
        (("Transfer-Encoding: identity",), 400),
        (("Content-Length: 65537",), 413),
        (("Content-Length: 999999999999999999",), 413),
        (("Content-Length: 5",), 200),
    ],
)
def test_a_body_whose_length_is_not_certain_is_refused(
    client: Client, headers: tuple[str, ...], status: int
):
    sent = ("Content-Type: application/json", *headers)
    answer = client.ask("/api/x", *sent, method="POST", token=TOKEN, body=b"12345")
    assert answer[0] == status
    json.loads(answer[2])
    assert len(client.recorder.requests) == (status == 200)


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "", "multipart/form-data"]
)
def test_a_form_of_a_page_is_no_json(client: Client, kind: str):
    sent = (f"Content-Type: {kind}", "Content-Length: 2")
    assert client.ask("/api/x", *sent, method="POST", token=TOKEN, body=b"{}")[0] in (400, 415)


def test_who_is_refused_hears_it_even_while_still_sending(client: Client):
    for token, status in ((None, 401), (TOKEN, 413)):
        answer = client.ask(
            "/api/x", "Content-Length: 3000000", method="POST", token=token, body=b"x" * 3_000_000
        )
        assert answer[0] == status


def test_a_body_that_ends_early_is_refused(client: Client):
    head = (
        f"POST /api/x HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\nAuthorization: Bearer {TOKEN}\r\n"
        "Content-Type: application/json\r\nContent-Length: 50\r\n\r\n"
    ).encode()
    assert client.send(head, b"{", end=True)[0] == 400


@pytest.mark.parametrize(
    "raw",
    [
        b"\r\n\r\n",
        b"GARBAGE\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET /healthz\r\n\r\n",
        b"POST /healthz\r\n\r\n",
        b"GET /healthz HTTP/x\r\n\r\n",
        b"GET /healthz HTTP/9.9\r\n\r\n",
        b"GET /healthz HTTP/\xb2.1\r\n\r\n",
        b"GET /healthz two HTTP/1.1\r\n\r\n",
        b"GET  HTTP/1.1\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET /" + b"a" * 9_000 + b" HTTP/1.1\r\n\r\n",
        b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\n" + b"X: 1\r\n" * 200 + b"\r\n",
        b"GET /healthz HTTP/1.1\r\nX: " + b"a" * 70_000 + b"\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nno colon\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\n: empty\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost\x00: x\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\n\r\n",
        b"G\x00T /healthz HTTP/1.1\r\n\r\n",
    ],
)
def test_what_is_no_request_is_refused_in_our_form(client: Client, raw: bytes):
    status, head, body = client.send(raw)
    assert 400 <= status < 506
    assert head.startswith(b"HTTP/1.0 ")
    assert set(json.loads(body)) == {"error"}
    assert client.recorder.requests == []


@pytest.mark.parametrize(
    ("target", "status"),
    [("/unknown", 404), ("/conflict", 409), ("/wrong", 400), ("/away", 503)],
)
def test_an_expected_error_has_its_status(client: Client, target: str, status: int):
    assert client.ask(target, token=TOKEN)[0] == status


def test_a_bug_is_answered_and_stays_here(client: Client, capfd: pytest.CaptureFixture[str]):
    status, _, body = client.ask("/bug", token=TOKEN)
    assert status == 500
    assert b"secret of the traceback" not in body
    assert [type(bug) for bug in client.recorder.bugs] == [ZeroDivisionError]
    assert "Traceback" not in capfd.readouterr().err


def test_a_silent_connection_does_not_keep_others_out(client: Client):
    with socket.create_connection(("127.0.0.1", client.port)) as silent:
        silent.sendall(b"POST /api/x HTTP/1.1\r\n")
        assert client.ask("/healthz")[0] == 200


def test_a_request_that_drips_ends_at_its_deadline():
    server = Server(0, Recorder(), TOKEN, print, request_s=0.5)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        with socket.create_connection(server.server_address[:2], timeout=60) as connection:
            connection.sendall(b"GET /healthz HTTP/1.1\r\nX: ")
            answer = b""
            connection.settimeout(0.05)
            while not answer:
                connection.sendall(b"a")
                try:
                    answer = connection.recv(4_096)
                except TimeoutError:
                    continue
        assert answer.startswith(b"HTTP/1.0 408 ")
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

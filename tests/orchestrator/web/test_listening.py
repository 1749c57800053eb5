"""The service on a real socket: who does not speak is let go of, and who is refused hears it."""

import json
import socket

import pytest

from orchestrator.web.listening import listen
from shared.errors import EnvironmentFault, UserError
from tests.fixtures.web import OWN_TOKEN, Listen, ListeningService

pytestmark = pytest.mark.component


def sent(service: ListeningService, raw: bytes) -> bytes:
    """All that comes back for these bytes."""
    with socket.create_connection(("127.0.0.1", service.port), timeout=60) as connection:
        connection.sendall(raw)
        answer = b""
        while chunk := connection.recv(65_536):
            answer += chunk
    return answer


def head(service: ListeningService, method: str, target: str, *lines: str) -> bytes:
    """A request that wants no other after it."""
    first = [
        f"{method} {target} HTTP/1.1",
        f"Host: 127.0.0.1:{service.port}",
        "Connection: close",
        f"Authorization: Bearer {OWN_TOKEN}",
    ]
    return "\r\n".join([*first, *lines, "", ""]).encode("latin-1")


def test_requests_on_a_socket_are_answered_or_refused_but_never_left(listening: Listen):
    service = listening()
    assert sent(service, head(service, "GET", "/healthz")).startswith(b"HTTP/1.1 200")
    assert b"\r\nserver:" not in sent(service, head(service, "GET", "/healthz")).lower()
    for raw in (
        b"GARBAGE\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"GET /healthz HTTP/x\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nno colon\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\n\r\n",
        head(service, "POST", "/api/v1/x", "Content-Length: 5", "Transfer-Encoding: chunked"),
        head(service, "POST", "/api/v1/x", "Content-Length: 5", "Content-Length: 6"),
        head(service, "POST", "/api/v1/x", "Content-Length: +5"),
    ):
        assert sent(service, raw).startswith((b"HTTP/1.1 400", b"HTTP/1.1 501"))


def test_who_is_refused_hears_it_even_while_still_sending(listening: Listen):
    service = listening()
    large = head(service, "POST", "/api/v1/x", "Content-Length: 30000000") + b"x" * 3_000_000
    refused = sent(service, large)
    assert refused.startswith(b"HTTP/1.1 413")
    assert json.loads(refused.partition(b"\r\n\r\n")[2])["code"] == "body-too-large"


def test_a_connection_without_a_request_is_closed_and_keeps_nobody_out(listening: Listen):
    service = listening(head_s=0.5)
    with socket.create_connection(("127.0.0.1", service.port), timeout=60) as silent:
        assert sent(service, head(service, "GET", "/healthz")).startswith(b"HTTP/1.1 200")
        assert silent.recv(4096).startswith(b"HTTP/1.1 408")


def test_a_head_that_drips_ends_at_its_deadline(listening: Listen):
    service = listening(head_s=0.5)
    with socket.create_connection(("127.0.0.1", service.port), timeout=60) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nX: ")
        answer = b""
        connection.settimeout(0.05)
        while not answer:
            connection.sendall(b"a")
            try:
                answer = connection.recv(4_096)
            except TimeoutError:
                continue
    assert answer.startswith(b"HTTP/1.1 408")


def test_an_address_that_others_reach_needs_stored_tokens():
    with pytest.raises(UserError, match="quorate tokens add"):
        listen("0.0.0.0", 0, guarded=False)


def test_a_port_that_is_taken_is_told():
    with (
        listen("127.0.0.1", 0, guarded=False) as taken,
        pytest.raises(EnvironmentFault, match="--port"),
    ):
        listen("127.0.0.1", taken.getsockname()[1], guarded=False)

"""The transport against sockets that misbehave; every call ends within its own time."""

from __future__ import annotations

import base64
import gzip
import os
import socket
import threading
import time
import zlib
from collections.abc import Callable, Iterator

import pytest

from shared.errors import ProviderError, Scope
from shared.models.outcomes import FailureKind
from tests.support.bad_servers import (
    Handler,
    bad_gzip,
    cut,
    drip,
    drip_body,
    gibberish,
    hang_up,
    read_request,
    reply,
    reset,
    server,
    silent,
    unread,
    until_closed,
)
from tests.support.promptness import promptly
from workers.providers.guard import Guard
from workers.providers.http.slots import endpoint
from workers.providers.http.sockets import Unresolved
from workers.providers.http.transport import HttpRequest, HttpTransport

SECRET = "sk-a-very-secret-key"


@pytest.fixture
def way() -> Iterator[HttpTransport]:
    transport = HttpTransport(trust_env=False, max_bytes=1_000_000)
    yield transport
    transport.close()


def guard(deadline_s: float = 60.0, cancel: threading.Event | None = None) -> Guard:
    return Guard("claude", deadline_s, cancel or threading.Event())


def post(url: str, body: bytes = b"hello") -> HttpRequest:
    return HttpRequest(url, {"authorization": f"Bearer {SECRET}"}, body)


@pytest.mark.component
@pytest.mark.parametrize("handler", [drip, drip_body, silent, unread])
def test_a_server_that_takes_its_time_cannot_hold_a_call_beyond_its_deadline(
    way: HttpTransport, handler: Handler
) -> None:
    def late() -> ProviderError:
        began = time.monotonic()
        with pytest.raises(ProviderError) as caught:
            way.send(post(url, b"x" * 30_000_000), guard(0.5))
        assert time.monotonic() - began > 0.4
        return caught.value

    with server(handler) as url:
        error = promptly(2.0, late)
    assert error.kind is FailureKind.TIMEOUT
    assert error.retryable


@pytest.mark.component
@pytest.mark.parametrize("handler", [drip, drip_body, silent, unread])
def test_a_cancelled_call_ends_within_a_second(way: HttpTransport, handler: Handler) -> None:
    def cancelled() -> ProviderError:
        cancel = threading.Event()
        threading.Timer(0.3, cancel.set).start()
        with pytest.raises(ProviderError) as caught:
            way.send(post(url, b"x" * 30_000_000), guard(cancel=cancel))
        return caught.value

    with server(handler) as url:
        assert promptly(1.3, cancelled).kind is FailureKind.CANCELLED


@pytest.mark.component
def test_a_call_that_is_cancelled_already_sends_nothing(way: HttpTransport) -> None:
    cancel = threading.Event()
    cancel.set()
    met: list[socket.socket] = []
    with server(met.append) as url:
        with pytest.raises(ProviderError) as caught:
            way.send(post(url), guard(5, cancel))
        assert caught.value.kind is FailureKind.CANCELLED
    assert met == []


@pytest.mark.component
@pytest.mark.parametrize("handler", [reset, cut, hang_up, gibberish, bad_gzip])
def test_a_broken_answer_is_unreachable_and_retryable_and_names_no_key(
    way: HttpTransport, handler: Handler
) -> None:
    with server(handler) as url, pytest.raises(ProviderError) as caught:
        way.send(post(url), guard())
    assert caught.value.kind is FailureKind.UNREACHABLE
    assert caught.value.retryable
    assert SECRET not in f"{caught.value} {caught.value!r}"
    assert "claude" in str(caught.value)


@pytest.mark.component
def test_an_answer_larger_than_allowed_is_given_up(way: HttpTransport) -> None:
    def endless(connection: socket.socket) -> None:
        read_request(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 100000000\r\n\r\n")
        while True:
            connection.sendall(b"x" * 65536)

    with server(endless) as url, pytest.raises(ProviderError) as caught:
        way.send(post(url), guard())
    assert caught.value.kind is FailureKind.TRUNCATED


@pytest.mark.component
@pytest.mark.parametrize(
    ("encoding", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress)]
)
def test_a_packed_answer_is_unpacked_also_when_its_packing_was_not_asked_for(
    way: HttpTransport, encoding: str, pack: Callable[[bytes], bytes]
) -> None:
    packed = reply(pack(b'{"a": "\xed\x95\x9c"}'), f"content-encoding: {encoding}\r\n".encode())
    with server(lambda connection: until_closed(connection, packed)) as url:
        assert way.send(post(url), guard()).body == b'{"a": "\xed\x95\x9c"}'


@pytest.mark.component
def test_a_small_answer_that_unpacks_to_a_large_one_is_given_up(way: HttpTransport) -> None:
    bomb = reply(gzip.compress(b"x" * 50_000_000), b"content-encoding: gzip\r\n")
    with (
        server(lambda connection: until_closed(connection, bomb)) as url,
        pytest.raises(ProviderError) as caught,
    ):
        way.send(post(url), guard())
    assert caught.value.kind is FailureKind.TRUNCATED


@pytest.mark.component
def test_a_redirect_is_an_answer_and_not_followed(way: HttpTransport) -> None:
    away = b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:9/\r\ncontent-length: 0\r\n\r\n"
    with server(lambda connection: until_closed(connection, away)) as url:
        assert way.send(post(url), guard()).status == 302


@pytest.mark.component
def test_nobody_listening_is_unreachable(way: HttpTransport) -> None:
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        port = reserved.getsockname()[1]
        with pytest.raises(ProviderError, match="cannot be reached") as caught:
            way.send(post(f"http://127.0.0.1:{port}/"), guard())
    assert caught.value.kind is FailureKind.UNREACHABLE
    assert (caught.value.retryable, caught.value.scope) == (True, Scope.NOBODY)


def test_a_name_that_is_not_resolved_asked_nobody(way: HttpTransport) -> None:
    with pytest.raises(ProviderError, match="cannot be reached: bad host name") as caught:
        way.send(post(f"http://{'a' * 64}.invalid/"), guard())  # too long to be looked up
    assert caught.value.kind is FailureKind.UNREACHABLE
    assert (caught.value.retryable, caught.value.scope) == (True, Scope.NOBODY)


def test_a_look_up_that_took_its_time_is_not_made_again() -> None:
    assert Unresolved("Temporary failure in name resolution", 0.1).quick
    assert not Unresolved("Temporary failure in name resolution", 8.0).quick


@pytest.mark.component
def test_a_server_without_tls_under_https_is_a_tls_failure(way: HttpTransport) -> None:
    def plain(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with (
        server(plain) as url,
        pytest.raises(ProviderError, match="TLS failed") as caught,
    ):
        way.send(post(url.replace("http:", "https:")), guard())
    assert caught.value.kind is FailureKind.UNREACHABLE


@pytest.mark.parametrize(
    "url",
    [
        "ftp://127.0.0.1/x",
        "http://[::1",
        "http:///x",
        "127.0.0.1/x",
        "http://a b/",
        "http://h/a b",
        "http://h:99999/",
    ],
)
def test_an_address_that_is_none_is_a_bad_request(way: HttpTransport, url: str) -> None:
    with pytest.raises(ProviderError) as caught:
        way.send(post(url), guard())
    assert caught.value.kind is FailureKind.BAD_REQUEST
    assert not caught.value.retryable


class Counted:
    """A handler that counts its connections and says which one answers."""

    def __init__(self, *, close_after: bool = False) -> None:
        self.connections = 0
        self.closed = threading.Semaphore(0)
        self._close_after = close_after

    def __call__(self, connection: socket.socket) -> None:
        self.connections += 1
        number = self.connections
        if self._close_after:
            read_request(connection)
            connection.sendall(reply(b"%d" % number))
            connection.close()
            self.closed.release()
        else:
            until_closed(connection, reply(b"%d" % number))


@pytest.mark.component
def test_a_connection_is_used_again(way: HttpTransport) -> None:
    counted = Counted()
    with server(counted) as url:
        assert [way.send(post(url), guard()).body for _ in range(5)] == [b"1"] * 5
    assert counted.connections == 1


@pytest.mark.component
def test_a_connection_that_the_server_closed_silently_is_not_used_again(way: HttpTransport) -> None:
    counted = Counted(close_after=True)
    with server(counted) as url:
        bodies = []
        for _ in range(10):
            bodies.append(way.send(post(url), guard()).body)
            assert counted.closed.acquire(timeout=30)
    assert bodies == [b"%d" % number for number in range(1, 11)]


@pytest.mark.component
def test_an_idle_connection_is_dropped_when_it_is_old() -> None:
    counted = Counted()
    transport = HttpTransport(trust_env=False, idle_s=0.05)
    with server(counted) as url:
        transport.send(post(url), guard())
        time.sleep(0.1)
        transport.send(post(url), guard())
    transport.close()
    assert counted.connections == 2


@pytest.mark.component
def test_a_connection_whose_call_was_cancelled_serves_nobody_else(way: HttpTransport) -> None:
    served = Counted()

    def first_silent(connection: socket.socket) -> None:
        if served.connections == 0:
            served.connections += 1
            silent(connection)
        else:
            served(connection)

    cancel = threading.Event()
    with server(first_silent) as url:
        threading.Timer(0.1, cancel.set).start()
        with pytest.raises(ProviderError):
            way.send(post(url), guard(cancel=cancel))
        assert way.send(post(url), guard()).body == b"2"


@pytest.mark.component
def test_many_calls_at_once_all_get_their_own_answer(way: HttpTransport) -> None:
    all_have_asked = threading.Barrier(50)

    def echo(connection: socket.socket) -> None:
        while asked := read_request(connection):
            all_have_asked.wait(30)
            connection.sendall(reply(asked.rpartition(b"\r\n\r\n")[2]))

    answers: dict[int, bytes] = {}

    def call(number: int) -> None:
        answers[number] = way.send(post(url, b"%d" % number), guard()).body

    with server(echo) as url:
        threads = [threading.Thread(target=call, args=(number,)) for number in range(50)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert answers == {number: b"%d" % number for number in range(50)}


@pytest.mark.component
def test_a_cookie_is_not_carried_to_the_next_call(way: HttpTransport) -> None:
    heard: list[bytes] = []

    def baker(connection: socket.socket) -> None:
        while asked := read_request(connection):
            heard.append(asked)
            connection.sendall(reply(b"x", b"set-cookie: account=a; path=/\r\n"))

    with server(baker) as url:
        way.send(post(url), guard())
        way.send(post(url), guard())
    assert len(heard) == 2
    assert b"account=a" not in heard[1]


@pytest.mark.component
def test_a_proxy_of_the_environment_is_used_but_never_for_this_machine() -> None:
    heard: list[bytes] = []

    def proxy(connection: socket.socket) -> None:
        while asked := read_request(connection):
            heard.append(asked)
            connection.sendall(reply(b"by proxy"))

    transport = HttpTransport()
    with server(proxy) as proxy_url, server(Counted()) as url:
        os.environ["http_proxy"] = proxy_url.replace("http://", "http://me:pass%20word@")
        try:
            away = transport.send(post("http://model.example:8000/v1/chat"), guard())
            near = transport.send(post(url), guard())
        finally:
            del os.environ["http_proxy"]
            transport.close()
    assert (away.body, near.body) == (b"by proxy", b"1")
    assert len(heard) == 1
    assert heard[0].startswith(b"POST http://model.example:8000/v1/chat HTTP/1.1\r\n")
    assert b"Basic " + base64.b64encode(b"me:pass word") in heard[0]


@pytest.mark.parametrize(
    ("address", "host", "target"),
    [
        ("https://api.example/v1?a=b", b"api.example", b"/v1?a=b"),
        ("http://127.0.0.1:8000", b"127.0.0.1:8000", b"/"),
        ("http://[::1]:8000/x", b"[::1]:8000", b"/x"),
        ("http://모델.example/x", b"xn--bo1b89k.example", b"/x"),
    ],
)
def test_an_address_is_split_as_http_wants_it(address: str, host: bytes, target: bytes) -> None:
    found = endpoint(address)
    assert (found.host_header, found.url.target) == (host, target)


def test_a_request_does_not_show_its_headers_or_body() -> None:
    shown = repr(HttpRequest("http://h/", {"authorization": SECRET}, b"private text"))
    assert SECRET not in shown
    assert "private text" not in shown

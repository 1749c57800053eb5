"""Servers on a raw socket that misbehave, each in one way."""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

Handler = Callable[[socket.socket], None]


@contextmanager
def server(handler: Handler) -> Iterator[str]:
    """A server whose connections are each given to `handler`; gives its address."""
    listener = socket.create_server(("127.0.0.1", 0))
    open_ones: list[socket.socket] = []

    def serve(connection: socket.socket) -> None:
        with suppress(OSError):
            handler(connection)

    def accept() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                open_ones.append(connection)
                threading.Thread(target=serve, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    finally:
        # Wakes the thread in accept, which close alone does not.
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        for connection in open_ones:
            connection.close()


def reply(body: bytes, head: bytes = b"") -> bytes:
    return b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n%s\r\n%s" % (len(body), head, body)


def read_request(connection: socket.socket) -> bytes:
    """One whole small request, or what came before the end of a large one's head; empty at the end."""
    asked = b""
    while b"\r\n\r\n" not in asked:
        packet = connection.recv(65536)
        if not packet:
            return b""
        asked += packet
    head, _, body = asked.partition(b"\r\n\r\n")
    size = int(head.lower().partition(b"content-length:")[2].split()[0])
    while len(body) < size < 1000:
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


def until_closed(connection: socket.socket, answer: bytes) -> None:
    """Answer every request of a connection."""
    while read_request(connection):
        connection.sendall(answer)


def drip(connection: socket.socket) -> None:
    read_request(connection)
    for byte in reply(b"x" * 1000):
        connection.sendall(bytes([byte]))
        time.sleep(0.05)


def drip_body(connection: socket.socket) -> None:
    read_request(connection)
    connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n")
    for _ in range(1000):
        connection.sendall(b"x")
        time.sleep(0.05)


def silent(connection: socket.socket) -> None:
    read_request(connection)
    time.sleep(30)


def unread(connection: socket.socket) -> None:
    del connection
    time.sleep(30)


def reset(connection: socket.socket) -> None:
    read_request(connection)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def cut(connection: socket.socket) -> None:
    read_request(connection)
    connection.sendall(reply(b"x" * 1000)[:500])
    connection.close()


def hang_up(connection: socket.socket) -> None:
    read_request(connection)
    connection.close()


def gibberish(connection: socket.socket) -> None:
    read_request(connection)
    connection.sendall(b"gibberish gibberish\r\n\r\n")
    connection.close()


def bad_gzip(connection: socket.socket) -> None:
    until_closed(connection, reply(b"no gzip at all", b"content-encoding: gzip\r\n"))

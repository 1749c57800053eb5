"""Run by test_tripwires in a pytest of its own: it must fail although it catches the refusal."""

import contextlib
import socket


def test_it_catches_the_refusal():
    with contextlib.suppress(OSError), socket.socket() as sock:
        sock.connect(("192.0.2.1", 9))

"""A RabbitMQ that falls silent: whoever publishes or asks gives the connection up and goes on with another one."""

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from uuid import uuid4

import pytest
from kombu import Queue

from shared.delivery.broker import make_app

pytestmark = pytest.mark.needs_rabbitmq


class Gate:
    """A TCP relay; from `freeze` on, the connections that exist pass nothing on and stay open."""

    def __init__(self, real: tuple[str, int]) -> None:
        """Serves from threads at once."""
        self._real = real
        self._frozen: list[threading.Event] = []
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = self._server.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def freeze(self) -> None:
        """As a machine that is gone, except that its kernel still acknowledges."""
        for frozen in self._frozen:
            frozen.set()

    def close(self) -> None:
        """Serve no more."""
        self._server.close()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._server.accept()
                far = socket.create_connection(self._real)
                frozen = threading.Event()
                self._frozen.append(frozen)
                for ends in ((near, far), (far, near)):
                    threading.Thread(target=_pass_on, args=(*ends, frozen), daemon=True).start()


def _pass_on(source: socket.socket, target: socket.socket, frozen: threading.Event) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            if frozen.is_set():
                threading.Event().wait()
            target.sendall(data)


@pytest.fixture
def gate() -> Iterator[Gate]:
    address = os.environ["QUORATE_TEST_AMQP_URL"].partition("@")[2].partition("/")[0]
    host, _, port = address.partition(":")
    opened = Gate((host, int(port or 5672)))
    yield opened
    opened.close()


def test_a_frozen_connection_holds_up_no_message_and_no_question(gate: Gate) -> None:
    login, _, rest = os.environ["QUORATE_TEST_AMQP_URL"].partition("@")
    app = make_app(f"{login}@127.0.0.1:{gate.port}/{rest.partition('/')[2]}")
    name = f"quorate.test-{uuid4()}"
    app.conf.task_queues = [Queue(name, durable=False, expires=600)]  # type: ignore[no-untyped-call]
    sent = threading.Event()

    def send() -> None:
        for _ in range(2):
            app.send_task("step", kwargs={}, queue=name, ignore_result=True)
        sent.set()

    send()
    sent.clear()
    gate.freeze()
    threading.Thread(target=send, daemon=True).start()

    assert sent.wait(90)
    assert app.depths([name]) == {name: 4}
    app.close()

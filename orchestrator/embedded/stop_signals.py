"""Signals as something a loop can sleep on."""

import selectors
import signal
import socket
from typing import Self

STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)
LEAVE = signal.SIGUSR2
"""Asks a supervisor to make room for another one, and to let its processes finish what they have begun."""


class StopSignals:
    """Counts requests to stop, notes one to leave, and wakes a selector for them and for a child's end."""

    def __init__(self) -> None:
        self.stops = 0
        self.leaves = False
        self._receiver, self._sender = socket.socketpair()
        for end in (self._receiver, self._sender):
            end.setblocking(False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._receiver, selectors.EVENT_READ)

    def __enter__(self) -> Self:
        handlers = {
            **dict.fromkeys(STOP_SIGNALS, self._count),
            LEAVE: self._leave,
            signal.SIGCHLD: self._ignore,
        }
        self._former = {number: signal.signal(number, act) for number, act in handlers.items()}
        self._former_fd = signal.set_wakeup_fd(self._sender.fileno(), warn_on_full_buffer=False)
        return self

    def __exit__(self, *_: object) -> None:
        signal.set_wakeup_fd(self._former_fd)
        for number, handler in self._former.items():
            signal.signal(number, handler)
        self._selector.close()
        self._receiver.close()
        self._sender.close()

    def sleep(self, timeout_s: float) -> None:
        """Sleep until a signal arrives or `timeout_s` has passed."""
        if self._selector.select(max(timeout_s, 0)):
            self._receiver.recv(4096)

    def _count(self, *_: object) -> None:
        self.stops += 1

    def _leave(self, *_: object) -> None:
        self.leaves = True

    def _ignore(self, *_: object) -> None:
        """Its arrival is all that matters."""

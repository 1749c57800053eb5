"""Follow a run on behalf of a client: progress while it goes on, and an end when the client cancels."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any

import anyio.from_thread
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

from orchestrator.core.lines import Line, plain
from orchestrator.presentation.live.progress_events import RunSnapshot, changes, still_waiting
from orchestrator.presentation.locale.translator import ENGLISH
from shared.models.notices import Notice

REMINDER_S = 10.0
"""Clients that count the time since the last progress give up after a minute or less."""
REMEMBERED = 1000

Report = Callable[[float, float | None, str | None], Coroutine[Any, Any, None]]


class ProgressObserver:
    """Tells a client what happens in a run; works in a thread, and ends when the client's request is cancelled."""

    streams = False

    def __init__(self, report: Report) -> None:
        """`report` sends a progress notification from the event loop."""
        self._report = report
        self._count = 0
        self._told_at = time.monotonic()

    def changed(self, before: RunSnapshot | None, after: RunSnapshot) -> None:
        """One notification for everything that happened in between."""
        self._tell(changes(before, after, ENGLISH))

    def refreshed(self, snapshot: RunSnapshot) -> None:
        """Look whether somebody still waits, and tell them now and then who is waited for."""
        anyio.from_thread.check_cancelled()
        if time.monotonic() - self._told_at >= REMINDER_S:
            self._tell(still_waiting(snapshot, ENGLISH))

    def warn(self, notice: Notice) -> None:
        """What keeps the run from going on."""
        self._send(ENGLISH.translate(notice))

    def _tell(self, lines: list[Line]) -> None:
        if text := plain(lines).strip():
            self._send(text)

    def _send(self, text: str) -> None:
        self._count += 1  # the protocol wants it to grow with each notification
        self._told_at = time.monotonic()
        anyio.from_thread.run(self._report, float(self._count), None, text)


class Cancellations:
    """Which requests the client has cancelled: a connection that ends cancels handlers too, but means no run."""

    def __init__(self) -> None:
        """None yet."""
        self._requests: deque[str] = deque(maxlen=REMEMBERED)

    async def __call__(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Middleware of the server: sees every message on its way."""
        if ctx.method == "notifications/cancelled":
            self._requests.append(str((ctx.params or {}).get("requestId")))
        return await call_next(ctx)

    def has(self, request: object) -> bool:
        """Whether the client cancelled that request."""
        return str(request) in self._requests

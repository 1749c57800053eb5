"""Server-sent events for the page of a run: that it has changed, and what is being written in it.

One task looks at all runs that pages have open; a page that waits costs no thread and no database connection. What is
sent tells a page to read again and can be lost: whoever comes back reads everything (`static/run.js`).
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field

from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from orchestrator.application.watched_runs import RunLooks, SeenRun
from shared.text.unfinished import SoFar

LOOK_EVERY_S = 0.3
SILENCE_S = 15.0
"""After how long something is sent although nothing happened: proxies close what is silent."""
RECONNECT_MS = 1000


@dataclass
class OpenRuns:
    """The runs that pages have open, and what was last seen of them; lives in the event loop."""

    looks: RunLooks
    every_s: float = LOOK_EVERY_S
    _open: Counter[str] = field(default_factory=Counter)
    _seen: dict[str, SeenRun] = field(default_factory=dict)
    _looked: asyncio.Event = field(default_factory=asyncio.Event)
    _task: asyncio.Task[None] | None = None

    async def changes(self, run: str) -> AsyncIterator[SeenRun | None]:
        """The run whenever it is another one than before; None when that takes long."""
        self._open[run] += 1
        last: SeenRun | None = None
        silent_since = asyncio.get_running_loop().time()
        try:
            while True:
                await self._next_look()
                seen, now = self._seen.get(run), asyncio.get_running_loop().time()
                if seen is not None and seen != last:
                    last, silent_since = seen, now
                    yield seen
                elif now - silent_since >= SILENCE_S:
                    silent_since = now
                    yield None
        finally:
            self._open[run] -= 1
            if not self._open[run]:
                del self._open[run]
                self._seen.pop(run, None)

    async def _next_look(self) -> None:
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._look())
        await self._looked.wait()

    async def _look(self) -> None:
        """Look as long as any page is open."""
        while self._open:
            try:
                self._seen |= await run_in_threadpool(self.looks.look, list(self._open))
            finally:  # whoever waits starts another task where this one failed
                looked, self._looked = self._looked, asyncio.Event()
                looked.set()
            await asyncio.sleep(self.every_s)
        await run_in_threadpool(self.looks.close)


async def _events(opened: OpenRuns, run: str) -> AsyncIterator[bytes]:
    yield f"retry: {RECONNECT_MS}\n\n".encode()
    before: SeenRun | None = None
    async for seen in opened.changes(run):
        if seen is None:
            yield b": nothing new\n\n"
            continue
        if before is None or before.pulse != seen.pulse:
            yield _event("changed", {"status": seen.pulse.status.value})
        written = news(before, seen)
        if written:
            yield _event("written", {step: so_far.text for step, so_far in written.items()})
        before = seen
        if seen.pulse.status.final:
            return


def news(before: SeenRun | None, seen: SeenRun) -> Mapping[str, SoFar]:
    """What has grown of what turns write."""
    known = {} if before is None else before.written
    return {step: so_far for step, so_far in seen.written.items() if known.get(step) != so_far}


def _event(kind: str, content: Mapping[str, object]) -> bytes:
    return f"event: {kind}\ndata: {json.dumps(content, ensure_ascii=False)}\n\n".encode()


def run_events(opened: OpenRuns, run: str) -> StreamingResponse:
    """The response that sends them until the run has ended."""
    return StreamingResponse(
        _events(opened, run),
        media_type="text/event-stream",
        headers={"X-Accel-Buffering": "no"},
    )

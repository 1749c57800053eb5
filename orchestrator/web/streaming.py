"""Server-sent events of a run, from its log; a connection that waits costs no thread and no database connection.

One task asks for all runs that somebody waits for at once. Numbers of events have no gaps, so a client that names the
last one it has (`Last-Event-ID`) misses nothing, however often it is cut off.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass, field
from functools import partial

from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from orchestrator.application.backend import Backend
from orchestrator.application.watched_runs import SeenRun
from orchestrator.web.watching import OpenRuns, news
from shared.errors import EnvironmentFault
from shared.store.events import list_events, log_lengths

POLL_S = 0.3
SILENCE_S = 15.0
"""After how long something is sent although nothing happened: proxies close what is silent."""
RECONNECT_MS = 1000
WAITING = 100


@dataclass
class EventHub:
    """How long the logs of the runs are that somebody waits for; lives in the event loop."""

    backend: Backend
    poll_s: float = POLL_S
    _waiting: dict[str, int] = field(default_factory=dict)
    _lengths: dict[str, tuple[int, bool]] = field(default_factory=dict)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _task: asyncio.Task[None] | None = None

    async def longer(self, run: str, than: int, within_s: float) -> tuple[int, bool]:
        """The length of a run's log, and whether the run has ended, once it is longer or has ended, or time is over."""
        self._waiting[run] = self._waiting.get(run, 0) + 1
        try:
            async with asyncio.timeout(within_s):
                while True:
                    self._wake()
                    known = self._lengths.get(run)
                    if known is not None and (known[0] > than or known[1]):
                        return known
                    await self._changed.wait()
        except TimeoutError:
            return self._lengths.get(run, (than, False))
        finally:
            self._waiting[run] -= 1
            if not self._waiting[run]:
                del self._waiting[run]
                self._lengths.pop(run, None)

    def _wake(self) -> None:
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._poll())

    async def _poll(self) -> None:
        """Ask as long as anybody waits; a database that is away for a while is asked again."""
        while self._waiting:
            runs = list(self._waiting)
            try:
                found = await run_in_threadpool(self.backend.read, partial(log_lengths, runs=runs))
            except EnvironmentFault:
                found = {}
            self._lengths |= {run: each for run, each in found.items() if run in self._waiting}
            self._changed.set()
            self._changed = asyncio.Event()
            await asyncio.sleep(self.poll_s)


async def events_of(hub: EventHub, run: str, after: int, silence_s: float) -> AsyncIterator[bytes]:
    """The events of a run after a number, as they happen; `end` is the last one of a run that has ended."""
    yield f"retry: {RECONNECT_MS}\n\n".encode()
    while True:
        length, ended = await hub.longer(run, after, silence_s)
        if length > after:
            rows = await run_in_threadpool(
                hub.backend.read, partial(list_events, run=run, after=after)
            )
            for seq, kind, body in rows:
                after = seq
                yield _event(kind, {"seq": seq, "type": kind, "body": body}, seq)
            if rows:
                continue
        if ended:
            yield _event("end", {"run": run, "seq": after})
            return
        yield b": nothing new\n\n"


async def written_of(opened: OpenRuns, run: str) -> AsyncIterator[bytes]:
    """What turns are writing in a run, whenever it has grown: by step, without numbers, for it is stored nowhere."""
    before: SeenRun | None = None
    async for seen in opened.changes(run):
        if seen is None:
            continue
        if grown := news(before, seen):
            yield _event("written", {step: asdict(so_far) for step, so_far in grown.items()})
        before = seen


async def merged(
    first: AsyncIterator[bytes], *others: AsyncIterator[bytes]
) -> AsyncIterator[bytes]:
    """What all of them give, as it comes, until the first one ends."""
    queue: asyncio.Queue[bytes | None] = asyncio.Queue(WAITING)

    async def pour(source: AsyncIterator[bytes], *, last: bool) -> None:
        try:
            async for piece in source:
                await queue.put(piece)
        finally:
            if last:
                await queue.put(None)

    tasks = [asyncio.create_task(pour(first, last=True))]
    tasks += [asyncio.create_task(pour(source, last=False)) for source in others]
    try:
        while (piece := await queue.get()) is not None:
            yield piece
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _event(kind: str, content: dict[str, object], seq: int | None = None) -> bytes:
    number = "" if seq is None else f"id: {seq}\n"
    text = json.dumps(content, ensure_ascii=False, default=str)
    return f"{number}event: {kind}\ndata: {text}\n\n".encode()


def event_stream(
    hub: EventHub, run: str, after: int, opened: OpenRuns | None = None
) -> StreamingResponse:
    """The response that sends them; with `opened` also what turns are writing."""
    events = events_of(hub, run, after, SILENCE_S)
    return StreamingResponse(
        events if opened is None else merged(events, written_of(opened, run)),
        media_type="text/event-stream",
        headers={"X-Accel-Buffering": "no"},
    )

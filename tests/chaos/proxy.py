"""Servers behind a bad network: proxies on unix sockets that cut a connection, or freeze it without a word."""

from __future__ import annotations

import asyncio
import random
import re
import threading
from abc import ABC, abstractmethod
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import sqlalchemy as sa

from shared.instance import POSTGRES_SOCKET

# CommandComplete messages (protocol 3.0: 'C', length, tag) of what changes data.
WRITES = (b"UPDATE ", b"INSERT ", b"COMMIT\0", b"SELECT 1\0")
# psycopg prepares what it executes often: Parse names the statement once, every Bind repeats the name alone.
PARSED = re.compile(rb"(_pg3_\d+)\0([^\0]+)\0")
BOUND = re.compile(rb"\0(_pg3_\d+)\0")


@dataclass
class Link:
    """A client's connection: what it has prepared, and where it stands on the way to being frozen."""

    prepared: dict[bytes, bytes] = field(default_factory=dict)
    answers: int = 0
    matched: bool = False
    frozen: bool = False


class Proxy(ABC):
    """Listens in `folder` under the name of a server's socket and passes everything on that its kind lets pass."""

    def __init__(self, folder: Path, real: Path, name: str = POSTGRES_SOCKET) -> None:
        """Serves from a thread at once."""
        folder.mkdir()
        self.folder = folder
        self.socket = folder / name
        self._real = real
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        assert self._ready.wait(30)

    def close(self) -> None:
        """Serve no more."""
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(5)
        self._loop.close()

    @abstractmethod
    async def passes(self, link: Link, data: bytes, *, answer: bool) -> bool:
        """False cuts the connection in place of passing `data` on."""

    def _run(self) -> None:
        self._loop.run_until_complete(self._serve())

    async def _serve(self) -> None:
        self._stop = asyncio.Event()
        server = await asyncio.start_unix_server(self._connect, self.socket)
        self._ready.set()
        await self._stop.wait()
        server.close()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
            with suppress(asyncio.CancelledError, OSError):
                await task
        await asyncio.sleep(0)  # transports that were closed just now

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        link = Link()
        there, to = await asyncio.open_unix_connection(self._real)
        up = asyncio.create_task(self._pass_on(link, reader, to, answer=False))
        down = asyncio.create_task(self._pass_on(link, there, writer, answer=True))
        try:
            with suppress(asyncio.CancelledError):
                await asyncio.wait({up, down}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (up, down):
                task.cancel()
            to.close()
            writer.close()

    async def _pass_on(
        self,
        link: Link,
        source: asyncio.StreamReader,
        target: asyncio.StreamWriter,
        *,
        answer: bool,
    ) -> None:
        with suppress(OSError):
            while data := await source.read(65536):
                if not await self.passes(link, data, answer=answer):
                    return
                target.write(data)
                await target.drain()


class FailingProxy(Proxy):
    """A Postgres that executes and then fails.

    Each answer to a write is swallowed, and its connection cut, with `probability`: the client cannot know that the
    server has done the work. `dropped` counts them.
    """

    def __init__(self, folder: Path, real: Path, seed: int, probability: float) -> None:
        """Serves from a thread at once."""
        self.probability = probability
        self.dropped = 0
        self._random = random.Random(seed)
        super().__init__(folder, real)

    async def passes(self, link: Link, data: bytes, *, answer: bool) -> bool:
        """False for an answer that is swallowed."""
        is_write = answer and any(tag in data for tag in WRITES)
        if not is_write or self._random.random() >= self.probability:
            return True
        self.dropped += 1
        return False


class DyingProxy(Proxy):
    """A server that dies again and again: every connection is cut at its answer number `lives`."""

    def __init__(self, folder: Path, real: Path, lives: int) -> None:
        """Serves from a thread at once."""
        self._lives = lives
        super().__init__(folder, real)

    async def passes(self, link: Link, data: bytes, *, answer: bool) -> bool:
        """False for the last answer of a connection."""
        link.answers += answer
        return link.answers < self._lives


class FreezingProxy(Proxy):
    """A peer that vanishes: one connection passes nothing on any more, and neither end is told.

    `arm` chooses the statement. The next connection that asks for it is frozen: at the answer to it, which is lost, or
    before the server hears of it (`asked=False`). Other connections go on. `frozen` counts.
    """

    def __init__(self, folder: Path, real: Path, name: str = POSTGRES_SOCKET) -> None:
        """Freezes nothing before it is armed."""
        self.frozen = 0
        self._trigger: bytes | None = None
        self._asked = True
        self._left = 0
        super().__init__(folder, real, name)

    def arm(
        self, trigger: str, *, asked: bool = True, answered: bool = False, times: int = 1
    ) -> None:
        """Freeze the next `times` connections at this piece of SQL (or of a Redis command).

        `answered`: its answer still arrives, and what comes after it is lost.
        """
        self._asked, self._answered, self._left = asked, answered, times
        self._trigger = trigger.encode()

    async def passes(self, link: Link, data: bytes, *, answer: bool) -> bool:
        """Never False: a frozen connection stays open, and what comes on it is kept from the other end."""
        if not answer:
            self._learn(link, data)
            if self._is_chosen(link, data):
                link.matched = self._asked
                if not self._asked:
                    self._freeze(link)
        elif link.matched and not link.frozen:
            self._freeze(link)
            return self._answered or await self._for_ever()
        return not link.frozen or await self._for_ever()

    def _freeze(self, link: Link) -> None:
        link.frozen = True
        self.frozen += 1

    async def _for_ever(self) -> bool:
        return await self._stop.wait()

    def _learn(self, link: Link, data: bytes) -> None:
        for name, statement in PARSED.findall(data):
            link.prepared[name] = statement

    def _is_chosen(self, link: Link, data: bytes) -> bool:
        trigger = self._trigger
        if trigger is None or link.matched or not self._left:
            return False
        texts = (data, *(link.prepared.get(name, b"") for name in BOUND.findall(data)))
        if not any(trigger in text for text in texts):
            return False
        self._left -= 1
        return True


def through(database_url: str, proxy: Proxy) -> str:
    """The same database by way of the proxy."""
    url = sa.engine.make_url(database_url).update_query_dict({"host": str(proxy.folder)})
    return url.render_as_string(hide_password=False)

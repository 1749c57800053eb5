"""A Postgres that executes and then fails: a proxy which drops a connection after a write was done, unanswered."""

from __future__ import annotations

import asyncio
import random
import threading
from contextlib import suppress
from pathlib import Path

from shared.embedded.instance import POSTGRES_SOCKET

# CommandComplete messages (protocol 3.0: 'C', length, tag) of what changes data.
WRITES = (b"UPDATE ", b"INSERT ", b"COMMIT\0", b"SELECT 1\0")


class FailingProxy:
    """Listens in `folder` under Postgres's socket name and passes everything on, except what it drops.

    Each answer to a write is swallowed, and its connection cut, with `probability`: the client cannot know that the
    server has done the work. `dropped` counts them.
    """

    def __init__(self, folder: Path, real: Path, seed: int, probability: float) -> None:
        """Serves from a thread at once."""
        folder.mkdir()
        self.folder = folder
        self.probability = probability
        self.dropped = 0
        self._real = real
        self._random = random.Random(seed)
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

    def _run(self) -> None:
        self._loop.run_until_complete(self._serve())

    async def _serve(self) -> None:
        self._stop = asyncio.Event()
        server = await asyncio.start_unix_server(self._connect, self.folder / POSTGRES_SOCKET)
        self._ready.set()
        await self._stop.wait()
        server.close()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            there, to = await asyncio.open_unix_connection(self._real)
            up = asyncio.create_task(self._pass_on(reader, to, False))
            down = asyncio.create_task(self._pass_on(there, writer, True))
            await asyncio.wait({up, down}, return_when=asyncio.FIRST_COMPLETED)
            for task in (up, down):
                task.cancel()
            to.close()
        writer.close()

    async def _pass_on(
        self, source: asyncio.StreamReader, target: asyncio.StreamWriter, answers: bool
    ) -> None:
        with suppress(OSError):
            while data := await source.read(65536):
                if answers and self._is_dropped(data):
                    return
                target.write(data)
                await target.drain()

    def _is_dropped(self, data: bytes) -> bool:
        is_write = any(tag in data for tag in WRITES)
        if not is_write or self._random.random() >= self.probability:
            return False
        self.dropped += 1
        return True

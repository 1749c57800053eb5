"""Group commit: what several threads want done at the same time is done with one statement.

Nothing is waited for: whoever comes while nobody is at work is served alone, and all who come meanwhile are served
together afterwards. So a batch is as large as the load makes it.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, nullcontext
from typing import Generic, TypeVar

import structlog

from shared.errors import EnvironmentFault

T = TypeVar("T")
R = TypeVar("R")

log = structlog.get_logger(__name__)


class Gatherer(Generic[T, R]):
    """A thread that does `work` for many at once; `work` gives one result for each."""

    def __init__(
        self,
        name: str,
        work: Callable[[Sequence[T]], Sequence[R]],
        *,
        most: int = 64,
        around: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> None:
        """Starts at once. `around` is entered for each batch, with what its results set off."""
        self._work = work
        self._most = most
        self._around = around
        self._waiting: queue.SimpleQueue[tuple[T, Future[R]] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def put(self, item: T) -> Future[R]:
        """Have it done soon. What is attached to the future is called in the gatherer's thread, and must be short."""
        future: Future[R] = Future()
        self._waiting.put((item, future))
        return future

    def close(self) -> None:
        """Do what was put so far, and end. Nothing may be put afterwards."""
        self._waiting.put(None)
        self._thread.join()

    def _run(self) -> None:
        while (first := self._waiting.get()) is not None:
            batch, is_last = self._gathered(first)
            try:
                with self._around():
                    self._do(batch)
            except Exception:
                log.exception("gatherer.bug")  # the next batch must be done, whatever this one met
            if is_last:
                return

    def _gathered(self, first: tuple[T, Future[R]]) -> tuple[list[tuple[T, Future[R]]], bool]:
        """The first and what waits behind it; and whether nothing comes after them."""
        batch = [first]
        while len(batch) < self._most:
            try:
                following = self._waiting.get_nowait()
            except queue.Empty:
                break
            if following is None:
                return batch, True
            batch.append(following)
        return batch, False

    def _do(self, batch: Sequence[tuple[T, Future[R]]]) -> None:
        try:
            results = self._work([item for item, _ in batch])
        except Exception as error:  # noqa: BLE001 - whoever asked for it is told
            if len(batch) > 1 and not isinstance(error, EnvironmentFault):
                # One that cannot be done must not keep back the others.
                for single in batch:
                    self._do([single])
                return
            for _, future in batch:
                future.set_exception(error)
            return
        for (_, future), result in zip(batch, results, strict=True):
            future.set_result(result)

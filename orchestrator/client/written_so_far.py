"""What the turns of a run are writing, heard from a service's server-sent events in a thread of its own.

A stream that breaks is opened again after the last event that came (`Last-Event-ID`); until then everything stands as
it was heard last. Losing some of it changes nothing but the picture.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping

from pydantic import TypeAdapter, ValidationError

from orchestrator.client.client import Client
from orchestrator.client.refusals import ServiceAway
from shared.errors import QuorateError
from shared.text.unfinished import SoFar

WRITTEN = "written"
END = "end"
AGAIN_S = 1.0
_STEPS = TypeAdapter(dict[str, SoFar])


class WrittenSoFar:
    """The listening end of one run."""

    def __init__(self, client: Client, run: str) -> None:
        """Begins to listen."""
        self._client, self._run = client, run
        self._heard: dict[str, SoFar] = {}
        self._last = 0
        self._news = threading.Event()
        self._closed = threading.Event()
        self.connected = False
        self._thread = threading.Thread(target=self._listen, name="written", daemon=True)
        self._thread.start()

    @property
    def is_listening(self) -> bool:
        """Whether more may be heard."""
        return self._thread.is_alive()

    def look(self) -> Mapping[str, SoFar]:
        """What was heard so far, by step."""
        return dict(self._heard)

    def take_news(self) -> bool:
        """Whether something has happened in the run since this was asked last."""
        had_news = self._news.is_set()
        self._news.clear()
        return had_news

    def close(self) -> None:
        """Listen no more."""
        self._closed.set()

    def _listen(self) -> None:
        while not self._closed.is_set():
            try:
                if self._hear():
                    return
            except ServiceAway as away:
                if away.for_good:
                    return
            except QuorateError:
                return  # whoever follows is told the same by the next look at the run
            finally:
                self.connected = False
            self._closed.wait(AGAIN_S)

    def _hear(self) -> bool:
        """Take what comes until the stream ends; True when the run has ended."""
        for kind, number, content in self._client.stream(self._run, self._last, written=True):
            self.connected = True
            if self._closed.is_set() or kind == END:
                return True
            if kind == WRITTEN:
                self._take(content)
            elif number is not None:
                self._last = number
                self._news.set()
        return False

    def _take(self, content: object) -> None:
        try:
            self._heard |= _STEPS.validate_python(content)
        except ValidationError:
            return  # of another version; the run itself is told by its rows

"""What a stand-in for batch APIs knows: the batches that it was sent, and what a test wishes for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

Body = dict[str, Any]
REPLY = '{"verdict": "APPROVED", "summary": "from a batch"}'
TOKENS_IN, TOKENS_OUT = 1_000, 100


@dataclass
class HeldBatch:
    """A batch that was accepted. `requests` by custom id, in order; `outcomes` by custom id where not `answered`."""

    id: str
    requests: dict[str, Body]
    name: str = ""
    endpoint: str = ""
    input_file: str = ""
    state: str = "in_progress"
    cancelled: bool = False
    deleted: bool = False
    outcomes: dict[str, str] = field(default_factory=dict)
    missing: frozenset[str] = frozenset()


class BatchStand:
    """What the tests see and steer; safe to use while requests are served."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.url = ""
        self.batches: list[HeldBatch] = []
        self.files: dict[str, bytes] = {}
        self.asked: list[tuple[str, str]] = []
        self.keys: list[str] = []
        self.reply = REPLY
        self.refuse: list[tuple[int, Body, dict[str, str]]] = []
        self.cut_after_accepting = 0
        self.at_once = False
        self.outcome: Callable[[str, Body], str] = lambda _id, _body: "answered"

    def posted(self) -> list[str]:
        """The custom ids of everything that was accepted, in order."""
        with self.lock:
            return [name for batch in self.batches for name in batch.requests]

    def finish(self, state: str = "ended", *, but: Sequence[str] = ()) -> None:
        """Everything that was accepted is done; nothing is known of the calls named in `but`."""
        with self.lock:
            for batch in self.batches:
                if batch.state == "in_progress":
                    self.end(batch, state, but)

    def end(self, batch: HeldBatch, state: str = "ended", but: Sequence[str] = ()) -> None:
        batch.missing = frozenset(but)
        for name, body in batch.requests.items():
            wished = self.outcome(name, body)
            batch.outcomes[name] = "canceled" if batch.cancelled else wished
        batch.state = state

    def accept(self, requests: dict[str, Body], **fields: str) -> HeldBatch:
        batch = HeldBatch(f"batch_{len(self.batches) + 1}", requests, **fields)
        self.batches.append(batch)
        if self.at_once:
            self.end(batch)
        return batch

    def find(self, name: str) -> HeldBatch | None:
        return next((b for b in self.batches if b.id == name and not b.deleted), None)


class CutOff(Exception):
    """The connection ends here, without an answer."""


Answer = tuple[int, Any, dict[str, str]]


def created(stand: BatchStand, accept: Callable[[], Answer]) -> Answer:
    """A batch's creation: refused, or accepted with or without an answer."""
    if stand.refuse:
        return stand.refuse.pop(0)
    answer = accept()
    if stand.cut_after_accepting:
        stand.cut_after_accepting -= 1
        raise CutOff
    return answer

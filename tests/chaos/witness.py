"""The stand-in's log: every call that was made, under the step that it was made for."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tests.chaos.cluster import Cluster


@dataclass(frozen=True)
class Call:
    """A call that reached the stand-in; `ended` is None while it is under way."""

    run: str
    key: str
    attempt: int
    number: int
    began: float
    ended: float | None
    answered: bool


def calls_of(cluster: Cluster, runs: Sequence[str]) -> list[Call]:
    """The stand-in's log, each call under its step: the request id is a hash that can be computed anew."""
    rows = cluster.ask(
        "SELECT run_id, key, attempts FROM steps WHERE run_id = ANY(%s) AND kind = 'turn'",
        list(runs),
    )
    names = {
        _request_id(f"{row.run_id}/{row.key}", attempt, number): (
            row.run_id,
            row.key,
            attempt,
            number,
        )
        for row in rows
        for attempt in range(1, row.attempts + 3)
        for number in (1, 2)
    }
    ends: dict[int, tuple[float, bool]] = {}
    began: list[dict[str, Any]] = []
    for event in cluster.models.events():
        if event["event"] == "call":
            began.append(event)
        elif event["event"] in ("answered", "dropped"):
            ends[event["n"]] = (event["t"], event["event"] == "answered")
    calls = []
    for event in began:
        name = names.get(event["request_id"])
        if name is not None:
            ended, answered = ends.get(event["n"], (None, False))
            calls.append(Call(*name, event["t"], ended, answered))
    return calls


def _request_id(step: str, attempt: int, number: int) -> str:
    digest = hashlib.sha256(f"{step}\n{attempt}\n{number}".encode()).hexdigest()
    return f"quorate-{digest[:32]}"

"""Rows of the store, read from behind a service; one that is away for a while is waited for by whoever follows."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import quote

from orchestrator.application.rows_text import read_rows
from orchestrator.client.client import Client
from orchestrator.client.refusals import ServiceAway
from shared.models.notices import Notice, notice

PATIENCE_S = 600.0
"""How long whoever follows a run or a batch waits for a service that is away."""
AGAIN_S = 1.0
T = TypeVar("T")
Warn = Callable[[Notice], None]


@dataclass
class RemoteRows:
    """What a service tells in the store's own shapes.

    Whoever follows (`care`) is patient: while the service is away everything stands as it was last seen.
    """

    client: Client
    patience_s: float = PATIENCE_S
    again_at: float = 0.0
    _warn: Warn | None = None
    _known: dict[str, Any] = field(default_factory=dict)
    _away_since: float | None = None
    _told: bool = False

    def read(self, kind: Callable[..., T], path: str, query: Mapping[str, Any] | None = None) -> T:
        """The rows at that place. Raises QuorateError."""
        ends_at = time.monotonic() + (self.patience_s if self._warn is not None else 0.0)
        while True:
            try:
                return read_rows(kind, self.client.get(f"/rows{path}", query).content)
            except ServiceAway as away:
                if away.for_good or time.monotonic() >= ends_at:
                    raise

    def change(
        self,
        kind: Callable[..., T],
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        key: str | None = None,
    ) -> T:
        """The rows as they are after a change, which is made once. Raises QuorateError."""
        return read_rows(kind, self.client.post(f"/rows{path}", body or {}, key=key).content)

    def followed(
        self, kind: Callable[..., T], path: str, query: Mapping[str, Any] | None = None
    ) -> T:
        """The rows at a place that is looked at again and again; as they last were while the service is away."""
        if path not in self._known or self._warn is None:
            self._known[path] = self.read(kind, path, query)
        elif time.monotonic() >= self.again_at:
            try:
                answer = self.client.get(f"/rows{path}", query, tries=1)
                self._known[path] = read_rows(kind, answer.content)
                self._away_since = None
            except ServiceAway as away:
                self._note(away)
        known: T = self._known[path]
        return known

    def _note(self, away: ServiceAway) -> None:
        now = time.monotonic()
        self._away_since = self._away_since or now
        self.again_at = now + AGAIN_S
        if away.for_good or now - self._away_since >= self.patience_s:
            raise away

    # ---- whoever follows is told ----------------------------------------------------------------

    def care(self, warn: Warn) -> RemoteRows:
        """The service looks after its own processes; whether it is there is told from here."""
        self._warn = warn
        return self

    def progressed(self) -> None:
        """Something was seen: the service is there."""

    def look(self, run: str) -> None:  # noqa: ARG002 - the Protocol's signature
        """Say once that the service is away, and once that it is back."""
        away = self._away_since is not None
        if self._warn is None or away == self._told:
            return
        self._told = away
        state = notice("service_away", s=int(self.patience_s)) if away else notice("service_back")
        self._warn(state)


def part(name: str) -> str:
    """A name as a part of a path."""
    return quote(name, safe="")

"""The limiter of a worker process: the shared state while Redis answers, its own while it does not."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import redis
import structlog

from workers.limits.local_state import LocalState
from workers.limits.shared_state import LEASE_S, SharedState
from workers.limits.state import (
    AccountState,
    Admission,
    AdmissionRequest,
    AdmissionVerdict,
    CallEnd,
    Settled,
)

REDIS_LEFT_ALONE_S = 2.0

log = structlog.get_logger(__name__)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Permit:
    """The right to make one call, to be settled once."""

    asked: AdmissionRequest
    bucket: str
    since: float
    local: bool


class Limiter:
    """Asks and settles. Safe to share between threads, not across a fork. Raises no error of Redis."""

    def __init__(self, shared: SharedState, *, lease_s: float = LEASE_S) -> None:
        """`lease_s` must be that of `shared`: it is renewed four times within it."""
        self._shared = shared
        self._local = LocalState()
        self._lease_s = lease_s
        self._away_until = 0.0
        self._held: dict[str, AdmissionRequest] = {}
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._renewer: threading.Thread | None = None

    @classmethod
    def at(cls, redis_url: str) -> Limiter:
        """The limiter of that Redis; nothing is connected yet."""
        return cls(SharedState(redis_url))

    def ask(self, asked: AdmissionRequest) -> tuple[Admission, Permit | None]:
        """The answer, and the permit if it is `ok`."""
        answer, local = self._through(lambda state: state.ask(asked))
        if answer.verdict is not AdmissionVerdict.OK:
            return answer, None
        if not local:
            self._hold(asked)
        return answer, Permit(asked, answer.bucket, time.monotonic(), local)

    def settle(self, permit: Permit, ended: CallEnd) -> Settled:
        """Give the permit back with what came of it."""
        with self._lock:
            self._held.pop(permit.asked.permit, None)
        if permit.local:
            return self._local.settle(ended)
        settled, _ = self._through(lambda state: state.settle(ended))
        return settled

    def close(self) -> None:
        """Renew nothing more; what is held ends with its lease."""
        self._closed.set()
        self._shared.close()

    def _through(self, work: Callable[[AccountState], T]) -> tuple[T, bool]:
        """The result, and whether it is this process's own."""
        if time.monotonic() >= self._away_until:
            try:
                return work(self._shared), False
            except redis.RedisError as error:
                self._away_until = time.monotonic() + REDIS_LEFT_ALONE_S
                log.warning("limits.redis_away", why=type(error).__name__)
        return work(self._local), True

    def _hold(self, asked: AdmissionRequest) -> None:
        with self._lock:
            self._held[asked.permit] = asked
            if self._renewer is None:
                self._renewer = threading.Thread(target=self._renew, name="permits", daemon=True)
                self._renewer.start()

    def _renew(self) -> None:
        while not self._closed.wait(self._lease_s / 4):
            with self._lock:
                permits = list(self._held.values())
            if not permits:
                continue
            try:
                self._shared.renew(permits)
            except redis.RedisError as error:
                log.warning("limits.not_renewed", permits=len(permits), why=type(error).__name__)


def permit_name() -> str:
    """A name that no other call has."""
    return uuid.uuid4().hex[:16]

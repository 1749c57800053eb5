"""The state of this process alone, for the time in which Redis does not answer.

It holds to the same limits, so N processes together exceed them at most N times, and only until Redis is back. It
knows no breaker and no pause: attempts bound what a failing provider can cost.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from workers.limits.state import (
    Admission,
    AdmissionRequest,
    AdmissionVerdict,
    CallEnd,
    Effect,
    Settled,
)

WINDOW_S = 61.0
FIRST_WAIT_S = 1.0


@dataclass
class _Account:
    calls: deque[tuple[float, str, int]] = field(default_factory=deque)
    under_way: set[str] = field(default_factory=set)
    blocked_until: float = 0.0


class LocalState:
    """A window of calls per account. Safe to share between threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` gives seconds; only differences count."""
        self._clock = clock
        self._lock = threading.Lock()
        self._accounts: defaultdict[str, _Account] = defaultdict(_Account)

    def ask(self, asked: AdmissionRequest) -> Admission:
        """Count the call if it may be made now."""
        now = self._clock()
        with self._lock:
            account = self._accounts[asked.account]
            while account.calls and account.calls[0][0] <= now - WINDOW_S:
                account.calls.popleft()
            wait_s = self._wait_s(account, asked, now)
            if wait_s > 0:
                return Admission(AdmissionVerdict.WAIT, wait_s=wait_s)
            account.calls.append((now, asked.permit, asked.tokens))
            account.under_way.add(asked.permit)
        return Admission(AdmissionVerdict.OK)

    def _wait_s(self, account: _Account, asked: AdmissionRequest, now: float) -> float:
        limits = asked.limits
        until = account.blocked_until
        if limits.parallel is not None and len(account.under_way) >= limits.parallel:
            until = max(until, now + FIRST_WAIT_S)
        requests, tokens = len(account.calls), sum(call[2] for call in account.calls)
        wanted = min(asked.tokens, limits.tpm or asked.tokens)
        for moment, _, used in account.calls:
            fits = limits.rpm is None or requests < max(limits.rpm, 1)
            if fits and (limits.tpm is None or tokens + wanted <= limits.tpm):
                break
            until = max(until, moment + WINDOW_S)
            requests, tokens = requests - 1, tokens - used
        return until - now

    def settle(self, ended: CallEnd) -> Settled:
        """Take the end of a call, also of one that was let through elsewhere."""
        now = self._clock()
        with self._lock:
            account = self._accounts[ended.asked.account]
            account.under_way.discard(ended.asked.permit)
            if ended.effect is Effect.UNASKED:
                account.calls = deque(c for c in account.calls if c[1] != ended.asked.permit)
            wait_s = ended.cooldown_s
            if ended.effect is Effect.LIMITED:
                wait_s = max(wait_s, FIRST_WAIT_S, ended.retry_after_s or 0.0)
            account.blocked_until = max(account.blocked_until, now + wait_s)
        return Settled(refusals=int(ended.effect is Effect.LIMITED), wait_s=wait_s)

    def renew(self, permits: Iterable[AdmissionRequest]) -> None:
        """Nothing to do: what this process holds dies with it."""

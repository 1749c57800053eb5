"""One call's two limits: the total deadline and the cancel flag."""

from __future__ import annotations

import threading
import time

from shared.errors import ProviderError
from shared.models.notices import notice
from shared.models.outcomes import FailureKind
from workers.providers.calls import Cancelled, ProviderCall

POLL_S = 0.25


class Guard:
    """Asked before and during everything that can take time.

    `remaining_s` counts down to the deadline on the monotonic clock. `limit_s` is what people are
    told: the time that the whole turn was given, of which the deadline is the rest.
    """

    __slots__ = ("_ends_at", "cancel", "limit_s", "participant")

    def __init__(
        self, participant: str, deadline_s: float, cancel: Cancelled, limit_s: float | None = None
    ) -> None:
        self.participant = participant
        self.limit_s = deadline_s if limit_s is None else limit_s
        self.cancel = cancel
        self._ends_at = time.monotonic() + deadline_s

    @classmethod
    def of(cls, call: ProviderCall, cancel: Cancelled) -> Guard:
        """The guard of a call that starts now."""
        return cls(call.participant.name, call.deadline_s, cancel, call.limit_s)

    def remaining_s(self) -> float:
        """Seconds left, negative when the deadline has passed."""
        return self._ends_at - time.monotonic()

    def check(self) -> None:
        """Raise ProviderError when the call is cancelled or out of time."""
        if self.cancel.is_set():
            raise self.cancelled()
        if self.remaining_s() <= 0:
            raise self.timeout()

    def pause(self, seconds: float) -> None:
        """Wait that long, or raise as soon as the call is cancelled or out of time."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self.check()
            step = min(left, max(self.remaining_s(), 0.0))
            if isinstance(self.cancel, threading.Event):
                self.cancel.wait(step)
            else:
                time.sleep(min(step, POLL_S))
        self.check()

    def timeout(self) -> ProviderError:
        """The error of a call whose time is over."""
        return ProviderError(
            FailureKind.TIMEOUT,
            f"{self.participant} did not answer within {round(self.limit_s, 1) or self.limit_s:g} s.",
            notice=notice(
                "no_answer_within", who=self.participant, s=round(self.limit_s, 1) or self.limit_s
            ),
            retryable=True,
        )

    def cancelled(self) -> ProviderError:
        """The error of a call that somebody gave up."""
        return ProviderError(
            FailureKind.CANCELLED, f"The call of {self.participant} was cancelled."
        )

"""What is asked of the state of an account and what it answers, wherever that state is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from shared.providers.options import AccountLimits


class AdmissionVerdict(StrEnum):
    """The answer to `may this call be made now?`."""

    OK = "ok"
    WAIT = "wait"
    BLOCKED = "blocked"
    OPEN = "open"
    PROBING = "probing"
    PAUSED = "paused"


class Effect(StrEnum):
    """What the end of a call says about its account.

    `success`: an answer; `answered`: a refusal of this very call, so the provider is there; `limited`: too fast;
    `failed`: one more failure in a row; `fatal`: no call can succeed (the key); `neutral`: nothing; `unasked`: the
    call never was.
    """

    SUCCESS = "success"
    ANSWERED = "answered"
    LIMITED = "limited"
    FAILED = "failed"
    FATAL = "fatal"
    NEUTRAL = "neutral"
    UNASKED = "unasked"


@dataclass(frozen=True, slots=True)
class AdmissionRequest:
    """A call that wants to be made. `names`: what else an operator may have paused; `tokens`: estimated.

    `key` tells the keys of one account apart.
    """

    permit: str
    account: str
    limits: AccountLimits
    tokens: int
    names: tuple[str, ...] = ()
    key: str = ""


@dataclass(frozen=True, slots=True)
class Admission:
    """`detail` is the failure kind that opened a breaker, or the paused name; `bucket` where it was counted.

    `failure_text`: the message of the failure that opened a breaker.
    """

    verdict: AdmissionVerdict
    wait_s: float = 0.0
    detail: str = ""
    bucket: str = ""
    failure_text: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class CallEnd:
    """A call that was made. `tokens` is what the estimate lacked, `cooldown_s` what headers asked for."""

    asked: AdmissionRequest
    bucket: str
    effect: Effect
    tokens: int = 0
    duration_s: float = 0.0
    retry_after_s: float | None = None
    cooldown_s: float = 0.0
    why: str = ""
    failure_text: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Settled:
    """What the end of a call led to: refusals in a row, and how long everybody waits now."""

    refusals: int = 0
    wait_s: float = 0.0
    open: bool = False


class AccountState(Protocol):
    """The counters of all accounts."""

    def ask(self, asked: AdmissionRequest) -> Admission:
        """Count the call if it may be made now."""

    def settle(self, ended: CallEnd) -> Settled:
        """Take the end of a call that was let through."""

    def renew(self, permits: Iterable[AdmissionRequest]) -> None:
        """Say that these calls are still under way."""

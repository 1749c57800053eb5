"""Questions and ends of calls as tests make them."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from shared.providers.options import AccountLimits
from workers.limits.state import (
    AccountState,
    Admission,
    AdmissionRequest,
    AdmissionVerdict,
    CallEnd,
    Effect,
)

_numbers = itertools.count(1)


def asked(
    tokens: int = 0, account: str = "openai", key: str = "", **limits: Any
) -> AdmissionRequest:
    """A call that wants to be made."""
    names = ("openai", "gpt")
    return AdmissionRequest(
        f"p{next(_numbers)}", account, AccountLimits(**limits), tokens, names, key
    )


def ended(
    call: AdmissionRequest, effect: Effect = Effect.SUCCESS, bucket: str = "0", **fields: Any
) -> CallEnd:
    """The end of a call."""
    return CallEnd(call, bucket, effect, **fields)


def let_through(state: AccountState, **question: Any) -> AdmissionRequest:
    """A call that is made."""
    call = asked(**question)
    assert state.ask(call).verdict is AdmissionVerdict.OK
    return call


def fails(
    state: AccountState,
    times: int,
    effect: Effect = Effect.FAILED,
    why: str = "unreachable",
    **question: Any,
) -> None:
    """So many calls, one after the other, that end so."""
    for _ in range(times):
        state.settle(
            ended(let_through(state, **question), effect, why=why, failure_text="it is down")
        )


def until(true: Callable[[], bool], timeout_s: float = 30.0) -> float:
    """Seconds until it is so."""
    started = time.monotonic()
    while not true():
        assert time.monotonic() - started < timeout_s, "it never came to be"
        threading.Event().wait(0.01)
    return time.monotonic() - started


def accounts() -> Iterator[str]:
    """Accounts that nobody has used, for one try after the other."""
    return (f"account-{number}" for number in _numbers)


def verdicts(answers: list[Admission]) -> list[str]:
    """The verdicts as words."""
    return [answer.verdict.value for answer in answers]

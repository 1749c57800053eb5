"""A provider behind its limits: who waits where, what is told to everybody, what the provider sees."""

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from shared.errors import NotYet, ProviderError, Scope
from shared.models.outcomes import FailureKind
from shared.models.panel import Participant
from shared.models.steps import Usage
from shared.providers.limits import BreakerState, breakers, pause
from tests.support.promptness import promptly
from tests.workers.limits.asking import accounts
from tests.workers.providers.calls import call_of
from workers.limits.limited import EFFECTS, Limited, is_limited
from workers.limits.limiter import Limiter
from workers.limits.shared_state import SharedState
from workers.limits.state import Effect
from workers.providers.calls import Cancelled, Completion, ProviderCall

pytestmark = pytest.mark.component
NEVER = threading.Event()


@dataclass
class Double:
    """A provider that answers, or raises what it was given."""

    raises: list[BaseException] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    calls: list[ProviderCall] = field(default_factory=list)

    def structured(self, participant: Participant) -> bool:
        assert "rpm" not in participant.options
        return True

    def complete(self, call: ProviderCall, cancel: Cancelled) -> Completion:
        self.calls.append(call)
        if self.raises:
            raise self.raises.pop(0)
        return Completion("{}", Usage(input_tokens=5, output_tokens=5), limits=self.headers)


@pytest.fixture
def limiter(redis_url: str) -> Iterator[Limiter]:
    made = Limiter(SharedState(redis_url, breaker_after=2))
    yield made
    made.close()


def five_calls(limiter: Limiter) -> tuple[Double, ProviderCall]:
    """A provider that an account has used up for a third of a second, and a call of that account."""
    fresh = accounts()

    def used_up() -> tuple[Double, ProviderCall]:
        double = Double()
        call = call_of(options={"rpm": 70, "account": next(fresh)})
        for _ in range(5):
            Limited(double, limiter).complete(call, NEVER)
        return double, call

    return promptly(0.2, used_up, tries=20)


def test_a_short_wait_is_spent_here_and_taken_from_the_calls_time(limiter: Limiter) -> None:
    for _ in range(6):
        double, call = five_calls(limiter)
        started = time.monotonic()
        Limited(double, limiter).complete(call, NEVER)
        waited_s = time.monotonic() - started
        if waited_s > 0.1:  # else the machine stood still until there was room
            break

    assert waited_s > 0.1
    assert call.deadline_s - waited_s <= double.calls[5].deadline_s < call.deadline_s - 0.1


def test_a_long_wait_is_given_back_without_an_attempt_and_without_a_call(limiter: Limiter) -> None:
    fresh = accounts()

    def refused() -> tuple[NotYet, Double]:
        double = Double()
        call = call_of(options={"rpm": 1, "account": next(fresh)})
        Limited(double, limiter).complete(call, NEVER)
        with pytest.raises(NotYet) as raised:
            Limited(double, limiter).complete(call, NEVER)
        return raised.value, double

    error, double = promptly(0.5, refused)
    assert (error.counted, error.kind) == (False, FailureKind.RATE_LIMITED)
    assert 59 < (error.retry_after_s or 0) < 70
    assert len(double.calls) == 1


def test_a_cancelled_call_does_not_wait(limiter: Limiter) -> None:
    cancelled = threading.Event()
    cancelled.set()

    def sixth_call() -> FailureKind | None:
        double, call = five_calls(limiter)
        try:
            Limited(double, limiter).complete(call, cancelled)
        except ProviderError as error:
            return error.kind
        return None

    # After a third of a second there is room for it, and nothing to wait for.
    assert promptly(0.3, sixth_call, tries=20) is FailureKind.CANCELLED


def test_a_429_makes_the_others_wait_and_costs_its_turn_no_attempt(limiter: Limiter) -> None:
    slow_down = ProviderError(
        FailureKind.RATE_LIMITED, "slower", retryable=True, retry_after_s=20.0
    )
    provider = Limited(Double(raises=[slow_down]), limiter)

    with pytest.raises(NotYet) as first:
        provider.complete(call_of(), NEVER)
    with pytest.raises(NotYet) as second:
        provider.complete(call_of(name="other"), NEVER)

    assert not first.value.counted
    assert 20 < (first.value.retry_after_s or 0) < 23
    assert 5 < (second.value.retry_after_s or 0) < 23


def test_a_429_that_asks_for_an_hour_is_a_failure_and_so_are_those_behind_it(
    limiter: Limiter,
) -> None:
    slow_down = ProviderError(
        FailureKind.RATE_LIMITED, "slower", retryable=True, retry_after_s=3600.0
    )
    provider = Limited(Double(raises=[slow_down]), limiter)

    for _ in range(2):
        with pytest.raises(ProviderError) as raised:
            provider.complete(call_of(), NEVER)
        assert not isinstance(raised.value, NotYet)


def test_an_account_without_credit_fails_at_once_and_blocks_nobody(limiter: Limiter) -> None:
    broke = ProviderError(FailureKind.RATE_LIMITED, "no credit", retryable=False)
    double = Double(raises=[broke])

    with pytest.raises(ProviderError, match="no credit"):
        Limited(double, limiter).complete(call_of(), NEVER)

    Limited(double, limiter).complete(call_of(), NEVER)
    assert len(double.calls) == 2


def test_an_open_breaker_gives_the_turn_back_and_counts_it(limiter: Limiter) -> None:
    down = [ProviderError(FailureKind.UNREACHABLE, "down", retryable=True) for _ in range(2)]
    double = Double(raises=[*down])
    provider = Limited(double, limiter)
    for _ in range(2):
        with pytest.raises(ProviderError, match="down"):
            provider.complete(call_of(), NEVER)

    with pytest.raises(NotYet) as raised:
        provider.complete(call_of(), NEVER)

    assert (raised.value.counted, raised.value.kind) == (True, FailureKind.UNREACHABLE)
    assert str(raised.value).startswith("gpt's provider failed repeatedly (down); ")
    assert len(double.calls) == 2


def test_after_a_refused_key_nobody_tries_it_for_a_while(limiter: Limiter) -> None:
    double = Double(raises=[ProviderError(FailureKind.CREDENTIALS, "wrong key")])
    for _ in range(2):
        with pytest.raises(ProviderError) as raised:
            Limited(double, limiter).complete(call_of(), NEVER)
        assert raised.value.kind is FailureKind.CREDENTIALS
        assert not raised.value.retryable

    assert str(raised.value).startswith("gpt's key was refused a moment ago (wrong key); ")
    assert len(double.calls) == 1


def test_a_refused_key_does_not_keep_another_key_of_the_same_account_from_being_tried(
    limiter: Limiter,
) -> None:
    double = Double(raises=[ProviderError(FailureKind.CREDENTIALS, "wrong key")])
    with pytest.raises(ProviderError, match="wrong key"):
        Limited(double, limiter).complete(call_of(options={"account": "a"}), NEVER)

    other = call_of(options={"account": "a", "api_key_env": "ANOTHER_KEY"})
    Limited(double, limiter).complete(other, NEVER)
    assert len(double.calls) == 2


def test_a_key_that_was_corrected_in_its_file_is_tried_at_once(
    limiter: Limiter, tmp_path: Path
) -> None:
    file = tmp_path / "key"
    file.write_text("wrong-key\n")
    call = call_of(options={"account": "corrected", "api_key_file": str(file)})
    double = Double(raises=[ProviderError(FailureKind.CREDENTIALS, "wrong key")])
    for _ in range(2):
        with pytest.raises(ProviderError, match="wrong key"):
            Limited(double, limiter).complete(call, NEVER)
    assert len(double.calls) == 1

    file.write_text("right-key\n")
    Limited(double, limiter).complete(call, NEVER)
    assert len(double.calls) == 2


@pytest.mark.parametrize(
    ("kind", "scope"),
    [
        (FailureKind.CREDENTIALS, Scope.NOBODY),  # no key here
        (FailureKind.UNREACHABLE, Scope.NOBODY),  # no such name, nobody listens
        (FailureKind.CREDENTIALS, Scope.CALL),  # this model is not for this key
        (FailureKind.UNKNOWN_MODEL, Scope.ACCOUNT),
    ],
)
def test_what_says_nothing_about_an_account_is_told_each_time_and_keeps_nobody_waiting(
    limiter: Limiter, redis_url: str, kind: FailureKind, scope: Scope
) -> None:
    double = Double(raises=[ProviderError(kind, "so it is", scope=scope) for _ in range(4)])
    for _ in range(4):
        with pytest.raises(ProviderError, match=r"^so it is$"):
            Limited(double, limiter).complete(call_of(), NEVER)

    assert breakers(redis_url)[0].state is BreakerState.CLOSED
    Limited(double, limiter).complete(call_of(), NEVER)


@pytest.mark.parametrize("kind", list(FailureKind))
def test_every_failure_says_something_about_its_account_or_nothing(
    limiter: Limiter, redis_url: str, kind: FailureKind
) -> None:
    double = Double(raises=[ProviderError(kind, "so it was") for _ in range(3)])
    for _ in range(3):
        with pytest.raises(ProviderError):
            Limited(double, limiter).complete(call_of(), NEVER)

    (seen,) = breakers(redis_url)
    opens = EFFECTS.get(kind) in (Effect.FAILED, Effect.FATAL)
    assert (seen.state is BreakerState.OPEN) == opens
    assert seen.in_flight == 0


def test_a_bug_in_a_provider_leaves_no_slot_behind(limiter: Limiter, redis_url: str) -> None:
    provider = Limited(Double(raises=[RuntimeError("bug")]), limiter)

    with pytest.raises(RuntimeError):
        provider.complete(call_of(options={"parallel": 1}), NEVER)

    provider.complete(call_of(options={"parallel": 1}), NEVER)
    assert breakers(redis_url)[0].in_flight == 0


def test_a_paused_participant_waits_and_its_provider_is_not_asked(
    limiter: Limiter, redis_url: str
) -> None:
    pause(redis_url, "gpt")
    double = Double()

    with pytest.raises(NotYet, match="an operator paused 'gpt'") as raised:
        Limited(double, limiter).complete(call_of(), NEVER)

    assert not raised.value.counted
    assert double.calls == []
    Limited(double, limiter).complete(call_of(name="other"), NEVER)


def test_headers_of_an_answer_hold_back_the_next_call(limiter: Limiter) -> None:
    headers = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "30s"}
    provider = Limited(Double(headers=headers), limiter)
    provider.complete(call_of(), NEVER)

    with pytest.raises(NotYet):
        provider.complete(call_of(), NEVER)


def test_a_limit_that_is_none_is_named_in_the_failure(limiter: Limiter) -> None:
    with pytest.raises(ProviderError, match="The option 'rpm' of gpt") as raised:
        Limited(Double(), limiter).complete(call_of(options={"rpm": "fast"}), NEVER)

    assert raised.value.kind is FailureKind.BAD_REQUEST


def test_what_computes_here_is_not_limited_unless_it_says_so() -> None:
    def of(provider: str, **options: int) -> bool:
        return is_limited(Participant(name="p", provider=provider, options={**options}))

    assert not of("scripted")
    assert not of("rules")
    assert of("scripted", parallel=1)
    assert of("openai")

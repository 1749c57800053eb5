"""What all workers share: rates, slots, cooldowns, breakers and pauses, decided in Redis."""

import itertools
import threading
import time
from itertools import islice

import pytest
import redis

from shared.providers.limits import (
    Breaker,
    BreakerState,
    account_key,
    breakers,
    pause,
    paused,
    resume,
)
from tests.support.promptness import promptly
from tests.support.runs import at_once
from tests.workers.limits.asking import accounts, asked, ended, fails, let_through, until, verdicts
from workers.limits.shared_state import LONGEST_S, SharedState
from workers.limits.state import AdmissionVerdict, Effect, Settled

pytestmark = pytest.mark.component
Pair = tuple[SharedState, SharedState]


def only(redis_url: str) -> Breaker:
    (breaker,) = breakers(redis_url)
    return breaker


def waits_of_five(states: Pair) -> list[float]:
    """What five are told who ask right after five calls went out. The waits mean something only while no
    moment that was promised goes by; where the machine stood still in between, another account is asked."""
    fresh = accounts()

    def waits() -> list[float]:
        account = next(fresh)
        for _ in range(5):
            let_through(states[0], rpm=30, account=account)
        return [states[n % 2].ask(asked(rpm=30, account=account)).wait_s for n in range(5)]

    return promptly(0.2, waits, tries=20)


# ---- rates --------------------------------------------------------------------------------------


def test_workers_share_a_minute_and_the_next_call_waits_until_it_is_over(states: Pair) -> None:
    answers = [states[n % 2].ask(asked(rpm=4)) for n in range(5)]

    assert verdicts(answers) == ["ok", "ok", "ok", "ok", "wait"]
    assert 45 < answers[4].wait_s < 62  # 60 s after the first, however long five questions took


def test_no_more_calls_than_allowed_get_through_however_many_ask_at_once(states: Pair) -> None:
    answers = at_once(40, lambda n: states[n % 2].ask(asked(rpm=7)))

    assert verdicts(answers).count("ok") == 5  # at once; two more follow within the minute
    assert all(0 < a.wait_s < 130 for a in answers if a.verdict is AdmissionVerdict.WAIT)


def test_a_fast_account_is_paced_so_that_no_minute_begins_with_all_of_its_calls(
    states: Pair,
) -> None:
    started = time.monotonic()
    answers = [states[0].ask(asked(rpm=200)) for _ in range(100)]
    elapsed_s = time.monotonic() - started

    assert 16 <= verdicts(answers).count("ok") <= 17 + elapsed_s * 200 / 60
    assert 0 < next(a.wait_s for a in answers if a.verdict is AdmissionVerdict.WAIT) < 0.4


def test_those_who_wait_are_told_different_moments_in_the_order_of_asking(states: Pair) -> None:
    waits = waits_of_five(states)

    assert waits == sorted(waits)
    assert all(1.4 < later - earlier < 1.7 for earlier, later in itertools.pairwise(waits))


def test_accounts_do_not_wait_for_one_another(states: Pair) -> None:
    let_through(states[0], rpm=1)

    assert states[0].ask(asked(rpm=1)).verdict is AdmissionVerdict.WAIT
    assert states[0].ask(asked(rpm=1, account="anthropic")).verdict is AdmissionVerdict.OK


def test_tokens_are_counted_by_estimate_and_corrected_by_what_was_used(states: Pair) -> None:
    first = asked(tokens=600, tpm=1000)
    counted = states[0].ask(first)
    assert states[1].ask(asked(tokens=600, tpm=1000)).verdict is AdmissionVerdict.WAIT

    states[0].settle(ended(first, bucket=counted.bucket, tokens=-500))

    assert states[1].ask(asked(tokens=600, tpm=1000)).verdict is AdmissionVerdict.OK
    assert states[1].ask(asked(tokens=600, tpm=1000)).verdict is AdmissionVerdict.WAIT


def test_a_call_larger_than_a_whole_minute_goes_alone_and_not_never(states: Pair) -> None:
    assert states[0].ask(asked(tokens=5000, tpm=1000)).verdict is AdmissionVerdict.OK
    assert states[0].ask(asked(tokens=1, tpm=1000)).verdict is AdmissionVerdict.WAIT


def test_the_same_question_twice_is_one_call(states: Pair) -> None:
    call = asked(rpm=1)

    assert [states[0].ask(call).verdict for _ in range(2)] == [
        AdmissionVerdict.OK,
        AdmissionVerdict.OK,
    ]


# ---- slots --------------------------------------------------------------------------------------


def test_calls_at_once_are_bounded_and_a_finished_one_makes_room(states: Pair) -> None:
    first = let_through(states[0], parallel=2)
    let_through(states[1], parallel=2)
    assert states[0].ask(asked(parallel=2)).verdict is AdmissionVerdict.WAIT

    states[0].settle(ended(first))

    assert states[1].ask(asked(parallel=2)).verdict is AdmissionVerdict.OK


def test_the_slot_of_a_holder_that_is_gone_comes_back_with_the_end_of_its_lease(
    states: Pair, hasty: SharedState
) -> None:
    began = time.monotonic()
    let_through(hasty, parallel=1)

    until(lambda: states[1].ask(asked(parallel=1)).verdict is AdmissionVerdict.OK)

    assert 0.39 < time.monotonic() - began < 10  # the usual lease is 20 s


def stays_taken(hasty: SharedState, other: SharedState, account: str) -> bool:
    """Whether a slot that is renewed all the time is never given away within three leases."""
    call = let_through(hasty, parallel=1, account=account)
    over = threading.Event()

    def renew() -> None:
        while not over.wait(0.05):
            hasty.renew([call])

    thread = threading.Thread(target=renew)
    thread.start()
    answers = []
    for _ in range(12):
        answers.append(other.ask(asked(parallel=1, account=account)))
        threading.Event().wait(0.1)
    over.set()
    thread.join()
    return set(verdicts(answers)) == {"wait"}


def test_a_renewed_slot_stays_taken(states: Pair, hasty: SharedState) -> None:
    # Where the machine stood still for a lease, nothing was renewed: that try says nothing.
    assert any(stays_taken(hasty, states[1], account) for account in islice(accounts(), 6))


# ---- cooldowns ----------------------------------------------------------------------------------


def test_retry_after_holds_for_everybody(states: Pair) -> None:
    call = let_through(states[0])

    settled = states[0].settle(ended(call, Effect.LIMITED, retry_after_s=30.0))

    answer = states[1].ask(asked())
    assert answer.verdict is AdmissionVerdict.BLOCKED
    assert 15 < answer.wait_s < 31
    assert (settled.refusals, settled.wait_s) == (1, 30.0)


def test_refusals_of_calls_that_were_under_way_together_are_one_refusal(states: Pair) -> None:
    fresh = accounts()

    def refusals() -> list[Settled]:
        account = next(fresh)
        calls = [let_through(states[0], account=account) for _ in range(4)]
        return [states[0].settle(ended(call, Effect.LIMITED)) for call in calls]

    settled = promptly(0.9, refusals)  # after a second they are no more together

    assert [s.refusals for s in settled] == [1, 1, 1, 1]
    assert {s.wait_s for s in settled} == {1.0}


def test_headers_that_say_nothing_is_left_make_everybody_wait(states: Pair) -> None:
    states[0].settle(ended(let_through(states[0]), cooldown_s=12.0))

    assert states[1].ask(asked()).verdict is AdmissionVerdict.BLOCKED


def test_an_unknown_rate_is_learned_from_what_had_gone_through(states: Pair) -> None:
    calls = [(call := asked(), states[0].ask(call).bucket) for _ in range(20)]
    for call, bucket in calls[:8]:
        states[0].settle(ended(call, bucket=bucket))
    for call, bucket in calls[8:]:
        states[0].settle(ended(call, Effect.LIMITED, bucket, retry_after_s=0.0))
    until(lambda: states[0].ask(asked(account="clock")).verdict is AdmissionVerdict.OK)

    assert states[1].ask(asked()).verdict is AdmissionVerdict.WAIT


# ---- breaker ------------------------------------------------------------------------------------


def test_failures_in_a_row_open_the_breaker_for_every_worker(states: Pair, redis_url: str) -> None:
    fails(states[0], 2)
    assert states[1].ask(asked()).verdict is AdmissionVerdict.OK

    fails(states[0], 1)

    answer = states[1].ask(asked())
    assert (answer.verdict, answer.detail) == (AdmissionVerdict.OPEN, "unreachable")
    assert answer.failure_text == "it is down"
    seen = only(redis_url)
    assert (seen.account, seen.state, seen.failures) == ("openai", BreakerState.OPEN, 3)
    assert (seen.why, seen.said) == ("unreachable", "it is down")


def test_a_success_in_between_starts_the_count_again(states: Pair, redis_url: str) -> None:
    fails(states[0], 2)
    states[1].settle(ended(let_through(states[1])))
    fails(states[0], 2)

    assert only(redis_url).state is BreakerState.CLOSED


def test_a_refused_key_opens_at_once(states: Pair) -> None:
    fails(states[0], 1, Effect.FATAL, "credentials")

    assert states[1].ask(asked()).detail == "credentials"


def test_a_refused_key_says_nothing_about_the_other_keys_of_its_account(states: Pair) -> None:
    fails(states[0], 1, Effect.FATAL, "credentials", key="a")

    assert states[1].ask(asked(key="a")).verdict is AdmissionVerdict.OPEN
    fails(states[1], 2, key="b")  # three failures in a row: now it is the provider
    assert states[0].ask(asked(key="b")).detail == "unreachable"
    assert states[0].ask(asked(key="a")).detail == "unreachable"


def test_a_call_that_nobody_was_asked_for_takes_no_room(states: Pair) -> None:
    for _ in range(12):
        call = asked(rpm=5, tokens=900, tpm=1000)
        let = states[0].ask(call)
        assert let.verdict is AdmissionVerdict.OK
        states[0].settle(ended(call, Effect.UNASKED, let.bucket, tokens=-900))


def test_exactly_one_call_tries_whether_the_provider_is_back(
    states: Pair, hasty: SharedState, redis_url: str
) -> None:
    fails(hasty, 3)
    until(lambda: only(redis_url).state is BreakerState.HALF_OPEN)

    answers = at_once(20, lambda n: states[n % 2].ask(asked()))

    assert sorted(set(verdicts(answers))) == ["ok", "probing"]
    assert {a.failure_text for a in answers if a.verdict is AdmissionVerdict.PROBING} == {
        "it is down"
    }
    assert verdicts(answers).count("ok") == 1


def test_a_probe_that_succeeds_closes_and_one_that_fails_opens_for_twice_as_long(
    states: Pair, hasty: SharedState, redis_url: str
) -> None:
    fails(hasty, 3)
    until(lambda: only(redis_url).state is BreakerState.HALF_OPEN)
    states[1].settle(ended(let_through(states[1])))

    assert only(redis_url).state is BreakerState.CLOSED
    assert states[0].ask(asked()).verdict is AdmissionVerdict.OK

    fails(hasty, 3)
    until(lambda: only(redis_url).state is BreakerState.HALF_OPEN)
    fails(states[0], 1)

    assert 150 < only(redis_url).opens_in_s <= 200


def test_a_probe_whose_worker_died_does_not_keep_the_breaker_for_ever(
    states: Pair, hasty: SharedState, redis_url: str
) -> None:
    fails(hasty, 3)
    until(lambda: only(redis_url).state is BreakerState.HALF_OPEN)
    let_through(hasty)  # nobody will ever say how it ended

    until(lambda: states[1].ask(asked()).verdict is AdmissionVerdict.OK)


def test_a_late_failure_of_an_older_call_does_not_prolong_an_open_breaker(
    states: Pair, redis_url: str
) -> None:
    late = let_through(states[0])
    fails(states[0], 3)
    before = only(redis_url).opens_in_s

    states[1].settle(ended(late, Effect.FAILED, why="timeout"))

    assert only(redis_url).opens_in_s <= before


# ---- operators ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["openai", "gpt"])
def test_a_pause_holds_back_a_provider_or_a_participant_until_it_is_ended(
    states: Pair, redis_url: str, name: str
) -> None:
    pause(redis_url, name, "점검 중")

    answer = states[0].ask(asked())
    assert (answer.verdict, answer.detail) == (AdmissionVerdict.PAUSED, name)
    assert [(p.name, p.reason) for p in paused(redis_url)] == [(name, "점검 중")]

    assert resume(redis_url, name)
    assert states[0].ask(asked()).verdict is AdmissionVerdict.OK
    assert not resume(redis_url, name)


def test_a_pause_of_a_certain_length_ends_by_itself(states: Pair, redis_url: str) -> None:
    pause(redis_url, "gpt", 'says "until": 1', for_s=3600)
    held = states[0].ask(asked())
    (shown,) = paused(redis_url)
    pause(redis_url, "gpt", for_s=0.0)
    pause(redis_url, "openai", for_s=-1.0)

    assert (held.verdict, held.wait_s <= 15) == (AdmissionVerdict.PAUSED, True)
    assert shown.until is not None
    assert 3500 < shown.until - shown.since <= 3600
    assert paused(redis_url) == []
    assert states[0].ask(asked()).verdict is AdmissionVerdict.OK


def test_resume_closes_an_open_breaker_by_the_accounts_name(states: Pair, redis_url: str) -> None:
    fails(states[0], 3)

    assert resume(redis_url, "openai")

    assert states[1].ask(asked()).verdict is AdmissionVerdict.OK


def test_every_key_begins_with_our_name_and_does_not_stay_for_ever(
    states: Pair, redis_url: str
) -> None:
    let_through(states[0], rpm=5, tpm=50, parallel=3)
    fails(states[0], 1)

    with redis.Redis.from_url(redis_url, decode_responses=True) as client:
        keys = client.keys()
        assert keys
        assert all(key.startswith("quorate:") for key in keys)
        assert all(client.pttl(key) > 0 for key in keys if ":account:" in key)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("open", value) for value in (b"1e999", b"9" * 30, b"9223372036854775807999")),
        *(("block", value) for value in (b"1e999", b"9" * 30)),
    ],
)
def test_a_moment_that_others_wrote_makes_nobody_wait_for_ever(
    redis_url: str, states: tuple[SharedState, SharedState], field: str, value: bytes
) -> None:
    question = asked()
    with redis.Redis.from_url(redis_url) as client:
        client.hset(account_key(question.account), field, value)
        client.hset(account_key(question.account), "said", b"\xff\x1b[2J")
    answer = states[0].ask(question)
    assert answer.verdict in (AdmissionVerdict.OPEN, AdmissionVerdict.BLOCKED)
    assert 0 < answer.wait_s <= LONGEST_S

"""The limits of a process that is alone: the same ones, on its own clock."""

from tests.workers.limits.asking import asked, ended, let_through, verdicts
from workers.limits.local_state import WINDOW_S, LocalState
from workers.limits.state import AdmissionVerdict, Effect


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_minute_holds_its_requests_and_the_next_one_has_room_again() -> None:
    clock = Clock()
    state = LocalState(clock)
    assert verdicts([state.ask(asked(rpm=2)) for _ in range(3)]) == ["ok", "ok", "wait"]

    clock.now += WINDOW_S

    assert state.ask(asked(rpm=2)).verdict is AdmissionVerdict.OK


def test_tokens_wait_until_enough_of_them_are_a_minute_old() -> None:
    clock = Clock()
    state = LocalState(clock)
    let_through(state, tokens=400, tpm=1000)
    clock.now += 30
    let_through(state, tokens=400, tpm=1000)

    assert state.ask(asked(tokens=500, tpm=1000)).wait_s == WINDOW_S - 30
    assert state.ask(asked(tokens=900, tpm=1000)).wait_s == WINDOW_S


def test_a_call_that_nobody_was_asked_for_takes_no_room() -> None:
    state = LocalState(Clock())
    for _ in range(3):
        state.settle(ended(let_through(state, rpm=1), Effect.UNASKED))

    assert state.ask(asked(rpm=1)).verdict is AdmissionVerdict.OK


def test_slots_are_freed_by_the_end_of_a_call() -> None:
    state = LocalState(Clock())
    call = let_through(state, parallel=1)
    assert state.ask(asked(parallel=1)).verdict is AdmissionVerdict.WAIT

    state.settle(ended(call))

    assert state.ask(asked(parallel=1)).verdict is AdmissionVerdict.OK


def test_retry_after_is_kept() -> None:
    clock = Clock()
    state = LocalState(clock)
    state.settle(ended(let_through(state), Effect.LIMITED, retry_after_s=20.0))

    assert state.ask(asked()).wait_s == 20.0
    clock.now += 21
    assert state.ask(asked()).verdict is AdmissionVerdict.OK

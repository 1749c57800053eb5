"""A step's life on real Postgres: claimed once, answered once, finished once, under every race we can think of."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from shared.models.outcomes import FailureKind, RunStatus
from shared.models.run import Budget
from shared.models.steps import Failure
from shared.store.database import Database
from shared.store.ends import finish, store_response
from shared.store.runs import cancel_run, lock_run, unblock_run
from shared.store.steps import Claim, Refusal, claim, fail_open_steps, hand_back, held
from tests.support.runs import (
    at_once,
    execute,
    fetch,
    new_run,
    new_step,
    refused,
    response,
    run_row,
    step_row,
    take,
)

pytestmark = pytest.mark.component

LATE = Failure(kind=FailureKind.TIMEOUT, message="too late")


def done(database: Database, claimed: Claim, reply: str = '{"said": "yes"}') -> int | None:
    return database.run(lambda connection: finish(connection, claimed, reply=reply, failure=None))


def time_passes(database: Database, run: str, step: str) -> None:
    """The step's process is gone: what the sweeper does to it."""
    execute(
        database,
        "UPDATE steps SET status = 'pending', owner = NULL WHERE run_id = %s AND key = %s",
        run,
        step,
    )


# ---- claims -------------------------------------------------------------------------------------


def test_of_eight_claims_at_once_one_wins(database: Database) -> None:
    for _ in range(5):
        run = new_run(database, "a")
        won = at_once(
            8,
            lambda number, run=run: database.run(  # type: ignore[misc]
                lambda connection: claim(connection, run, "a", f"w{number}", f"n{number}")
            ),
        )

        claims = [one for one in won if isinstance(one, Claim)]
        assert len(claims) == 1
        assert {one.status for one in won if isinstance(one, Refusal)} == {"leased"}
        row = step_row(database, run, "a")
        assert (row.token, row.attempts) == (1, 1)
        assert row.owner == f"w{won.index(claims[0])}"


def test_a_claim_that_was_committed_and_never_heard_of_is_the_same_claim_again(
    database: Database,
) -> None:
    run = new_run(database, "a")

    first = take(database, run, "a", "worker", "nonce")
    second = take(database, run, "a", "worker", "nonce")

    assert first == second
    assert step_row(database, run, "a").attempts == 1


def test_a_repeated_claim_still_brings_the_responses_of_earlier_attempts(
    database: Database,
) -> None:
    run = new_run(database, "a")
    first = take(database, run, "a", nonce="first")
    database.run(lambda connection: store_response(connection, response(first)))
    time_passes(database, run, "a")

    second = take(database, run, "a", nonce="second")
    again = take(database, run, "a", nonce="second")

    assert second.responses == (b"paid",)
    assert again == second


def test_the_first_attempt_looks_for_no_responses_and_later_ones_get_them_oldest_first(
    database: Database,
) -> None:
    run = new_run(database, "a")
    first = take(database, run, "a", nonce="1")
    assert first.responses == ()
    for number, content in enumerate((b"one", b"two"), 1):
        stored = response(first, content, f"1:{number}")
        database.run(lambda connection, s=stored: store_response(connection, s))  # type: ignore[misc]
    time_passes(database, run, "a")

    second = take(database, run, "a", nonce="2")

    assert (second.token, second.attempts) == (2, 2)
    assert second.responses == (b"one", b"two")


def test_what_is_not_there_to_be_claimed_says_why(database: Database) -> None:
    run = new_run(database, "a", "b")
    claimed = take(database, run, "a")

    assert refused(database, run, "a") == Refusal("leased", 2)
    assert refused(database, run, "z") == Refusal("unknown", -1)
    done(database, claimed)
    assert refused(database, run, "a") == Refusal("done", 1)
    done(database, take(database, run, "b"))
    assert refused(database, run, "a") == Refusal("done", 0)
    execute(database, "UPDATE runs SET status = 'blocked' WHERE id = %s", run)
    assert refused(database, run, "a").status == "run blocked"


def test_a_step_whose_attempts_are_used_up_is_not_claimed(database: Database) -> None:
    run = new_run(database, new_step("a", max_attempts=2))
    for attempt in (1, 2):
        assert take(database, run, "a", nonce=str(attempt)).attempts == attempt
        time_passes(database, run, "a")

    assert refused(database, run, "a").status == "pending"


# ---- responses ----------------------------------------------------------------------------------


def test_a_response_is_counted_once_however_often_it_is_stored(database: Database) -> None:
    run = new_run(database, "a", budget=Budget(max_calls=9))
    claimed = take(database, run, "a")

    at_once(
        8,
        lambda _n: database.run(lambda connection: store_response(connection, response(claimed))),
    )

    row = fetch(database, "SELECT count(*) AS calls, sum(cost_usd) AS usd FROM usage")
    assert (row.calls, row.usd) == (1, 0.5)


def test_a_response_of_a_lost_step_is_kept_all_the_same(database: Database) -> None:
    run = new_run(database, "a")
    late = take(database, run, "a", nonce="late")
    time_passes(database, run, "a")
    take(database, run, "a", nonce="new")

    database.run(lambda connection: store_response(connection, response(late)))

    assert fetch(database, "SELECT count(*) AS calls FROM usage").calls == 1


def test_a_response_of_a_run_that_is_gone_is_dropped_quietly(database: Database) -> None:
    run = new_run(database, "a")
    claimed = take(database, run, "a")
    execute(database, "DELETE FROM runs WHERE id = %s", run)

    database.run(lambda connection: store_response(connection, response(claimed)))

    assert fetch(database, "SELECT count(*) AS calls FROM usage").calls == 0


# ---- ends ---------------------------------------------------------------------------------------


def test_a_finish_writes_the_whole_result(database: Database) -> None:
    run = new_run(database, "a", "b")
    claimed = take(database, run, "a")

    left = database.run(
        lambda connection: finish(
            connection,
            claimed,
            reply='{"한글": "네"}',
            failure=None,
            note="repaired",
            tokens=7,
            cost_usd=0.25,
        )
    )

    row = step_row(database, run, "a")
    assert left == 1
    assert (row.status, row.reply, row.note) == ("done", {"한글": "네"}, "repaired")
    assert (row.tokens, row.cost_usd) == (7, 0.25)
    assert run_row(database, run).open_steps == 1


def test_a_finish_under_a_stale_token_is_refused_and_changes_nothing(database: Database) -> None:
    run = new_run(database, "a")
    stale = take(database, run, "a", nonce="1")
    time_passes(database, run, "a")

    assert done(database, stale, '{"said": "stale"}') is None  # pending again
    current = take(database, run, "a", nonce="2")
    assert done(database, stale, '{"said": "stale"}') is None  # leased by another
    assert run_row(database, run).open_steps == 1
    assert done(database, current, '{"said": "current"}') == 0
    assert done(database, stale, '{"said": "stale"}') is None  # done by another
    assert step_row(database, run, "a").reply == {"said": "current"}


def test_a_finish_that_was_committed_and_never_heard_of_is_accepted_once(
    database: Database,
) -> None:
    run = new_run(database, "a", "b")
    claimed = take(database, run, "a")

    assert [done(database, claimed), done(database, claimed)] == [1, 1]
    assert run_row(database, run).open_steps == 1


def test_of_ten_finishers_at_once_exactly_one_sees_that_nothing_is_open(
    database: Database,
) -> None:
    for _ in range(5):
        keys = [f"s{number}" for number in range(10)]
        run = new_run(database, *keys)
        claims = [take(database, run, key, nonce=key) for key in keys]

        left = at_once(10, lambda number, claims=claims: done(database, claims[number]))  # type: ignore[misc]

        assert sorted(one for one in left if one is not None) == list(range(10))
        assert run_row(database, run).open_steps == 0


def test_a_finisher_waits_for_the_run_before_it_touches_its_step(database: Database) -> None:
    """In the other order a reducer that holds the run and fails its steps would wait for the finisher in a circle."""
    run = new_run(database, "a")
    claimed = take(database, run, "a")

    def late_finish() -> int | None:
        with (
            database.connection() as connection
        ):  # without retries: a deadlock would be an error here
            return finish(connection, claimed, reply="{}", failure=None)

    with ThreadPoolExecutor(1) as pool:
        with database.transaction() as reducer:
            lock_run(reducer, run)
            finishing = pool.submit(late_finish)
            until_somebody_waits(database)
            failed = fail_open_steps(reducer, run, FailureKind.DEADLINE, "too late")
        assert finishing.result(20) is None

    assert list(failed) == ["a"]


def until_somebody_waits(database: Database) -> None:
    """Until a statement of this database waits for a lock."""
    waiting = (
        "SELECT count(*) AS n FROM pg_stat_activity "
        "WHERE datname = current_database() AND wait_event_type = 'Lock'"
    )
    deadline = time.monotonic() + 20
    while not fetch(database, waiting).n:
        assert time.monotonic() < deadline
        threading.Event().wait(0.01)


def test_a_failed_step_is_final_too(database: Database) -> None:
    run = new_run(database, "a")
    claimed = take(database, run, "a")

    left = database.run(lambda c: finish(c, claimed, reply=None, failure=LATE))

    row = step_row(database, run, "a")
    assert left == 0
    assert (row.status, row.failure_kind, row.failure_message) == ("failed", "timeout", "too late")


def test_a_finish_after_the_deadline_failed_the_step_is_refused(database: Database) -> None:
    run = new_run(database, "a")
    claimed = take(database, run, "a")
    failed = database.run(
        lambda c: fail_open_steps(c, run, FailureKind.DEADLINE, "the deadline has passed")
    )

    assert list(failed) == ["a"]
    assert done(database, claimed) is None
    assert step_row(database, run, "a").failure_kind == "deadline"


# ---- handed back --------------------------------------------------------------------------------


def test_a_step_that_was_handed_back_is_left_alone_for_a_while(database: Database) -> None:
    run = new_run(database, "a")
    claimed = take(database, run, "a")

    assert database.run(lambda connection: hand_back(connection, claimed, 30.0))

    assert refused(database, run, "a").status == "pending"
    execute(database, "UPDATE steps SET not_before = now()")
    assert take(database, run, "a", nonce="2").token == 2


def test_handing_back_counts_as_an_attempt_so_it_cannot_go_on_for_ever(
    database: Database,
) -> None:
    run = new_run(database, new_step("a", max_attempts=3))

    for attempt in (1, 2, 3):
        claimed = take(database, run, "a", nonce=str(attempt))
        assert claimed.attempts == attempt
        database.run(lambda connection, c=claimed: hand_back(connection, c, 0.0))  # type: ignore[misc]

    assert refused(database, run, "a").status == "pending"


def test_a_stale_token_hands_nothing_back(database: Database) -> None:
    run = new_run(database, "a")
    stale = take(database, run, "a", nonce="1")
    time_passes(database, run, "a")
    take(database, run, "a", "other", nonce="2")

    assert not database.run(lambda connection: hand_back(connection, stale, 0.0))
    assert step_row(database, run, "a").owner == "other"


# ---- cancelled and blocked runs -----------------------------------------------------------------


def test_after_a_cancellation_nothing_is_claimed_and_nothing_is_accepted(
    database: Database,
) -> None:
    run = new_run(database, "a", "b")
    claimed = take(database, run, "a")

    before = database.run(lambda connection: cancel_run(connection, run, "me"), atomic=True)

    assert before is RunStatus.RUNNING
    assert refused(database, run, "b").status == "run cancelled"
    assert done(database, claimed) is None
    assert {step_row(database, run, key).status for key in "ab"} == {"cancelled"}
    again = database.run(lambda connection: cancel_run(connection, run, "me"), atomic=True)
    assert again is RunStatus.CANCELLED


def test_a_cancellation_in_the_middle_of_claims_leaves_no_lease(database: Database) -> None:
    for _ in range(5):
        keys = [f"s{number}" for number in range(7)]
        run = new_run(database, *keys)

        def work(number: int, run: str = run, keys: list[str] = keys) -> object:
            if number == 7:
                return database.run(lambda c: cancel_run(c, run, "me"), atomic=True)
            return database.run(lambda c: claim(c, run, keys[number], "w", keys[number]))

        at_once(8, work)

        assert {step_row(database, run, key).status for key in keys} == {"cancelled"}
        assert run_row(database, run).open_steps == 0


def test_a_process_holds_what_it_leased_and_loses_what_was_taken_from_it(
    database: Database,
) -> None:
    run, cancelled = new_run(database, "a", "b", "c"), new_run(database, "d")
    for key in "abc":
        take(database, run, key, "me", key)
    take(database, cancelled, "d", "me", "d")
    time_passes(database, run, "a")
    take(database, run, "a", "you", "again")
    database.run(lambda connection: cancel_run(connection, cancelled, "me"), atomic=True)

    assert database.run(lambda c: held(c, "me")) == {(run, "b", 1), (run, "c", 1)}
    assert database.run(lambda c: held(c, "you")) == {(run, "a", 2)}


def test_a_blocked_run_claims_nothing_but_accepts_what_is_under_way(database: Database) -> None:
    run = new_run(database, "a", "b")
    claimed = take(database, run, "a", "me")
    execute(database, "UPDATE runs SET status = 'blocked' WHERE id = %s", run)

    assert refused(database, run, "b").status == "run blocked"
    assert database.run(lambda c: held(c, "me")) == {(run, "a", 1)}
    assert done(database, claimed) == 1
    assert database.run(lambda c: unblock_run(c, run))
    assert not database.run(lambda c: unblock_run(c, run))
    take(database, run, "b", nonce="b")

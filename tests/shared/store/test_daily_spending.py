"""Sums by day say the same as the calls that they were made of, at any moment and whoever writes meanwhile."""

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from shared.models.run import Budget
from shared.models.steps import Usage
from shared.store.daily_spending import ENOUGH, sum_up
from shared.store.database import Connection, Database
from shared.store.ends import StoredResponse, store_response
from shared.store.reservations import CallNeed, Short, Shortage, reserve
from shared.store.spending import Grouping, Spending, spending
from shared.store.steps import Claim
from tests.support.runs import at_once, execute, fetch, new_run, take

pytestmark = pytest.mark.component

HOUR_S = 3600.0
PERIODS = (None, 1.0, HOUR_S, 24 * HOUR_S, 40 * HOUR_S, 1e9)

_CALLS = """
INSERT INTO usage (run_id, step, token, worker, participant, provider, model, request_sha, attempt, input_tokens,
                   output_tokens, cached_tokens, cost_usd, at)
SELECT %s, 's', 1, 'w', 'p' || n %% 3, 'provider' || n %% 2, CASE WHEN n %% 5 > 0 THEN 'm' || n %% 4 END, 'sha',
       %s || n, CASE WHEN n %% 7 > 0 THEN n END, n * 2, CASE WHEN n %% 2 = 0 THEN 1 END,
       CASE WHEN n %% 6 > 0 AND n %% 3 <> 1 THEN n / 8.0 END, now() - n * interval '17 minutes'
  FROM generate_series(1, %s) n
"""


def calls(database: Database, run: str, count: int, series: str = "") -> None:
    """Calls of the last days: unknown prices, tokens and models among them, one participant without any price."""
    execute(database, _CALLS, run, series, count)


def summed_up(database: Database, enough: int = 1) -> bool:
    return database.run(lambda connection: sum_up(connection, enough))


def all_sums(database: Database) -> dict[Any, list[Spending]]:
    """What was spent by everything in every period, cents as they are shown: floating point has an order."""

    def read(connection: Connection) -> dict[Any, list[Spending]]:
        return {
            (by, since_s): [
                dataclasses.replace(row, cost_usd=row.cost_usd and round(row.cost_usd, 6))
                for row in spending(connection, by, since_s=since_s)
            ]
            for by in Grouping
            for since_s in PERIODS
        }

    return database.run(read, atomic=True)


def store(
    connection: Connection, claimed: Claim, attempt: str, cost_usd: float | None = 1.0
) -> None:
    usage = Usage(input_tokens=1, output_tokens=1, cost_usd=cost_usd)
    store_response(
        connection,
        StoredResponse(
            claimed.run, claimed.step, claimed.token, "w", "p", "x", "m", "sha", b"", usage, attempt
        ),
    )


def total(database: Database) -> tuple[int, float | None]:
    rows = database.run(lambda connection: spending(connection, Grouping.TOTAL))
    return (rows[0].calls, rows[0].cost_usd) if rows else (0, None)


def test_sums_by_day_are_those_of_the_calls_in_every_period(database: Database) -> None:
    run = new_run(database, "a")
    calls(database, run, 400)
    before = all_sums(database)
    assert len({row.key for row in before[Grouping.DAY, None]}) >= 5

    assert summed_up(database)
    assert fetch(database, "SELECT sum(calls)::int AS n FROM daily_spending").n == 400
    assert all_sums(database) == before

    calls(database, run, 40, "later")
    partly = all_sums(database)
    assert partly[Grouping.TOTAL, None][0].calls == 440
    assert summed_up(database)
    assert all_sums(database) == partly


def test_a_few_calls_are_left_for_later(database: Database) -> None:
    calls(database, new_run(database, "a"), ENOUGH - 1)

    assert not summed_up(database, ENOUGH)
    assert total(database)[0] == ENOUGH - 1


def test_a_call_that_is_committed_below_a_later_one_is_counted_once(database: Database) -> None:
    claimed = take(database, new_run(database, "a"), "a")
    with database.connection() as slow:
        slow.execute("BEGIN")
        store(slow, claimed, "first")
        database.run(lambda connection: store(connection, claimed, "second"))

        assert not summed_up(database)  # the first one's id is below the second's
        assert total(database) == (1, 1.0)
        slow.execute("COMMIT")

    assert summed_up(database)
    assert total(database) == (2, 2.0)
    assert fetch(database, "SELECT sum(calls)::int AS n FROM daily_spending").n == 2


def test_whoever_only_reads_keeps_nobody_from_summing_up(database: Database) -> None:
    calls(database, new_run(database, "a"), 3)
    with database.connection() as reader:
        reader.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        reader.execute("SELECT r.id FROM usage u, runs r FOR UPDATE OF r")

        assert summed_up(database)
        reader.execute("ROLLBACK")


def test_ten_at_once_sum_up_once(database: Database) -> None:
    calls(database, new_run(database, "a"), 300)
    before = total(database)

    assert any(at_once(10, lambda _: summed_up(database)))

    assert total(database) == before
    assert fetch(database, "SELECT sum(calls)::int AS n FROM daily_spending").n == 300


def test_a_sum_is_exact_while_calls_are_stored_and_summed_up(database: Database) -> None:
    runs = [new_run(database, "a") for _ in range(4)]
    claims = [take(database, run, "a") for run in runs]
    each = 50

    def work(number: int) -> list[int]:
        if number < len(claims):
            for attempt in range(each):
                database.run(lambda c, n=attempt: store(c, claims[number], str(n)))  # type: ignore[misc]
            return []
        seen = []
        for _ in range(30):
            summed_up(database)
            seen.append(total(database)[0])
        return seen

    seen = at_once(len(claims) + 1, work)[-1]

    assert seen == sorted(seen)
    assert total(database) == (len(claims) * each, float(len(claims) * each))
    while summed_up(database):
        pass
    assert total(database) == (len(claims) * each, float(len(claims) * each))


def test_numbers_that_nobody_used_stop_nothing(database: Database) -> None:
    claimed = take(database, new_run(database, "a"), "a")
    execute(database, "SELECT setval(pg_get_serial_sequence('usage', 'id'), 1000000)")
    for attempt in ("1", "1", "2"):
        database.run(lambda c, name=attempt: store(c, claimed, name))  # type: ignore[misc]

    assert summed_up(database)
    assert not summed_up(database)
    assert total(database) == (2, 2.0)


def test_money_stays_spent_when_a_run_is_deleted(database: Database) -> None:
    run = new_run(database, "a")
    calls(database, run, 30)
    before = total(database)
    summed_up(database)

    execute(database, "DELETE FROM runs WHERE id = %s", run)

    assert total(database) == before
    assert database.run(lambda connection: spending(connection, Grouping.RUN)) == []


def _nothing(_database: Database) -> None:
    """The calls are read one by one."""


@pytest.mark.parametrize("then", [_nothing, summed_up], ids=["call-by-call", "summed-up"])
def test_the_limit_of_a_day_counts_what_was_put_aside_for_calls_of_unknown_cost(
    database: Database, then: Callable[[Database], object]
) -> None:
    claims = [take(database, new_run(database, "a", budget=Budget()), "a") for _ in range(3)]

    def wanted(claimed: Claim, usd: float, day: float) -> Shortage | None:
        need = CallNeed(tokens=10, usd=usd)
        return database.run(lambda c: reserve(c, claimed, "1", need, day), atomic=True)

    assert wanted(claims[0], 4.0, 10.0) is None
    database.run(lambda c: store(c, claims[0], "1", cost_usd=None))
    assert wanted(claims[1], 3.0, 10.0) is None
    database.run(lambda c: store(c, claims[1], "1", cost_usd=0.5))
    # Of today, also when this day ends meanwhile.
    execute(database, "UPDATE usage SET at = now() + interval '1 minute'")

    then(database)

    assert wanted(claims[2], 6.0, 10.0) == Shortage(Short.DAY, 10.0, 4.5)
    assert wanted(claims[2], 5.5, 10.0) is None


def test_what_is_summed_up_of_today_is_not_read_again(database_url: str) -> None:
    database = Database(database_url, pool_size=1, patience_s=10)  # one session counts everything
    for _ in range(50):
        calls(database, new_run(database, "a"), 400)
    execute(database, "UPDATE usage SET at = now() - interval '9 days' WHERE id <= 19910")
    execute(database, "UPDATE usage SET at = now() WHERE id > 19910")
    assert summed_up(database)
    execute(database, "ANALYZE")
    claimed = take(database, new_run(database, "a"), "a")
    need = CallNeed(tokens=10, usd=1.0)

    def rows_read() -> int:
        execute(database, "SELECT pg_stat_force_next_flush()")
        sql = "SELECT seq_tup_read + idx_tup_fetch AS n FROM pg_stat_user_tables WHERE relname = 'usage'"
        return int(fetch(database, sql).n)

    before = rows_read()
    database.run(lambda c: reserve(c, claimed, "1", need, 1e9), atomic=True)

    assert rows_read() - before <= 10
    database.close()

"""What was spent by everything one may ask for, and reservations that nobody can spend twice."""

import pytest

from shared.models.run import Budget
from shared.models.steps import Usage
from shared.store.database import Database
from shared.store.ends import StoredResponse, finish, store_response
from shared.store.reservations import CallNeed, Short, Shortage, reserve
from shared.store.spending import Grouping, Spending, spending
from shared.store.steps import Claim, hand_back
from tests.support.runs import at_once, execute, fetch, new_run, take

pytestmark = pytest.mark.component
DOLLAR = CallNeed(tokens=1000, usd=1.0)


def paid(
    database: Database, claimed: Claim, usage: Usage, attempt: str = "1:1", **fields: str
) -> None:
    values = {"participant": "claude", "provider": "anthropic", "model": "opus", **fields}
    row = StoredResponse(
        run=claimed.run,
        step=claimed.step,
        token=claimed.token,
        worker="w",
        request_sha="sha",
        content=b"",
        usage=usage,
        attempt=attempt,
        **values,
    )
    database.run(lambda connection: store_response(connection, row))


def used(cost_usd: float | None, tokens: int = 10) -> Usage:
    return Usage(input_tokens=tokens, output_tokens=tokens, cost_usd=cost_usd)


def wants(
    database: Database, claimed: Claim, need: CallNeed = DOLLAR, *, day: float | None = None
) -> Shortage | None:
    attempt = f"{claimed.token}:1"
    return database.run(
        lambda connection: reserve(connection, claimed, attempt, need, day), atomic=True
    )


def by(database: Database, grouping: Grouping, **scope: object) -> list[Spending]:
    return database.run(lambda connection: spending(connection, grouping, **scope))  # type: ignore[arg-type]


# ---- sums ---------------------------------------------------------------------------------------


def test_an_unknown_price_is_counted_as_unknown_and_not_as_nothing(database: Database) -> None:
    claimed = take(database, new_run(database, "a"), "a")
    paid(database, claimed, used(0.25), "1:1")
    paid(database, claimed, used(None), "1:2")
    paid(database, claimed, Usage(), "1:3")

    (total,) = by(database, Grouping.TOTAL)

    assert (total.calls, total.input_tokens, total.cost_usd) == (3, 20, 0.25)
    assert (total.unknown_costs, total.unknown_tokens) == (2, 1)


def test_when_no_price_is_known_there_is_no_sum(database: Database) -> None:
    paid(database, take(database, new_run(database, "a"), "a"), used(None))

    assert by(database, Grouping.TOTAL)[0].cost_usd is None


def test_the_runs_of_a_batch_are_summed_under_its_name(database: Database) -> None:
    runs = [new_run(database, "a") for _ in range(3)]
    for run in runs:
        paid(database, take(database, run, "a"), used(1.0))
    execute(
        database,
        "UPDATE specs SET spec = jsonb_set(spec, '{labels,batch}', '\"nightly\"') WHERE run_id = ANY(%s)",
        runs[:2],
    )

    assert {row.key: row.cost_usd for row in by(database, Grouping.BATCH)} == {
        "nightly": 2.0,
        "": 1.0,
    }


def test_spending_by_turn_participant_model_run_and_day(database: Database) -> None:
    one, two = new_run(database, "a", "b"), new_run(database, "a")
    paid(database, take(database, one, "a"), used(1.0))
    paid(database, take(database, one, "b"), used(2.0), participant="gpt", model="gpt-5")
    paid(database, take(database, two, "a"), used(4.0))
    execute(database, "UPDATE usage SET at = '2026-01-01 23:59:59+00' WHERE run_id = %s", two)

    def sums(grouping: Grouping, **scope: object) -> dict[str, float | None]:
        return {row.key: row.cost_usd for row in by(database, grouping, **scope)}

    assert sums(Grouping.TURN) == {f"{two}/a": 4.0, f"{one}/b": 2.0, f"{one}/a": 1.0}
    assert sums(Grouping.PARTICIPANT) == {"claude": 5.0, "gpt": 2.0}
    assert sums(Grouping.MODEL, run=one) == {"gpt-5": 2.0, "opus": 1.0}
    assert sums(Grouping.RUN, since_s=3600.0) == {one: 3.0}
    assert sums(Grouping.WORKFLOW) == {"review": 7.0}
    days = by(database, Grouping.DAY)
    assert (days[1].key, days[1].cost_usd) == ("2026-01-01", 4.0)
    assert days[0].key > days[1].key
    assert (
        by(database, Grouping.TOTAL, run="nobody") == []
        or not by(database, Grouping.TOTAL, run="nobody")[0].calls
    )


# ---- reservations -------------------------------------------------------------------------------


def test_turns_that_speak_at_once_cannot_spend_the_same_dollar_twice(database: Database) -> None:
    names = [f"s{n}" for n in range(8)]
    run = new_run(database, *names, budget=Budget(max_usd=3.0))
    claims = [take(database, run, name) for name in names]

    answers = at_once(8, lambda n: wants(database, claims[n]))

    assert sum(answer is None for answer in answers) == 3
    assert {a.passing for a in answers if a is not None} == {True}


def test_calls_and_tokens_are_reserved_as_well(database: Database) -> None:
    run = new_run(database, "a", "b", budget=Budget(max_calls=1))
    assert wants(database, take(database, run, "a")) is None
    assert wants(database, take(database, run, "b")) == Shortage(Short.CALLS, 1, 0)

    run = new_run(database, "a", budget=Budget(max_tokens=999))
    assert wants(database, take(database, run, "a")) == Shortage(Short.TOKENS, 999, 0)


def test_the_usage_of_a_call_takes_the_place_of_its_reservation(database: Database) -> None:
    run = new_run(database, "a", "b", budget=Budget(max_usd=1.2))
    first, second = take(database, run, "a"), take(database, run, "b")
    assert wants(database, first) is None
    assert wants(database, second) == Shortage(Short.MONEY, 1.2, 0.0, passing=True)

    paid(database, first, used(0.1))

    assert wants(database, second) is None


def test_what_a_provider_did_not_say_counts_as_what_was_reserved(database: Database) -> None:
    run = new_run(database, "a", "b", budget=Budget(max_usd=1.5))
    first, second = take(database, run, "a"), take(database, run, "b")
    assert wants(database, first) is None
    paid(database, first, Usage())

    assert wants(database, second) == Shortage(Short.MONEY, 1.5, 1.0)


@pytest.mark.parametrize("ending", ["finished", "handed back", "worker gone"])
def test_a_reservation_ends_with_its_claim_and_nobody_has_to_give_it_back(
    database: Database, ending: str
) -> None:
    run = new_run(database, "a", "b", budget=Budget(max_usd=1.0))
    first, second = take(database, run, "a"), take(database, run, "b")
    assert wants(database, first) is None
    assert wants(database, second) is not None

    if ending == "finished":
        database.run(lambda c: finish(c, first, reply="{}", failure=None))
    elif ending == "handed back":
        database.run(lambda c: hand_back(c, first, 5.0, counted=False))
    else:
        execute(
            database, "UPDATE steps SET status = 'pending' WHERE run_id = %s AND key = 'a'", run
        )

    assert wants(database, second) is None


def test_an_unknown_price_is_no_reservation_under_a_limit_in_dollars(database: Database) -> None:
    run = new_run(database, "a", budget=Budget(max_usd=5.0))
    claimed = take(database, run, "a")

    assert wants(database, claimed, CallNeed(10, None)) == Shortage(Short.PRICE, 5.0, 0.0)
    assert fetch(database, "SELECT count(*) AS n FROM reservations").n == 0


def test_without_a_limit_everything_fits(database: Database) -> None:
    claimed = take(database, new_run(database, "a"), "a")

    assert wants(database, claimed, CallNeed(10**9, None)) is None


def test_the_day_counts_all_runs_and_begins_at_midnight_utc(database: Database) -> None:
    claims = [take(database, new_run(database, "a"), "a") for _ in range(3)]
    paid(database, claims[0], used(5.0))
    # Of today, also when this day ends meanwhile.
    execute(database, "UPDATE usage SET at = now() + interval '1 minute'")
    assert wants(database, claims[1], day=6.0) is None
    assert wants(database, claims[2], day=6.0) == Shortage(Short.DAY, 6.0, 5.0, passing=True)

    execute(database, "UPDATE usage SET at = now() - interval '1 day'")

    assert wants(database, claims[2], day=6.0) is None


# ---- waiting without an attempt -----------------------------------------------------------------


def test_a_step_that_waits_for_its_turn_loses_no_attempt(database: Database) -> None:
    run = new_run(database, "a")

    for number in range(1, 6):
        claimed = take(database, run, "a", nonce=str(number))
        assert (claimed.attempts, claimed.token) == (1, number)
        database.run(lambda c, held=claimed: hand_back(c, held, 0.0, counted=False))  # type: ignore[misc]


def test_a_paid_answer_is_adopted_also_after_a_wait_that_was_not_counted(
    database: Database,
) -> None:
    run = new_run(database, "a")
    claimed = take(database, run, "a", nonce="1")
    paid(database, claimed, used(0.1))
    execute(database, "INSERT INTO documents (sha256, content) VALUES ('d', 'paid')")
    execute(database, "UPDATE usage SET response = 'd'")
    database.run(lambda c: hand_back(c, claimed, 0.0, counted=False))

    assert take(database, run, "a", nonce="2").responses == (b"paid",)

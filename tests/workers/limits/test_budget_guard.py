"""A provider behind its run's budget: what a call may cost is put aside first, or the call is not made."""

import threading
from dataclasses import dataclass, field

import pytest
from pydantic import JsonValue

from shared.errors import NotYet, ProviderError
from shared.models.outcomes import FailureKind
from shared.models.panel import Participant
from shared.models.run import Budget
from shared.models.steps import Usage
from shared.store.database import Database
from shared.text.tokens import estimated_tokens
from tests.support.runs import fetch, new_run, take
from tests.workers.providers.calls import call_of
from workers.limits.budget_guard import BudgetGuard, need_of
from workers.providers.calls import Cancelled, Completion, ProviderCall

pytestmark = pytest.mark.component
NEVER = threading.Event()
PRICE: dict[str, JsonValue] = {
    "price": {"in": 0.0, "out": 100.0}
}  # 100 tokens of answer cost a cent


@dataclass
class Double:
    """A provider that counts its calls."""

    calls: list[ProviderCall] = field(default_factory=list)

    def structured(self, participant: Participant) -> bool:
        return True

    def complete(self, call: ProviderCall, cancel: Cancelled) -> Completion:
        self.calls.append(call)
        return Completion("{}", Usage())


def guarded(
    provider: Double, database: Database, run: str, step: str = "a", usd_a_day: float | None = None
) -> BudgetGuard:
    claimed = take(database, run, step)
    return BudgetGuard(provider, database, claimed, lambda: f"{claimed.token}:1", usd_a_day)


def test_a_call_that_fits_is_made_and_what_it_may_cost_is_put_aside(database: Database) -> None:
    run = new_run(database, "a", budget=Budget(max_usd=1.0))
    double = Double()

    guarded(double, database, run).complete(call_of(options=PRICE), NEVER)

    assert len(double.calls) == 1
    row = fetch(database, "SELECT attempt, usd FROM reservations WHERE run_id = %s", run)
    assert (row.attempt, row.usd) == ("1:1", pytest.approx(0.8192))


def test_a_call_that_could_exceed_the_budget_is_not_made(database: Database) -> None:
    run = new_run(database, "a", budget=Budget(max_usd=0.5))
    double = Double()

    with pytest.raises(
        ProviderError, match=r"has cost \$0\.00 of \$0\.50, and this call may cost \$0\.8192"
    ) as raised:
        guarded(double, database, run).complete(call_of(options=PRICE), NEVER)

    assert (raised.value.kind, raised.value.retryable) == (FailureKind.OVER_BUDGET, False)
    assert double.calls == []


def test_while_another_turn_holds_the_rest_a_turn_waits_and_is_not_refused(
    database: Database,
) -> None:
    run = new_run(database, "a", "b", budget=Budget(max_usd=1.0))
    guarded(Double(), database, run, "a").complete(call_of(options=PRICE), NEVER)

    with pytest.raises(NotYet) as raised:
        guarded(Double(), database, run, "b").complete(call_of(options=PRICE), NEVER)

    assert not raised.value.counted


def test_a_limit_in_dollars_needs_a_price(database: Database) -> None:
    run = new_run(database, "a", budget=Budget(max_usd=100.0))
    unknown = call_of(model="nobody-knows-this", options={"base_url": "http://127.0.0.1:1/v1"})

    with pytest.raises(ProviderError, match="no price is known for nobody-knows-this"):
        guarded(Double(), database, run).complete(unknown, NEVER)


def test_a_budget_of_tokens_needs_no_price(database: Database) -> None:
    run = new_run(database, "a", budget=Budget(max_tokens=10_000))
    unknown = call_of(model="nobody-knows-this")

    guarded(Double(), database, run).complete(unknown, NEVER)


def test_a_participant_that_costs_nothing_is_never_held_up(database: Database) -> None:
    run = new_run(database, "a", budget=Budget(max_usd=0.0, max_calls=0))

    guarded(Double(), database, run).complete(call_of(provider="scripted"), NEVER)


def test_the_days_budget_holds_without_one_of_the_run(database: Database) -> None:
    run = new_run(database, "a")

    with pytest.raises(ProviderError, match="for today"):
        guarded(Double(), database, run, usd_a_day=0.1).complete(call_of(options=PRICE), NEVER)


def test_a_need_is_the_prompt_and_an_answer_of_full_length() -> None:
    need = need_of(call_of(options={"price": {"in": 1.0, "out": 2.0}}, user="x" * 4000))

    assert need.tokens == pytest.approx(8192 + 1000, abs=20)
    assert need.usd == pytest.approx((1007 + 2 * 8192) / 1e6, rel=0.01)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("", 0, 1),
        ("return sum(values)\n" * 100, 450, 500),
        ("합의에 이르렀습니다. " * 100, 900, 1200),
    ],
)
def test_tokens_are_estimated_by_what_the_text_is_written_in(
    text: str, low: int, high: int
) -> None:
    assert low <= estimated_tokens(text) <= high

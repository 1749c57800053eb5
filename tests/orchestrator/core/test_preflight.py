"""What cannot be paid or held is told before a run begins."""

from __future__ import annotations

import pytest

from orchestrator.core.discussion.estimate import ExpectedCall
from orchestrator.core.discussion.preflight import Limit, obstacles, shortfall, too_few_calls
from shared.models.panel import Participant
from shared.models.run import Budget


def speaker(name: str = "ada", **fields: object) -> Participant:
    return Participant.model_validate({"name": name, "provider": "openai", "model": "m", **fields})


def call(who: Participant, tokens: int = 1_000, *, certain: bool = True) -> ExpectedCall:
    return ExpectedCall(who, "critique", certain, tokens, 1_500)


def by_token(participant: Participant, tokens_in: int, tokens_out: int) -> float | None:
    """A dollar for a thousand tokens; `free` costs nothing, `secret` says nothing."""
    prices = {"free": 0.0, "secret": None}
    return prices.get(participant.name, (tokens_in + tokens_out) / 1_000)


@pytest.mark.parametrize(
    ("who", "budget", "limit"),
    [
        (speaker(), Budget(max_usd=9.0), Limit.MONEY),
        (speaker("secret"), Budget(max_usd=1_000.0), Limit.PRICE),
        (speaker(), Budget(max_tokens=9_000), Limit.TOKENS),
        (speaker(context_tokens=9_000), Budget(), Limit.CONTEXT),
    ],
)
def test_a_first_call_that_may_exceed_a_limit_is_named(
    who: Participant, budget: Budget, limit: Limit
) -> None:
    (found,) = obstacles([call(who)], budget, by_token)
    assert (found.participant.name, found.limit) == (who.name, limit)


@pytest.mark.parametrize(
    ("who", "budget"),
    [
        (speaker(), Budget(max_usd=9.2)),
        (speaker(), Budget()),
        (speaker("free"), Budget(max_usd=0.0, max_tokens=1)),
        (speaker(max_output_tokens=500), Budget(max_usd=1.5, max_tokens=1_500)),
        (speaker(context_tokens=9_192), Budget()),
        (speaker(fallback=[speaker("free")]), Budget(max_usd=0.1)),
    ],
)
def test_whoever_can_make_its_first_call_is_not_in_the_way(
    who: Participant, budget: Budget
) -> None:
    assert obstacles([call(who)], budget, by_token) == ()


def test_calls_that_may_never_be_made_are_nobodys_obstacle() -> None:
    budget = Budget(max_usd=10.0)
    calls = [call(speaker()), call(speaker(), 90_000, certain=False)]
    assert obstacles(calls, budget, by_token) == ()


def test_first_calls_that_may_cost_too_much_together_are_summed_up() -> None:
    calls = [call(speaker("ada")), call(speaker("bert")), call(speaker("free"))]
    assert shortfall(calls, Budget(max_usd=10.0), by_token) == pytest.approx(18.384)
    assert shortfall(calls, Budget(max_usd=20.0), by_token) is None
    assert shortfall(calls, Budget(), by_token) is None


def test_fewer_calls_than_are_made_in_any_case_are_noticed() -> None:
    calls = [call(speaker("ada")), call(speaker("bert")), call(speaker("cleo"), certain=False)]
    assert too_few_calls(calls, Budget(max_calls=1)) == 2
    assert too_few_calls(calls, Budget(max_calls=2)) is None
    assert too_few_calls(calls, Budget()) is None

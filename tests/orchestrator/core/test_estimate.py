"""What a review will probably cost, said before anything is spent."""

import pytest
from pydantic import TypeAdapter

from orchestrator.core.discussion.estimate import Estimate, Price, Range, estimate, summed
from orchestrator.workflows.registry import workflow_of
from shared.models.panel import Panel, Participant
from shared.models.run import RunSpec


def member(name: str, provider: str = "openai") -> Participant:
    return Participant(name=name, provider=provider, model="m")


def spec(
    *, critics: int = 3, chair: str = "openai", workflow: str = "review", **options: int
) -> RunSpec:
    return RunSpec(
        workflow=workflow,
        workflow_version=1,
        subject="s",
        prompts="p",
        panel=Panel(
            critics=tuple(member(f"c{n}") for n in range(critics)),
            author=member("author"),
            chair=member("chair", chair),
        ),
        options={"max_reviews": 1, **options},
        seed="x",
    )


def estimated(spec: RunSpec, tokens: int, price: Price) -> Estimate:
    calls = workflow_of(spec).calls_of(spec, tokens)
    assert calls is not None
    return estimate(calls, price)


def cent(participant: Participant, input_tokens: int, output_tokens: int) -> float | None:
    return 0.01


def test_a_review_of_three_rounds_is_between_its_first_round_and_all_of_them() -> None:
    found = estimated(spec(rounds=3), 2000, cent)

    assert found is not None
    # three critics and the chair; then a rebuttal, three critics again, and a fix
    assert found.calls == Range(4, 9)
    assert found.cost_usd is not None
    assert found.cost_usd.low == pytest.approx(0.04)
    assert found.cost_usd.high == pytest.approx(0.09)
    assert found.unpriced == ()


def test_every_further_review_of_a_fix_is_in_the_upper_end_only() -> None:
    once, twice = (estimated(spec(max_reviews=n), 2000, cent) for n in (1, 2))

    assert once is not None
    assert twice is not None
    assert (twice.calls.low, twice.calls.high) == (once.calls.low, 2 * once.calls.high)


def test_whoever_computes_is_no_call() -> None:
    found = estimated(spec(rounds=1, chair="rules"), 100, cent)

    assert found is not None
    assert found.calls == Range(3, 4)


def test_a_larger_subject_costs_more_in_every_call_that_shows_it() -> None:
    small, large = (estimated(spec(rounds=1), tokens, cent) for tokens in (1000, 11_000))

    assert small is not None
    assert large is not None
    assert large.input_tokens.low - small.input_tokens.low == 3 * 10_000  # not the chair's
    assert large.output_tokens == small.output_tokens


def test_an_unknown_price_is_named_and_left_out_and_never_zero() -> None:
    def price(participant: Participant, input_tokens: int, output_tokens: int) -> float | None:
        return None if participant.name == "c1" else 0.01

    found = estimated(spec(rounds=1), 100, price)

    assert found is not None
    assert found.unpriced == ("c1",)
    assert found.cost_usd is not None
    assert found.cost_usd.low == pytest.approx(0.03)


def test_when_no_price_is_known_there_is_no_cost() -> None:
    found = estimated(spec(), 100, lambda *_: None)

    assert found is not None
    assert found.cost_usd is None
    assert found.unpriced == ("author", "c0", "c1", "c2", "chair")


def test_what_cannot_be_foreseen_is_not_guessed() -> None:
    assert workflow_of(spec(workflow="undo")).calls_of(spec(workflow="undo"), 100) is None


def test_counts_stay_whole_when_they_are_stored() -> None:
    kept = Estimate(Range(3, 14), Range(1, 2), Range(1, 2), Range(0.0, 0.5), ())
    whole = TypeAdapter(Estimate)
    stored = whole.validate_json(whole.dump_json(kept))
    assert whole.dump_json(stored) == whole.dump_json(kept)
    assert b'"calls":{"low":3,"high":14}' in whole.dump_json(stored)


def test_the_estimates_of_several_runs_are_added_up() -> None:
    one_call, two_calls = Range(1, 1), Range(1, 2)
    priced = Estimate(one_call, two_calls, one_call, Range(0.5, 1.0), ("b",))
    unpriced = Estimate(two_calls, one_call, one_call, None, ("a", "b"))
    assert summed([priced, unpriced]) == Estimate(
        calls=Range(2, 3),
        input_tokens=Range(2, 3),
        output_tokens=Range(2, 2),
        cost_usd=Range(0.5, 1.0),
        unpriced=("b", "a"),
    )
    assert summed([unpriced]).cost_usd is None
    assert summed([]).cost_usd == Range(0, 0)

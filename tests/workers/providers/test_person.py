"""A person as a participant: never answers by itself, and what was answered is adopted and parsed."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.errors import NotYet, ProviderError
from shared.models.outcomes import FailureKind
from shared.models.review_replies import ReviewCritique
from shared.providers.catalogue import Reach, provider_type
from shared.store.people import _packed
from tests.workers.providers.calls import call_of
from workers.providers import person
from workers.providers.calls import Completion, Finish, ProviderCall
from workers.providers.registry import load_provider
from workers.turns.replies import obtain

NEVER = threading.Event()


def answered(text: str) -> Completion:
    """What `quorate answer` stores, as a worker reads it."""
    return Completion.unpacked(_packed(text))


def test_a_turn_that_nobody_answered_is_given_back_without_losing_an_attempt() -> None:
    with pytest.raises(NotYet) as raised:
        person.complete(call_of("person", None), NEVER)
    assert not raised.value.counted
    assert "inbox" in str(raised.value)


def test_the_catalogue_knows_that_it_costs_nothing_and_that_nothing_leaves() -> None:
    assert load_provider("person") is person
    assert not provider_type("person").billable
    assert provider_type("person").reach is Reach.NOBODY
    assert not person.structured(call_of("person", None).participant)


def test_a_stored_answer_is_a_completion_that_costs_nothing() -> None:
    completion = answered('{"verdict": "APPROVED"}')
    assert completion.finish_reason is Finish.STOP
    assert (completion.usage.cost_usd, completion.usage.output_tokens) == (0.0, 0)


def test_a_stored_answer_is_adopted_and_nobody_is_asked_again() -> None:
    kept: list[Completion] = []
    stored = [answered('Here: ```json\n{"verdict": "approved", "summary": "좋습니다"}\n```')]
    obtained = obtain(person, call_of("person", None), NEVER, kept.append, stored)
    assert obtained.reply == ReviewCritique(verdict="APPROVED", summary="좋습니다")
    assert kept == []


def test_an_unusable_answer_asks_once_more_and_then_is_a_typed_failure() -> None:
    with pytest.raises(NotYet, match="usable answer"):
        obtain(person, call_of("person", None), NEVER, lambda _: None, [answered("hm")])
    with pytest.raises(ProviderError) as raised:
        obtain(
            person, call_of("person", None), NEVER, lambda _: None, [answered("hm"), answered("no")]
        )
    assert raised.value.kind is FailureKind.UNPARSEABLE


# ---- a turn's own deadline -----------------------------------------------------------------------


def asked(age_s: float, limit_s: object = 4000.0) -> ProviderCall:
    call = call_of("person", None, options={"answer_within_s": limit_s})
    return replace(call, age_s=age_s)


@pytest.mark.parametrize(
    ("age_s", "limit_s", "next_look_s", "reminds"),
    [
        (0.0, 4000.0, 3000.0, False),
        (2999.0, 4000.0, 1.0, False),
        (3000.0, 4000.0, 1000.0, True),
        (0.0, 400_000.0, 3600.0, False),
        (350_000.0, 400_000.0, 3600.0, True),
    ],
)
def test_a_turn_wakes_for_its_reminder_for_its_end_and_every_hour(
    age_s: float, limit_s: float, next_look_s: float, reminds: bool
) -> None:
    with pytest.raises(NotYet) as raised:
        person.complete(asked(age_s, limit_s), NEVER)
    assert raised.value.retry_after_s == pytest.approx(next_look_s)
    assert raised.value.reminds is reminds
    assert not raised.value.counted


@given(st.floats(0, 1e6), st.floats(1, 1e6))
def test_a_turn_sleeps_never_beyond_its_end_and_never_for_nothing(age_s: float, limit_s: float):
    with pytest.raises(ProviderError) as raised:
        person.complete(asked(age_s, limit_s), NEVER)
    error = raised.value
    if age_s >= limit_s:
        assert (error.kind, error.retryable) == (FailureKind.TIMEOUT, False)
        assert not isinstance(error, NotYet)
    else:
        assert error.retry_after_s is not None
        assert 0 < error.retry_after_s <= limit_s - age_s


@pytest.mark.parametrize(
    ("limit_s", "said"),
    [(14_400.0, "4 h"), (5400.0, "90 min"), (172_800.0, "2 d"), (4.5, "4.5 s")],
)
def test_who_did_not_answer_in_time_is_said_to_be_so(limit_s: float, said: str) -> None:
    with pytest.raises(ProviderError, match=f"did not answer in time \\(within {said}\\)"):
        person.complete(asked(limit_s, limit_s), NEVER)


@pytest.mark.parametrize("limit_s", [0, -1, True, "4h"])
def test_a_time_that_is_none_is_refused(limit_s: object) -> None:
    with pytest.raises(ProviderError, match="answer_within_s"):
        person.complete(asked(1.0, limit_s), NEVER)

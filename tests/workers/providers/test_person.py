"""A person as a participant: never answers by itself, and what was answered is adopted and parsed."""

from __future__ import annotations

import threading

import pytest

from shared.errors import NotYet, ProviderError
from shared.models.outcomes import FailureKind
from shared.models.replies import ReviewCritique
from shared.store.people import _packed
from tests.workers.providers.calls import call_of
from workers.providers import person
from workers.providers.registry import Completion, Finish, entry, lookup
from workers.replies import obtain

NEVER = threading.Event()


def answered(text: str) -> Completion:
    """What `quorate answer` stores, as a worker reads it."""
    return Completion.unpacked(_packed(text))


def test_a_turn_that_nobody_answered_is_given_back_without_losing_an_attempt() -> None:
    with pytest.raises(NotYet) as raised:
        person.complete(call_of("person", None), NEVER)
    assert not raised.value.counted
    assert "inbox" in str(raised.value)


def test_the_registry_knows_it_as_neither_paid_nor_external() -> None:
    assert lookup("person") is person
    assert not entry("person").paid
    assert not entry("person").external
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

"""What an identical turn is found by stays what it was: paid answers are stored under it."""

from __future__ import annotations

import dataclasses

import pytest

from shared.models.panel import Participant
from workers.providers.calls import ProviderCall
from workers.turns.replies import schema_of
from workers.turns.reuse import VERSION, reuse_key

MARKER = "marker123"
CALL = ProviderCall(
    participant=Participant(
        name="claude",
        provider="openai",
        model="m-1",
        options={"base_url": "http://127.0.0.1/v1", "timeout": 3, "nested": {"b": 1, "a": "é"}},
    ),
    role="critique",
    round=1,
    reply_model="critique.review",
    step="r/s",
    system=f"You.\n{MARKER} x",
    user=f"Diff é \ud800 {MARKER}",
    temperature=0.3,
)


def test_the_key_of_version_1() -> None:
    assert VERSION == 1
    expected = "8e0d85eaae670ce617d77df84b0d81394d20eee87d7dec8001715bf481f305c7"
    assert reuse_key(CALL, MARKER) == expected


@pytest.mark.parametrize(
    "changed",
    [
        {"system": "You."},
        {"user": "Diff"},
        {"temperature": None},
        {"max_output_tokens": 1},
        {"reply_model": "synthesis"},
        {"reply_schema": schema_of("critique.review")},
        {"participant": CALL.participant.model_copy(update={"model": "m-2"})},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_whatever_a_model_sees_makes_another_key(changed: dict[str, object]) -> None:
    assert reuse_key(dataclasses.replace(CALL, **changed), MARKER) != reuse_key(CALL, MARKER)  # type: ignore[arg-type]


def test_each_reply_model_has_a_key_of_its_own() -> None:
    names = ("critique.review", "critique.red-team", "synthesis")
    keys = {
        reuse_key(dataclasses.replace(CALL, reply_model=name, reply_schema=schema_of(name)), MARKER)
        for name in names
    }
    assert len(keys) == len(names)

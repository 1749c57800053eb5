"""Personas are dealt over models: one seat each, different families first."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from orchestrator.participants.catalogue import Catalogue
from orchestrator.participants.persona_assignment import (
    assign_personas,
    different_families_first,
    free_name,
    once_more,
)
from orchestrator.settings.schema import Settings
from orchestrator.settings.sections import ParticipantEntry
from shared.models.panel import Participant

CATALOGUE = Catalogue(Settings(), {"CI": "true", "PATH": ""}, Path())
PERSONAS = ("security", "performance", "maintainability", "analytical", "creative", "critical")


def model(name: str, family: str) -> Participant:
    return Participant(name=name, provider="openai", model=name, family=family)


def entry(persona: str, label: str | None = None) -> ParticipantEntry:
    return ParticipantEntry(name="models", persona=persona, label=label)


families = st.lists(st.sampled_from(["anthropic", "google", "openai"]), min_size=1, max_size=6)


@given(families, st.integers(1, 6))
def test_every_persona_has_one_seat_and_no_family_waits_while_another_sits_twice(
    pool: list[str], count: int
) -> None:
    models = [model(f"m{number}", family) for number, family in enumerate(pool)]
    seats = assign_personas([entry(persona) for persona in PERSONAS[:count]], models, CATALOGUE)
    assert len(seats) == count
    assert len({seat.participant.name for seat in seats}) == count
    assert len({seat.participant.persona for seat in seats}) == count
    used = [seat.base.name for seat in seats]
    assert max(map(used.count, used)) - min(used.count(one.name) for one in models) <= 1
    sitting = {seat.base.family for seat in seats}
    assert len(sitting) == min(count, len(set(pool)))


@given(families)
def test_ordering_keeps_everybody_and_begins_with_one_of_each_family(pool: list[str]) -> None:
    models = [model(f"m{number}", family) for number, family in enumerate(pool)]
    ordered = different_families_first(models)
    assert sorted(one.name for one in ordered) == sorted(one.name for one in models)
    first = [one.family for one in ordered[: len(set(pool))]]
    assert set(first) == set(pool)


def test_personas_in_own_words_are_told_apart_by_their_labels_or_by_numbers() -> None:
    models = [model("claude", "anthropic")]
    words = [entry("Buy cheap."), entry("Buy well."), entry("Do not buy.", "sceptic")]
    names = [seat.participant.name for seat in assign_personas(words, models, CATALOGUE)]
    assert names == ["claude-own", "claude-own-2", "claude-sceptic"]


def test_a_once_more_is_the_same_model_without_the_persona_of_another_part() -> None:
    base = model("claude", "anthropic").model_copy(update={"persona": "a critic"})
    seat = once_more(base, "judge", ["claude", "claude-judge"]).participant
    assert (seat.name, seat.model, seat.persona) == ("claude-judge-2", "claude", None)


@given(st.text(min_size=1, max_size=80), st.integers(0, 12))
def test_a_free_name_is_valid_and_free(name: str, count: int) -> None:
    taken: list[str] = []
    for _ in range(count + 1):
        found = free_name(name, taken)
        assert found not in taken
        model(found, "x")  # a participant may have it
        taken.append(found)

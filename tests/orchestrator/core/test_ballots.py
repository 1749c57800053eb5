"""Counting ballots."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.core.consensus.ballots import Vote, count_votes, rescaled
from orchestrator.core.results import VoteSupport
from shared.models.findings import Position
from shared.models.panel import Participant

AGREE, PARTIAL, DISAGREE, ABSTAIN = (
    Vote(position)
    for position in (Position.AGREE, Position.PARTIAL, Position.DISAGREE, Position.ABSTAIN)
)


def voter(name: str, family: str | None = None) -> Participant:
    return Participant(name=name, provider="scripted", family=family or name)


def count(
    *votes: Vote | None, families: str | None = None, quorum: int = 1, threshold: float = 0.7
) -> VoteSupport:
    voters = [voter(f"v{n}", families[n] if families else None) for n in range(len(votes))]
    named = {one.name: vote for one, vote in zip(voters, votes, strict=True)}
    return count_votes(voters, named, threshold=threshold, quorum=quorum)


@pytest.mark.parametrize(
    ("votes", "support", "converged"),
    [
        ((AGREE, AGREE, AGREE), 1.0, True),
        ((AGREE, AGREE, PARTIAL), 5 / 6, True),
        ((AGREE, AGREE, DISAGREE), 2 / 3, False),
        ((AGREE, PARTIAL, PARTIAL), 2 / 3, False),
        ((DISAGREE, DISAGREE, DISAGREE), 0.0, False),
        ((AGREE, AGREE, None), 2 / 3, False),
        ((AGREE, AGREE, ABSTAIN), 2 / 3, False),
        ((AGREE, AGREE, AGREE, None), 3 / 4, False),
        ((AGREE,) * 9 + (None,), 0.9, True),
        ((AGREE,), 1.0, False),
        ((None, None), 0.0, False),
    ],
)
def test_support_is_the_share_of_those_who_agree_and_silence_supports_nothing(
    votes: tuple[Vote | None, ...], support: float, converged: bool
) -> None:
    counted = count(*votes)

    assert counted.support == pytest.approx(support)
    assert counted.agrees is converged


def test_a_family_has_one_vote() -> None:
    counted = count(AGREE, AGREE, AGREE, DISAGREE, families="aaab")

    assert (counted.support, counted.independent) == (0.5, 2)


def test_an_unsure_majority_does_not_outvote_a_sure_minority() -> None:
    unsure, sure = Vote(Position.AGREE, 0.6), Vote(Position.DISAGREE, 0.95)

    counted = count(unsure, unsure, unsure, sure)

    assert counted.support == 0.75
    assert counted.weighted == pytest.approx(0.9 / 1.7)
    assert not counted.agrees


def test_a_quorum_that_is_not_reached_decides_nothing() -> None:
    sure = Vote(Position.AGREE, 1.0)

    assert not count(sure, sure, None, None, quorum=3, threshold=0.5).agrees
    assert count(sure, sure, None, None, quorum=2, threshold=0.5).agrees


def test_what_absence_alone_keeps_open_is_told_from_dissent() -> None:
    assert count(AGREE, AGREE, None).left_open_by_absence
    assert not count(AGREE, DISAGREE, None).left_open_by_absence
    assert not count(AGREE, AGREE, DISAGREE).left_open_by_absence


@pytest.mark.parametrize(
    ("confidence", "weight"),
    [(1.0, 1.0), (0.95, 0.8), (0.85, 0.5), (0.7, 0.3), (0.2, 0.1), (None, 0.5)],
)
def test_confidence_is_rescaled(confidence: float | None, weight: float) -> None:
    assert rescaled(confidence) == weight


VOTES = st.none() | st.builds(
    Vote, st.sampled_from([p for p in Position if p != "withdraw"]), st.none() | st.floats(0, 1)
)


@given(st.lists(st.tuples(VOTES, st.sampled_from("abc")), min_size=1, max_size=7), st.data())
def test_replacing_a_vote_by_silence_never_raises_a_figure(
    cast: list[tuple[Vote | None, str]], data: st.DataObject
) -> None:
    votes = [vote for vote, _ in cast]
    families = "".join(family for _, family in cast)
    lost = data.draw(st.integers(0, len(votes) - 1))
    silenced = [None if n == lost else vote for n, vote in enumerate(votes)]

    before, after = count(*votes, families=families), count(*silenced, families=families)

    assert after.support <= before.support + 1e-9
    assert after.weighted <= before.weighted + 1e-9
    assert before.agrees or not after.agrees

"""Counting rankings in which nobody ranks themselves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.workflows.ask.ranking import borda, points_of, read_ranking
from orchestrator.workflows.ask.result import PeerRanking
from shared.models.deliberation import Ranking

LABELS = {"A": "claude", "B": "gemini", "C": "codex"}


def order(text: str, left_out: str = "") -> PeerRanking:
    """`"a b=c"` as an order."""
    groups = tuple(tuple(group.split("=")) for group in text.split())
    return PeerRanking(participant="dee", order=groups, left_out=tuple(left_out.split()))


def test_the_best_of_n_gets_one_less_than_n_and_the_last_nothing() -> None:
    assert points_of(order("a b c")) == {"a": 2, "b": 1, "c": 0}


def test_equal_entries_share_their_points() -> None:
    assert points_of(order("a=b c")) == {"a": 1.5, "b": 1.5, "c": 0}


def test_entries_that_are_left_out_share_the_last_places() -> None:
    assert points_of(order("a", left_out="b c")) == {"a": 2, "b": 0.5, "c": 0.5}


def test_everybody_is_scored_over_the_rankings_that_they_stood_in() -> None:
    places = borda(["a", "b", "c"], [order("b c"), order("a c"), order("a b")])

    assert [(one.participant, one.place, one.score, one.rankings) for one in places] == [
        ("a", 1, 1.0, 2),
        ("b", 2, 0.5, 2),
        ("c", 3, 0.0, 2),
    ]


def test_a_ranking_that_is_missing_costs_nobody_anything() -> None:
    whole = borda(["a", "b", "c"], [order("b c"), order("a c"), order("a b")])
    partial = borda(["a", "b", "c"], [order("b c"), order("a c")])

    assert [(one.participant, one.score) for one in partial] == [("a", 1.0), ("b", 1.0), ("c", 0.0)]
    assert whole[0].score == partial[0].score


def test_equal_scores_share_a_place_and_the_next_is_skipped() -> None:
    places = borda(["a", "b", "c"], [order("a=b c")])

    assert [one.place for one in places] == [1, 1, 3]


def test_who_stood_in_no_ranking_has_no_place() -> None:
    places = borda(["a", "b", "c"], [order("b c")])

    assert (places[-1].participant, places[-1].place, places[-1].score) == ("a", None, None)


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        (("B", "A", "C"), order("gemini claude codex")),
        (("Response B", "answer A", "**C**"), order("gemini claude codex")),
        (("A=B", "C"), order("claude=gemini codex")),
        (("B", "B", "A"), order("gemini claude", left_out="codex")),
        (("Z", "B"), order("gemini", left_out="claude codex")),
        (("Z",), None),
        (("the first", ""), None),
    ],
)
def test_stated_rankings_are_read_with_their_flaws(
    entries: tuple[str, ...], expected: PeerRanking | None
) -> None:
    assert read_ranking("dee", Ranking(ranking=entries), LABELS) == expected


ORDERS = st.permutations(list("abcd")).flatmap(
    lambda names: st.integers(1, 4).map(
        lambda cut: order(" ".join(names[:cut]), " ".join(names[cut:]))
    )
)


@given(st.lists(ORDERS, max_size=5))
def test_the_points_of_a_ranking_add_up_and_the_order_of_rankings_does_not_matter(
    orders: list[PeerRanking],
) -> None:
    for one in orders:
        assert sum(points_of(one).values()) == pytest.approx(6)
    places = borda(list("abcd"), orders)

    assert {one.participant: one.place for one in places} == {
        one.participant: one.place for one in borda(list("abcd"), orders[::-1])
    }
    assert all(one.score is None or 0 <= one.score <= 1 for one in places)

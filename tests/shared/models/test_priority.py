"""Whose turn it is: no list starves, and the one with the most right to it is asked first most of the time."""

from collections import Counter

from shared.models.priority import (
    ORDINARY,
    PRIORITIES,
    SOON,
    TURN_EVERY,
    WATCHED,
    order_of_take,
    priority_of,
)


def test_every_list_is_asked_in_every_take_and_first_in_one_of_eight_at_least() -> None:
    for start in range(1, 20):
        orders = [order_of_take(start + number) for number in range(TURN_EVERY)]
        assert all(sorted(order) == sorted(PRIORITIES) for order in orders)
        assert Counter(order[0] for order in orders) == {WATCHED: 6, SOON: 1, ORDINARY: 1}


def test_a_run_that_somebody_waits_for_goes_first_and_what_has_begun_before_what_has_not() -> None:
    assert priority_of(is_watched=True, has_begun=False) == WATCHED
    assert priority_of(is_watched=True, has_begun=True) == WATCHED
    assert priority_of(is_watched=False, has_begun=True) == SOON
    assert priority_of(is_watched=False, has_begun=False) == ORDINARY

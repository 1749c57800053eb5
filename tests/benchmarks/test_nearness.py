"""The AUC that is printed: how often what is alike is nearer than what is not."""

import pytest

from benchmarks.consensus_measures import area


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        ([(0.9, True), (0.8, True), (0.1, False)], 1.0),
        ([(0.1, True), (0.9, False)], 0.0),
        ([(0.5, True), (0.5, False)], 0.5),
        ([(0.9, True), (0.2, True), (0.5, False), (0.1, False)], 0.75),
    ],
)
def test_ties_count_half_and_every_pair_once(
    seen: list[tuple[float, bool]], expected: float
) -> None:
    assert area(seen) == expected

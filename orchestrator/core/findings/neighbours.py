"""Which claims are compared at all: those of one file that stand near one another, and those without a place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations, islice, product

from orchestrator.core.findings.sameness import (
    NEAR_LINES,
    ComparableClaim,
    gap_of,
    plain_path,
)
from shared.models.findings import Place


def candidates(claims: Sequence[ComparableClaim], known: int) -> Iterator[tuple[int, int]]:
    """Index pairs (ascending) that can be the same at all: in one file or one without a place, and not both known.

    The first `known` ones were told apart before.
    """
    by_path: dict[str, list[int]] = {}
    unplaced = []
    for index, claim in enumerate(claims):
        if claim.place is None:
            unplaced.append(index)
        else:
            by_path.setdefault(plain_path(claim.place.path), []).append(index)
    within = chain.from_iterable(_near_pairs(claims, together) for together in by_path.values())
    without = chain(
        combinations(unplaced, 2),
        *(product(together, unplaced) for together in by_path.values()),
    )
    for a, b in chain(within, without):
        if max(a, b) >= known:
            yield min(a, b), max(a, b)


def _near_pairs(
    claims: Sequence[ComparableClaim], together: Sequence[int]
) -> Iterator[tuple[int, int]]:
    """The pairs of one file that `comparable` could hold for: near one another, or one warns of an import.

    Rules find the same thousands of times in a file, and each pair of them is compared within one transaction.
    """
    places = {at: place for at in together if (place := claims[at].place) is not None}
    in_order = sorted(places, key=lambda at: (places[at].line, at))
    for number, at in enumerate(in_order, start=1):
        reach = places[at].last_line + NEAR_LINES
        for other in islice(in_order, number, None):
            if places[other].line > reach:
                break
            yield at, other
    for at in in_order:
        if claims[at].warns_of_import:
            yield from _uses(claims, places, at)


def _uses(
    claims: Sequence[ComparableClaim], places: Mapping[int, Place], at: int
) -> Iterator[tuple[int, int]]:
    """The pairs of a warning of an import with what else is of its kind, further away in the file."""
    claim = claims[at]
    for other, place in places.items():
        beside = claims[other]
        if (
            beside.rule != claim.rule
            and not claim.kinds.isdisjoint(beside.kinds)
            and gap_of(places[at], place) > NEAR_LINES
        ):
            yield at, other

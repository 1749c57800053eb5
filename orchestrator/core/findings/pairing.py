"""Which findings of two runs are the same defect: the same rule by which findings of one round are merged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from orchestrator.core.findings.likeness import letters
from orchestrator.core.findings.sameness import ComparableClaim, same_defect
from shared.models.findings import Finding


@dataclass(frozen=True)
class Pair:
    """A finding of the first run and the same of the second; one of them may be missing."""

    first: Finding | None
    second: Finding | None


def pair_up(first: Sequence[Finding], second: Sequence[Finding]) -> tuple[Pair, ...]:
    """Every finding once: the pairs in the order of `first`, then what only `second` has.

    At most one of each side; identical wordings first, then the likeliest pairs.
    """
    partner: dict[int, int] = {}
    for likeness in (_identity, _likeness):
        _match(first, second, likeness, partner)
    taken = set(partner.values())
    pairs = [
        Pair(item, second[partner[index]] if index in partner else None)
        for index, item in enumerate(first)
    ]
    return (*pairs, *(Pair(None, item) for n, item in enumerate(second) if n not in taken))


def _match(
    first: Sequence[Finding],
    second: Sequence[Finding],
    likeness: Callable[[Finding, Finding], float],
    partner: dict[int, int],
) -> None:
    """Add partners for those that have none yet, the likeliest first."""
    taken = set(partner.values())
    scores = sorted(
        (-score, a, b)
        for a, item in enumerate(first)
        if a not in partner
        for b, other in enumerate(second)
        if b not in taken and (score := likeness(item, other)) > 0
    )
    for _, a, b in scores:
        if a not in partner and b not in taken:
            partner[a] = b
            taken.add(b)


def _identity(finding: Finding, other: Finding) -> float:
    """2 for the same words under the same number, 1 for the same words, 0 for any others."""
    same = finding.title == other.title and finding.category == other.category
    return float(1 + (finding.id == other.id)) if same and _claim(finding) == _claim(other) else 0.0


# What a debate is about is the same only in the same words: "we should" and "we should not" read alike.
_TO_THE_LETTER = frozenset({"position", "point"})


def _likeness(finding: Finding, other: Finding) -> float:
    if _TO_THE_LETTER & {finding.category, other.category}:
        same = finding.category == other.category and letters(finding.title) == letters(other.title)
        return float(same)
    return same_defect(_claim(finding), _claim(other))


def _claim(finding: Finding) -> ComparableClaim:
    return ComparableClaim(finding.title, finding.detail, finding.rule, finding.place, turn=None)

"""Which findings of two runs are the same defect: the same rule by which findings of one round are merged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from orchestrator.core.findings.likeness import letters
from orchestrator.core.findings.sameness import ComparableClaim, same_defect
from shared.models.findings import Finding

MOST_COMPARED = 250_000  # pairs whose texts are compared, which takes some seconds


@dataclass(frozen=True)
class Pair:
    """A finding of the first run and the same of the second; one of them may be missing."""

    first: Finding | None
    second: Finding | None


def pair_up(first: Sequence[Finding], second: Sequence[Finding]) -> tuple[Pair, ...]:
    """Every finding once: the pairs in the order of `first`, then what only `second` has.

    At most one of each side; identical wordings first (under the same number, then under any), then the likeliest
    pairs. Of more than `MOST_COMPARED` pairs that are left no texts are compared.
    """
    partner = _in_the_same_words(first, second)
    partner |= _likeliest(first, second, partner)
    pairs = [
        Pair(item, second[partner[index]] if index in partner else None)
        for index, item in enumerate(first)
    ]
    taken = set(partner.values())
    return (*pairs, *(Pair(None, item) for n, item in enumerate(second) if n not in taken))


def _likeliest(
    first: Sequence[Finding], second: Sequence[Finding], known: Mapping[int, int]
) -> dict[int, int]:
    """Partners for those that have none yet, the likeliest pairs first."""
    left = [at for at in range(len(first)) if at not in known]
    free = set(range(len(second))) - set(known.values())
    if len(left) * len(free) > MOST_COMPARED:
        return {}
    scores = ((-_likeness(first[a], second[b]), a, b) for a, b in product(left, free))
    partner: dict[int, int] = {}
    for _, a, b in sorted(score for score in scores if score[0] < 0):
        if a not in partner and b in free:
            partner[a] = b
            free.discard(b)
    return partner


def _in_the_same_words(first: Sequence[Finding], second: Sequence[Finding]) -> dict[int, int]:
    """The places in `second` of the findings of `first` that it has word by word."""
    alike: dict[tuple[str, ...], list[int]] = {}
    for at, finding in enumerate(second):
        alike.setdefault(_words(finding), []).append(at)
    partner: dict[int, int] = {}
    for at, finding in enumerate(first):
        same = (b for b in alike.get(_words(finding), ()) if second[b].id == finding.id)
        if (b := next(same, None)) is not None:
            partner[at] = b
            alike[_words(finding)].remove(b)
    for at, finding in enumerate(first):
        if at not in partner and (others := alike.get(_words(finding))):
            partner[at] = others.pop(0)
    return partner


def _words(finding: Finding) -> tuple[str, ...]:
    place = "" if finding.place is None else finding.place.model_dump_json()
    return (finding.title, finding.category, finding.detail, finding.rule or "", place)


# What a debate is about is the same only in the same words: "we should" and "we should not" read alike.
_TO_THE_LETTER = frozenset({"position", "point"})


def _likeness(finding: Finding, other: Finding) -> float:
    if _TO_THE_LETTER & {finding.category, other.category}:
        same = finding.category == other.category and letters(finding.title) == letters(other.title)
        return float(same)
    return same_defect(_claim(finding), _claim(other))


def _claim(finding: Finding) -> ComparableClaim:
    return ComparableClaim(finding.title, finding.detail, finding.rule, finding.place, turn=None)

"""Do two wordings say the same? Only where nothing was exchanged: "ship today" is not "ship tomorrow".

A false yes ends a discussion that goes on, a false no costs a round: so whatever cannot be told apart from another
answer counts as another one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations, product

from orchestrator.core.consensus.detectors.claims import (
    LONGEST_READ,
    Clause,
    Term,
    WordedClaim,
    read_claim,
)
from orchestrator.core.findings.likeness import letters

# With so few terms their order says nothing: "the queue should be kept", "keep the queue".
FEW_TERMS = 2
_POINTS = frozenset(
    ("to", "from", "by", "over", "under", "S", "O", "OF", "than", "for", "against", "until")
)
# What may be said on one side only without saying something else; everything else is exact.
_EXACT = frozenset(
    "every some nobody only 모든 일부 오직 before after 전 ATLEAST ATMOST MORETHAN LESSTHAN atleast atmost"
    " morethan lessthan 이상 이하 초과 미만 except today tomorrow 오늘 내일 may".split()
)


# Words that only choose what else is said.
CHOOSES = frozenset(("accept", "채택", "use", "사용", "tak"))
CHOSEN = frozenset((concept, False, None) for concept in CHOOSES)


def says_the_same(text: str, other: str) -> bool:
    """The same terms in another order or form, with nothing exchanged, added or denied."""
    if letters(text) == letters(other):
        return True
    if max(len(text), len(other)) > LONGEST_READ:
        return False
    return same_claim(read_claim(text), read_claim(other))


def same_claim(claim: WordedClaim, other: WordedClaim) -> bool:
    """Whether two claims have the same clauses, in any order."""
    ours, theirs = _distinct_clauses(claim), _distinct_clauses(other)
    if not ours or not theirs:
        return False
    if _matched(ours, theirs) and _matched(theirs, ours):
        return True
    if max(map(_signs, (claim, other))) > 1 or any(map(_contrasts, (claim, other))):
        return False
    return _matched([_whole(ours)], [_whole(theirs)])


def _contrasts(claim: WordedClaim) -> bool:
    """Whether something is said of one thing and denied of another: then it matters of which."""
    denied = {term.concept for term in claim.terms if term.denied}
    return any(not term.denied and term.concept in denied for term in claim.terms)


def at_odds(claim: WordedClaim, other: WordedClaim) -> bool:
    """Whether they cannot both be meant: a term denied, another amount, scope, direction, order or condition."""
    ours, theirs = claim.terms, other.terms
    return (
        _denies(ours, theirs)
        or _other_amounts(ours, theirs)
        or _exact(ours) != _exact(theirs)
        or any(_turned(a, b) for a, b in product(claim.clauses, other.clauses))
        or _condition_alone(claim, other)
        or _condition_alone(other, claim)
    )


def other_order(claim: WordedClaim, other: WordedClaim) -> bool:
    """Whether both put things in an order, and not in the same."""
    return any(
        _turned(clause, against)
        for clause, against in product(claim.clauses, other.clauses)
        if (clause.ordered and against.ordered) or _swapped(clause, against)
    )


# ---- clauses ------------------------------------------------------------------------------------


def _distinct_clauses(claim: WordedClaim) -> list[Clause]:
    """The clauses, without those that only repeat what another says."""
    kept: list[Clause] = []
    for clause in sorted(claim.clauses, key=lambda clause: -len(clause.terms)):
        if not any(_meanings(clause.terms) <= _meanings(longer.terms) for longer in kept):
            kept.append(clause)
    return kept


def _whole(clauses: Sequence[Clause]) -> Clause:
    listed = (term for clause in clauses for term in clause.terms)
    terms = tuple(replace(term, place=place) for place, term in enumerate(listed))
    return Clause(
        terms,
        any(clause.conditional for clause in clauses),
        any(clause.ordered for clause in clauses),
    )


def _signs(claim: WordedClaim) -> int:
    return sum(term.denied for term in claim.terms) + any(map(_is_conditional, claim.clauses))


def _is_conditional(clause: Clause) -> bool:
    return clause.conditional


def _matched(clauses: Iterable[Clause], others: Iterable[Clause]) -> bool:
    left = list(others)
    for clause in clauses:
        same = next((other for other in left if _same_clause(clause, other)), None)
        if same is None:
            return False
        left.remove(same)
    return not left


def _same_clause(clause: Clause, other: Clause) -> bool:
    return (
        clause.conditional == other.conditional
        and _meanings(clause.terms) == _meanings(other.terms)
        and not _turned(clause, other)
    )


def _meanings(terms: Iterable[Term]) -> Counter[tuple[str, bool, float | None]]:
    """What is said; "use cursors" says no more than "cursors" does."""
    meanings = Counter({term.meaning: 1 for term in terms})
    return Counter({meaning: 1 for meaning in meanings if meaning not in CHOSEN}) or meanings


def _turned(clause: Clause, other: Clause) -> bool:
    """Whether what both speak of stands in another role, or in another order where the order tells."""
    shared = _shared(clause, other)
    if len(shared) > 1 and any(_points_elsewhere(*both) for both in shared):
        return True
    free = len(shared) <= FEW_TERMS or any(map(_is_korean, clause.terms))
    if free and not (clause.ordered or other.ordered):
        return False
    return any(
        (a.place - c.place) * (b.place - d.place) < 0 for (a, b), (c, d) in combinations(shared, 2)
    )


def _shared(clause: Clause, other: Clause) -> list[tuple[Term, Term]]:
    ours = {term.meaning: term for term in clause.terms}
    return [(ours[term.meaning], term) for term in other.terms if term.meaning in ours]


def _swapped(clause: Clause, other: Clause) -> bool:
    """Whether names have changed parts: "A를 B로", "B를 A로"."""
    names = [both for both in _shared(clause, other) if both[0].concept.startswith("‹")]
    return len(names) > 1 and all(_points_elsewhere(*both) for both in names)


def _points_elsewhere(term: Term, other: Term) -> bool:
    return {term.role, other.role} <= _POINTS and term.role != other.role


def _is_korean(term: Term) -> bool:
    return "가" <= term.concept[:1] <= "힣"


# ---- odds ---------------------------------------------------------------------------------------


def _denies(terms: Sequence[Term], others: Sequence[Term]) -> bool:
    ours = {(term.concept, term.denied) for term in terms}
    theirs = {(term.concept, term.denied) for term in others}
    return any(
        (concept, not denied) in theirs
        and (concept, denied) not in theirs
        and (concept, not denied) not in ours
        for concept, denied in ours
    )


def _other_amounts(terms: Sequence[Term], others: Sequence[Term]) -> bool:
    ours, theirs = _amounts(terms), _amounts(others)
    return any(ours[unit].isdisjoint(theirs[unit]) for unit in ours.keys() & theirs.keys())


def _amounts(terms: Iterable[Term]) -> dict[str, set[float]]:
    amounts: dict[str, set[float]] = {}
    for term in terms:
        if term.amount is not None:
            amounts.setdefault(term.concept, set()).add(term.amount)
    return amounts


def _exact(terms: Iterable[Term]) -> set[tuple[str, bool]]:
    return {(term.concept, term.denied) for term in terms if term.concept in _EXACT}


def _condition_alone(claim: WordedClaim, other: WordedClaim) -> bool:
    """A condition that the other neither shares nor says itself."""
    known = {term.concept for term in (*other.conditions, *other.terms)}
    return any(term.concept not in known for term in claim.conditions)


def restates(claim: WordedClaim, other: WordedClaim) -> bool:
    """Whether a claim says nothing that the other does not, and turns nothing round."""
    meanings = {term.meaning for term in other.terms}
    return (
        bool(claim.terms)
        and all(term.meaning in meanings for term in claim.terms)
        and not _condition_alone(claim, other)
        and not _condition_alone(other, claim)
        and not any(_turned(a, b) for a, b in product(claim.clauses, other.clauses))
    )

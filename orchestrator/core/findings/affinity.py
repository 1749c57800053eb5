"""How near the claims of one discussion are to one another: what they are about, not whether they are the same.

Merging asks whether two claims are one (`sameness`), and says no when in doubt. Ranking asks how many voices speak
of a defect, and there a soft answer is worth more: cosines of weighted terms, in 0..1. A term weighs by how few of
the claims use it, against an assumed background of texts that do not (in one discussion even the defect's own words
are common). Half of the figure compares each claim together with its close neighbours, so that two claims which
share no word are near when both are near a third. Measured in docs/design/findings.md.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from shared.patterns import regex

BACKGROUND = 200  # texts about other things that a discussion's own claims are weighed against
NEIGHBOUR = 0.15  # cosine from which a claim is read together with another
CONTEXT = 0.5  # share of the figure that the neighbours decide
FAINT = 0.05  # below, two claims have nothing in common worth refining
PART = 0.5  # a word inside an identifier, next to a word of prose

_PIECE = regex(r"[^\W\d가-힣][^\W가-힣]*(?:(?:\.|::|->|#)[^\W\d가-힣][^\W가-힣]*)*|\d+|[가-힣]+")
_PATH = regex(r"\.|::|->|#")
_IDENTIFIER = regex(r"[_.#]|::|->|[a-z][A-Z]|[A-Z]{2}[a-z]|\d[A-Za-z]|[A-Za-z]\d")
_HUMP = regex(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_FILLER = frozenset(
    "a an and are as at be been being but by can could do does doing done for from had has have having he her his"
    " how i if in into is it its itself just may me might more most must my no nor not now of off on once only or"
    " other our out over own same shall she should so some such than that the their them then there these they this"
    " those through to too under until up very was we were what when where which while who whom why will with would"
    " you your also e.g i.e eg ie etc use used uses using via vs instead rather however since because due both each"
    " any all new potential potentially possible possibly likely lead leads leading cause causes causing result"
    " results resulting need needs consider line lines code issue".split()
)
# Endings and what stands for them; the first that leaves three letters is taken.
_ENDINGS = (
    *(("ization", "ize"), ("ational", "ate"), ("iveness", ""), ("fulness", ""), ("ousness", "")),
    *(("ically", "ic"), ("ations", "at"), ("ation", "at"), ("ingly", ""), ("edly", "")),
    *(("ities", "iti"), ("ments", "ment"), ("ness", ""), ("ions", "ion"), ("ies", "i")),
    *(("sses", "ss"), ("ing", ""), ("ed", ""), ("es", ""), ("ly", ""), ("s", ""), ("e", "")),
    ("y", "i"),
)
_SHORTEST_STEM = 3

_Vector = dict[str, float]
Affinity = tuple[
    dict[int, float], ...
]  # of each claim: the others that it has something in common with


def affinities(texts: Sequence[str]) -> Affinity:
    """Of each text, the texts that are near it and how near (0..1), itself (1) left out."""
    return _affinities(tuple(texts))


@lru_cache(maxsize=16)  # a page, its JSON and a what-if ask about the same findings again
def _affinities(texts: tuple[str, ...]) -> Affinity:
    plain = _vectors(texts)
    near = _cosines(plain)
    in_context = [_unit(_together(plain, index, near[index])) for index in range(len(plain))]
    refined: tuple[dict[int, float], ...] = tuple({} for _ in plain)
    for index, others in enumerate(near):
        for other, alike in others.items():
            if other > index:
                context = _dot(in_context[index], in_context[other])
                refined[index][other] = refined[other][index] = (
                    1 - CONTEXT
                ) * alike + CONTEXT * context
    return refined


def _vectors(texts: Sequence[str]) -> list[_Vector]:
    counted = [terms(text) for text in texts]
    spread = Counter(term for counts in counted for term, _ in counts)
    total = len(texts) + BACKGROUND + 1
    return [
        _unit({term: math.log(total / spread[term]) * math.sqrt(count) for term, count in counts})
        for counts in counted
    ]


def _cosines(vectors: Sequence[_Vector]) -> list[dict[int, float]]:
    """Pairs that share a term, from an index of terms: most pairs share none."""
    users: dict[str, list[tuple[int, float]]] = {}
    near: list[dict[int, float]] = [{} for _ in vectors]
    for index, vector in enumerate(vectors):
        dots: dict[int, float] = {}
        for term, weight in vector.items():
            for other, its in users.get(term, ()):
                dots[other] = dots.get(other, 0.0) + weight * its
            users.setdefault(term, []).append((index, weight))
        for other, dot in dots.items():
            if dot > FAINT:
                near[index][other] = near[other][index] = dot
    return near


def _together(vectors: Sequence[_Vector], index: int, near: dict[int, float]) -> _Vector:
    weights = {other: alike - NEIGHBOUR for other, alike in near.items() if alike > NEIGHBOUR}
    weights[index] = 1.0 - NEIGHBOUR
    summed: _Vector = {}
    for other in sorted(weights):
        for term, value in vectors[other].items():
            summed[term] = summed.get(term, 0.0) + weights[other] * value
    return summed


def _dot(vector: _Vector, other: _Vector) -> float:
    if len(vector) > len(other):
        vector, other = other, vector
    return sum(weight * other[term] for term, weight in vector.items() if term in other)


def _unit(vector: _Vector) -> _Vector:
    length = math.sqrt(sum(value * value for value in vector.values()))
    return {term: value / length for term, value in vector.items()} if length else {}


@lru_cache(maxsize=4096)
def terms(text: str) -> tuple[tuple[str, float], ...]:
    """What a text is about, with counts: stems of words, whole identifiers and their parts, Hangul pairs."""
    counts: dict[str, float] = {}
    for piece in _PIECE.findall(text):
        for term, count in _terms_of(piece):
            counts[term] = counts.get(term, 0.0) + count
    return tuple(counts.items())


def _terms_of(piece: str) -> list[tuple[str, float]]:
    if "가" <= piece[0] <= "힣":
        return [(piece[at : at + 2], 1.0) for at in range(max(1, len(piece) - 1))]
    if not _IDENTIFIER.search(piece):
        return _stems([piece], 1.0)
    counted: list[tuple[str, float]] = []
    for part in _PATH.split(piece):
        if _IDENTIFIER.search(part):
            counted.append((f"#{part.lower().replace('_', '')}", 1.0))
        counted += _stems(_HUMP.findall(part), PART)
    return counted


def _stems(words: Iterable[str], count: float) -> list[tuple[str, float]]:
    lowered = (word.lower() for word in words)
    return [(_stem(word), count) for word in lowered if len(word) > 1 and word not in _FILLER]


def _stem(word: str) -> str:
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            stem = word.removesuffix(ending) + instead
            doubled = len(stem) > _SHORTEST_STEM and stem[-1] == stem[-2] and stem[-1] not in "lsz"
            return stem[:-1] if doubled else stem
    return word

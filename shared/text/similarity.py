"""How alike texts are by their words, 0 to 1."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from shared.text.search_terms import search_terms


def similarities(text: str, others: Sequence[str]) -> list[float]:
    """The cosine of the tf-idf vectors of `text` and each of `others`, 0 (no word in common) to 1 (the same words).

    A term weighs (1 + ln of how often it is there) x ln(1 + N / the texts that have it), N being all the texts here
    with `text` among them (Manning, Raghavan and Schuetze, "Introduction to Information Retrieval", 2008, 6.4.1). So a
    figure is to be compared with others of the same call only.
    """
    counts = [Counter(search_terms(entry)) for entry in (text, *others)]
    frequency = Counter(term for count in counts for term in count)
    rarity = {term: math.log(1 + len(counts) / n) for term, n in frequency.items()}
    own, *rows = (_vector(count, rarity) for count in counts)
    return [cosine(own, row) for row in rows]


def nearest_texts(text: str, others: Sequence[str], count: int) -> list[tuple[int, float]]:
    """The places of the `count` texts that are most like `text`, and how alike they are, the most similar first.

    A text with the same words in the same order is `text` itself and no neighbour, whatever its blanks and capitals.
    """
    own = _plain(text)
    places = [place for place, other in enumerate(others) if _plain(other) != own]
    scores = similarities(text, [others[place] for place in places])
    ranked = sorted(zip(places, scores, strict=True), key=lambda row: (-row[1], row[0]))
    return ranked[:count]


def _vector(count: Mapping[str, int], rarity: Mapping[str, float]) -> dict[str, float]:
    return {term: (1 + math.log(n)) * rarity[term] for term, n in count.items()}


def cosine(left: Mapping[str, float], right: Mapping[str, float]) -> float:
    """The cosine of two vectors of non-negative weights; 0 where one is empty."""
    norms = _norm(left.values()) * _norm(right.values())
    product = sum(value * right[term] for term, value in left.items() if term in right)
    return min(1.0, product / norms) if norms else 0.0


def _norm(values: Iterable[float]) -> float:
    return math.sqrt(sum(value * value for value in values))


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()

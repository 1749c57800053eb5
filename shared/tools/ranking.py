"""Which tools fit a question best, by what their cards say: retrieval over the cards."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

from shared.text.search_terms import search_terms
from shared.text.similarity import cosine
from shared.tools.card import ToolCard

NAME_WEIGHT = 2.0
"""A word of a tool's name counts as two of its purpose."""


def rank_cards(query: str, cards: Iterable[ToolCard]) -> list[tuple[ToolCard, float]]:
    """The cards with how well each fits `query`, 0 to 1, the best first; equal ones stay in their order.

    The cosine of term weights, where a term that fewer cards have counts for more (tf-idf; Salton and Buckley, 1988).
    Pure: the same cards and query give the same order. Cards are in English, so a query in another language
    has to name things in English as well.
    """
    rows = list(cards)
    described = [_described(card) for card in rows]
    frequency = Counter(term for terms in described for term in terms)
    weight = {term: math.log(1 + len(rows) / count) for term, count in frequency.items()}
    asked = Counter(term for term in search_terms(_words(query)) if term in weight)
    scores = [_cosine(asked, terms, weight) for terms in described]
    order = sorted(range(len(rows)), key=lambda place: -scores[place])
    return [(rows[place], scores[place]) for place in order]


def _described(card: ToolCard) -> dict[str, float]:
    terms: Counter[str] = Counter(search_terms(card.purpose))
    weights: dict[str, float] = dict(terms)
    for term in set(search_terms(_words(card.name))):
        weights[term] = weights.get(term, 0.0) + NAME_WEIGHT
    return weights


def _words(name: str) -> str:
    return name.replace("_", " ").replace(".", " ")


def _cosine(asked: Counter[str], terms: dict[str, float], weight: dict[str, float]) -> float:
    left = {term: count * weight[term] for term, count in asked.items()}
    return cosine(left, {term: count * weight[term] for term, count in terms.items()})

"""How alike two texts are: by words, by character pairs where words inflect, and by their negations."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from orchestrator.core.findings.cues import KO_NEGATION, NEGATORS, clauses, negated_at, prose
from shared.patterns import regex
from shared.text.bounded_cache import kept_by_texts

# Hangul, kana and Han: particles are glued to words or there are no spaces, so pairs of characters compare.
_PAIRED = "\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
_PIECE = regex(rf"[{_PAIRED}]+|[^\W{_PAIRED}_]+")
_PAIRED_START = regex(rf"[{_PAIRED}]")
SHORTEST_WORD = 3
POLARITY_PENALTY = 0.5


@dataclass(frozen=True)
class _Polarity:
    plain: frozenset[str]
    negated: frozenset[str]
    negators: int


@dataclass(frozen=True)
class _Read:
    tokens: frozenset[str]
    polarity: _Polarity


# What a sentence can do without. Signs that change what is said stay: C++ and C#, 1.5 and 15, -5, < and >, !=.
_DISPENSABLE = regex(
    r"[\s\"'`\u2018\u2019\u201c\u201d()\[\]{}*_;?\u00ad\u200b-\u200f\u2010-\u2015\u2060\ufeff\u3001\u3002\u00b7]"
    r"|!(?!=)|(?<!\d)[.,:]|[.,:](?!\d)|(?<=\w)-|-(?!\d)"
)


def letters(text: str) -> str:
    """A text as it is compared letter by letter: without case, spacing and punctuation that says nothing."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return _DISPENSABLE.sub("", folded) or folded.strip()


def tokens(text: str) -> frozenset[str]:
    """Words of three letters or more, every number and negator, and character pairs of Hangul, kana, Han."""
    parts: set[str] = set()
    for piece in _PIECE.findall(text.lower()):
        if _PAIRED_START.match(piece):
            pairs = {piece[at : at + 2] for at in range(len(piece) - 1)}
            parts |= pairs or {piece}
        elif len(piece) >= SHORTEST_WORD or piece.isdigit() or piece in NEGATORS:
            parts.add(piece)
    return frozenset(parts)


def similarity(a: str, b: str) -> float | None:
    """Jaccard similarity of two texts' tokens, halved when a negation came, went or moved.

    Only the speakers' own prose counts (see `cues.prose`). None when one of them has none: nothing to compare.
    """
    left, right = _read(a), _read(b)
    if not left.tokens or not right.tokens:
        return None
    jaccard = len(left.tokens & right.tokens) / len(left.tokens | right.tokens)
    same = _same_polarity(left.polarity, right.polarity)
    return jaccard if same else jaccard * POLARITY_PENALTY


# A turn is compared with many others, and again after every round.
@kept_by_texts(32_000_000, times=12)
def _read(text: str) -> _Read:
    own = prose(text)
    return _Read(tokens(own), _polarity(own))


def _polarity(text: str) -> _Polarity:
    plain: set[str] = set()
    negated: set[str] = set()
    negators = len(KO_NEGATION.findall(text))
    for words in clauses(text):
        for index, word in enumerate(words):
            if word in NEGATORS:
                negators += 1
            elif len(word) >= SHORTEST_WORD:
                (negated if negated_at(words, index) else plain).add(word)
    return _Polarity(frozenset(plain), frozenset(negated), negators)


def _same_polarity(a: _Polarity, b: _Polarity) -> bool:
    if a.negators != b.negators:
        return False
    shared = (a.plain | a.negated) & (b.plain | b.negated)
    return a.plain & shared == b.plain & shared and a.negated & shared == b.negated & shared

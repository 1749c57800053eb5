"""Do two claims say the opposite of each other, in almost the same words?

"X is validated" and "X is not validated" differ in one word and in everything that matters: they must never
become one finding. A shared word that is plain in one text and negated in the other, while no shared word
is negated in both, makes them opposites. Taking too much for opposites only leaves two findings where one would
do. docs/design/findings.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain

from orchestrator.core.findings.cues import KO_NEGATION, NEGATORS, clauses, negated_at
from shared.patterns import regex
from shared.text.bounded_cache import kept_by_texts

LACK_REACH = 3  # words on either side of "missing": "missing input check", "input check is missing"
ALMOST_ALL = 0.8  # of the shorter text's words
LONGEST_COMPARED = 60  # words; a longer text has too many clauses to be one statement

_LACKS = frozenset(
    "missing misses lacking lacks lack absent absence omitted omits skipped skips forgotten".split()
)
# "encoding not specified" is the absence of an encoding, just as "missing encoding" is.
_PRESENT = frozenset(
    "specified given set present provided passed used found defined done there".split()
)
_LACK_COMPLEMENTS = frozenset({"is", "are", "was", "were", "be", "of", "the", "a", "an", "any"})
_PREFIXES = ("un", "in", "im", "ir", "il", "non", "dis")
_SUFFIXES = (
    *("ations", "ation", "ating", "ated", "ates", "ators", "ator", "ate"),
    *("ings", "ing", "ions", "ion", "ised", "ized", "ed", "es", "s", "e"),
)
_SHORTEST_WORD = 3
_SHORTEST_STEM = 4
_KO_WORD = regex(r"[가-힣]+")
_KO_LACK = regex(r"누락|부재|빠[졌져진짐]|생략")
_KO_BEFORE = regex(r"안|못|미")
_KO_STEM = 2  # syllables: particles and endings follow
# Words that are themselves the negation of the one before them.
_KO_NEGATES = regex(r"않|못|없|아니|아닙|아닌|누락|부재|빠[졌져진짐]|생략|안$|미$")


@dataclass(frozen=True)
class _Stated:
    plain: frozenset[str]
    negated: frozenset[str]
    prefixed: frozenset[str]  # of the plain ones: what may be another word's negation
    words: int


def opposed(a: str, b: str) -> bool:
    """True when what the one states the other denies."""
    left, right = _stated(a), _stated(b)
    if max(left.words, right.words) > LONGEST_COMPARED:
        return False
    left, right = _without_prefixes(left, right), _without_prefixes(right, left)
    if left.negated & right.negated or not _nearly_the_same_words(left, right):
        return False
    return bool(left.plain & right.negated or left.negated & right.plain)


def _nearly_the_same_words(left: _Stated, right: _Stated) -> bool:
    """Longer texts on one subject negate this and that; only close wordings can be each other's opposite."""
    mine, yours = left.plain | left.negated, right.plain | right.negated
    return len(mine & yours) >= ALMOST_ALL * min(len(mine), len(yours))


def _without_prefixes(left: _Stated, right: _Stated) -> _Stated:
    """`unvalidated` compared with a text that says `validated` is that word, negated."""
    other = right.plain | right.negated
    denials = {
        word: word.removeprefix(prefix)
        for word in left.prefixed - other
        for prefix in _PREFIXES
        if word.startswith(prefix) and word.removeprefix(prefix) in other
    }
    if not denials:
        return left
    negated = left.negated | set(denials.values())
    return replace(left, plain=left.plain - denials.keys(), negated=negated)


@kept_by_texts(8_000_000, times=4)
def _stated(text: str) -> _Stated:
    # Identifiers are words here: `user_id` and `userId` must not fall apart into what negation reaches.
    english = list(clauses(text.replace("_", "")))
    korean = list(_korean(text))
    stems = [*chain.from_iterable(map(_english, english)), *korean]
    plain = frozenset(stem for stem, denied in stems if not denied)
    negated = frozenset(stem for stem, denied in stems if denied)
    # A word that occurs both ways in one text says nothing about what the text states.
    stated = plain - negated
    prefixed = frozenset(word for word in stated if word.startswith(_PREFIXES))
    return _Stated(stated, negated - plain, prefixed, sum(map(len, english)) + len(korean))


def _english(words: list[str]) -> Iterator[tuple[str, bool]]:
    """The word stems of a clause, each with whether it is negated or missing."""
    for index, word in enumerate(words):
        if word not in NEGATORS and word not in _LACKS and len(word) >= _SHORTEST_WORD:
            yield _stem(word), negated_at(words, index) != _lacking(words, index)


def _lacking(words: list[str], index: int) -> bool:
    """Whether the word is what is missing: directly before "is missing", or shortly after "missing"."""
    before = words[max(0, index - LACK_REACH) : index]
    after = [word for word in words[index + 1 :] if word not in _LACK_COMPLEMENTS][:2]
    absent = len(after) == 2 and after[0] in NEGATORS and after[1] in _PRESENT
    return bool(_LACKS.intersection(before)) or absent or bool(after and after[0] in _LACKS)


def _stem(word: str) -> str:
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _SHORTEST_STEM:
            return word.removesuffix(suffix)
    return word


def _korean(text: str) -> Iterator[tuple[str, bool]]:
    """Word stems of two syllables, each with whether there is a negation in it, before it or right after it."""
    words = _KO_WORD.findall(text)
    for index, word in enumerate(words):
        if _KO_NEGATES.match(word):
            continue
        following = words[index + 1] if index + 1 < len(words) else ""
        preceding = words[index - 1] if index else ""
        inside = bool(KO_NEGATION.search(word) or _KO_LACK.search(word))
        denied = inside or bool(_KO_NEGATES.match(following) or _KO_BEFORE.fullmatch(preceding))
        if len(word) >= _KO_STEM:
            yield word[:_KO_STEM], denied

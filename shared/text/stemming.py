"""English words without their endings: `diabetic` and `diabetes` are `diabet`.

M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980, as published. It is ours because the ranking in
memory and the one in Postgres must be the same, whatever dictionaries a server has.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

_STEP_2 = {
    "ational": "ate",
    "tional": "tion",
    "enci": "ence",
    "anci": "ance",
    "izer": "ize",
    "abli": "able",
    "alli": "al",
    "entli": "ent",
    "eli": "e",
    "ousli": "ous",
    "ization": "ize",
    "ation": "ate",
    "ator": "ate",
    "alism": "al",
    "iveness": "ive",
    "fulness": "ful",
    "ousness": "ous",
    "aliti": "al",
    "iviti": "ive",
    "biliti": "ble",
}
_STEP_3 = {
    "icate": "ic",
    "ative": "",
    "alize": "al",
    "iciti": "ic",
    "ical": "ic",
    "ful": "",
    "ness": "",
}
_STEP_4 = dict.fromkeys(
    "al ance ence er ic able ible ant ement ment ent sion tion ou ism ate iti ous ive ize".split(),
    "",
) | {"sion": "s", "tion": "t"}
_LONGEST = 7


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The stem of a lower-case English word; words of up to two letters are returned as they are."""
    if len(word) <= 2:
        return word
    word = _without_past(_without_plural(word))
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _replaced(word, _STEP_2, 1)
    word = _replaced(word, _STEP_3, 1)
    word = _replaced(word, _STEP_4, 2)
    return _tidied(word)


def _without_plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _without_past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        rest = word.removesuffix(ending)
        if rest != word:
            return _repaired(rest) if _has_vowel(rest) else word
    return word


def _repaired(rest: str) -> str:
    """What stood before `-ed` or `-ing`, as the word is written without it."""
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if _ends_double(rest) and rest[-1] not in "lsz":
        return rest[:-1]
    return rest + "e" if _measure(rest) == 1 and _ends_short(rest) else rest


def _replaced(word: str, endings: Mapping[str, str], least: int) -> str:
    """`word` with its longest ending replaced, where the stem before it has a measure of at least `least`."""
    for length in range(min(_LONGEST, len(word)), 1, -1):
        ending = endings.get(word[-length:])
        if ending is not None:
            # A letter that a replacement keeps belongs to the stem ("adopt-ion", not "adop-tion").
            rest = word[: len(word) - length] + ending
            measured = rest if ending in ("s", "t") else word[: len(word) - length]
            return rest if _measure(measured) >= least else word
    return word


def _tidied(word: str) -> str:
    if word.endswith("e"):
        measure = _measure(word[:-1])
        if measure > 1 or (measure == 1 and not _ends_short(word[:-1])):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word


def _shape(word: str) -> str:
    """Vowels as `v`, consonants as `c`; a `y` after a consonant is a vowel."""
    shape = ""
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and shape.endswith("c"))
        shape += "v" if vowel else "c"
    return shape


def _measure(word: str) -> int:
    """How often a consonant follows a vowel: Porter's m."""
    return len(_shape(word).split("vc")) - 1


def _has_vowel(word: str) -> bool:
    return "v" in _shape(word)


def _ends_double(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _shape(word)[-1] == "c"


def _ends_short(word: str) -> bool:
    """Consonant, vowel, consonant, the last one neither w, x nor y: Porter's *o."""
    return _shape(word)[-3:] == "cvc" and word[-1] not in "wxy"

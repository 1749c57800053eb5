"""Korean particles after a word or a number: `{who:은/는}` in a catalogue is the word with the form that it takes."""

from __future__ import annotations

_FIRST_SYLLABLE, _LAST_SYLLABLE, _TAILS = 0xAC00, 0xD7A3, 28
_RIEUL = 8
_DIGITS_THAT_END_IN_A_CONSONANT = "013678"
_DIGITS_THAT_END_IN_RIEUL = "178"
_VOWELS = "aeiouy"


def with_particle(word: str, forms: str) -> str:
    """`word` and that of `forms` that follows it: the first after a consonant, the second after a vowel.

    `으로/로` has its second form after ㄹ, too. Latin letters are read as Koreans read English words; of what cannot
    be read both forms are written: `을(를)`.
    """
    after_consonant, after_vowel = forms.split("/")
    sound = _final_sound(word)
    if sound is None:
        return f"{word}{after_consonant}({after_vowel})"
    closed = sound != "" and not (sound == "ㄹ" and after_consonant == "으로")
    return f"{word}{after_consonant if closed else after_vowel}"


def _final_sound(word: str) -> str | None:
    """How a word ends: `ㄹ`, another consonant, nothing for a vowel; None where nobody can say."""
    letters = [letter for letter in word.lower() if letter.isalnum()]
    if not letters:
        return None
    last, before = letters[-1], "".join(letters[-2:-1])
    if _FIRST_SYLLABLE <= ord(last) <= _LAST_SYLLABLE:
        tail = (ord(last) - _FIRST_SYLLABLE) % _TAILS
        return "ㄹ" if tail == _RIEUL else "ㄱ" * bool(tail)
    if last in _DIGITS_THAT_END_IN_RIEUL:
        return "ㄹ"
    if last.isdigit():
        return "ㄱ" * (last in _DIGITS_THAT_END_IN_A_CONSONANT)
    return _sound_of_latin(last, before) if last.isascii() else None


def _sound_of_latin(last: str, before: str) -> str:
    """`l`, `m`, `n`, `ng` close a syllable, also before a silent `e`, and `b`, `c`, `k`, `p`, `t` after a vowel.

    git is 깃, file 파일, line 라인, agent 에이전트.
    """
    if last == "l" or before + last == "le":
        return "ㄹ"
    if before + last in ("me", "ne"):
        return "ㄱ"
    closes = last in "mn" or before + last == "ng" or (last in "bckpt" and before in _VOWELS)
    return "ㄱ" * (closes and before != "")

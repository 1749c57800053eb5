"""Letters that look like others, and characters that nobody sees: what hides in a text from its readers.

Prompts show the unseen ones (shared/text/rendering.py), markers and code words are found under look-alikes (there
and in workers/turns/canary.py), and quotations are compared without both (orchestrator/core/findings/quotations.py).
"""

from __future__ import annotations

import functools
import re
import unicodedata

from shared.patterns import regex

# Where Unicode has other forms of Latin letters and digits, and digits of other scripts.
_FORMS = ((0x80, 0xFFFF), (0x1D400, 0x1D7FF), (0x1F100, 0x1F1FF), (0x1FBF0, 0x1FBF9))
# Letters that NFKC keeps apart and an eye does not (Unicode's confusables): Cyrillic small and capital, Greek small and
# capital, small capitals.
_CONFUSED = (
    ("\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u051b\u051d\u04bb\u04cf", "aeopcyxijsdqwhl"),
    ("\u0432\u043a\u043c\u043d\u0442", "bkmht"),
    ("\u0410\u0415\u041e\u0420\u0421\u0423\u0425\u0406\u0408\u0405\u0412\u041a\u041c\u041d\u0422", "AEOPCYXIJSBKMHT"),
    ("\u03b1\u03b5\u03bf\u03c1\u03bd\u03c4\u03c5\u03b9\u03ba", "aeopvtuik"),
    ("\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7", "ABEZHIKMNOPTYX"),
    ("\u1d00\u0299\u1d04\u1d05\u1d07\ua730\u0262\u029c\u026a\u1d0a\u1d0b\u029f\u1d0d", "abcdefghijklm"),
    ("\u0251\u0261\u0581\u0578\u0570\u0585\u0566\u057d", "aggnhoqu"),
    ("\u0274\u1d0f\u1d18\u0280\ua731\u1d1b\u1d1c\u1d20\u1d21\u028f\u1d22\u0131", "noprstuvwyzi"),
)  # fmt: skip

# C0 except tab and newline, DEL, C1, soft hyphen, Hangul fillers, zero width, direction, separators, blank Braille,
# Khmer and musical signs without a form, noncharacters, surrogates, the tag block and variation selectors.
_ALWAYS = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
    "\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0e\ufeff\uffa0\ufdd0-\ufdef\ufff0-\ufffc\ufffe\uffff\ud800-\udfff"
    "\U0001d159\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# Blanks that are not the plain one, joiners and fillers of rare scripts, other signs of format, and private letters,
# which a font may leave empty.
_BLANKS = (
    "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2"
    "\u2d7f\ue000-\uf8ff\U0001107f\U00016fe4\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U000f0000-\U0010ffff"
)
# Joiners and the emoji selector: scripts and emoji need one where it stands; several in a row can carry a text.
_JOINERS = "\u200c\u200d\ufe0f"

UNSEEN = regex(rf"[{_ALWAYS}]|(?<=[{_JOINERS}])[\u200c\ufe0f]|(?<=[\u200c\u200d])\u200d")
"""Characters that a reader does not see, and that no honest text needs there."""

NOT_COMPARED = regex(rf"[{_ALWAYS}{_JOINERS}]|<U\+[0-9A-F]{{4,6}}>")
"""The same and the joiners, also as prompts spell them."""


_HIDDEN_IN_CODE = regex(rf"[{_ALWAYS}{_JOINERS}{_BLANKS}]")
# Both begin where a run begins: tried from every place in it, a long one would take minutes.
_TRAILING = regex(r"(?<![ \t])[ \t]++$", re.MULTILINE)
_WORDS = regex(r"\w++")
_LATIN = regex("[A-Za-z]")
# Whose letters have Latin forms, by what Unicode's names begin with: a word that mixes both is a disguise.
_ALIKE_SCRIPTS = (
    *("ARMENIAN", "CHEROKEE", "COPTIC", "LISU", "DESERET", "OLD ITALIC", "GOTHIC", "CARIAN", "LYCIAN", "LYDIAN"),
    *("CANADIAN SYLLABICS", "TIFINAGH", "OSAGE", "WARANG CITI", "VAI", "LATIN LETTER", "LATIN SMALL LETTER IOTA"),
)  # fmt: skip


def spelled(character: str) -> str:
    """A character as people can read it: <U+XXXX>."""
    return f"<U+{ord(character):04X}>"


def spelled_out(code: str) -> str:
    """Code as it has to be shown to the person who approves it: what a reader could miss is written as <U+XXXX>.

    Beside unseen characters these are joiners, other blanks, blanks at a line's end, and letters that look like
    Latin ones in a word that also has Latin letters. Newlines and tabs within a line stay.
    """
    code = _HIDDEN_IN_CODE.sub(lambda match: spelled(match.group()), code)
    code = _TRAILING.sub(lambda match: "".join(map(spelled, match.group())), code)
    return _WORDS.sub(lambda match: _without_doubles(match.group()), code)


def _without_doubles(word: str) -> str:
    if word.isascii() or _LATIN.search(word) is None:
        return word
    return "".join(
        letter if letter == plain and not _is_disguised(letter) else spelled(letter)
        for letter, plain in zip(word, plain_letters(word), strict=True)
    )


@functools.lru_cache(maxsize=4096)
def _is_disguised(letter: str) -> bool:
    if letter.isascii():
        return False
    return unicodedata.name(letter, "").startswith(_ALIKE_SCRIPTS)


def looking_alike(text: str) -> str:
    """The text in small letters, one for one, so that places stay; every letter as the plain one that it looks like."""
    small = text.lower()
    if text.isascii() or (len(small) == len(text) and _alike().isdisjoint(text)):
        return small
    return text.translate(_small())


def plain_letters(text: str) -> str:
    """The text with plain letters and digits for those that look like them, one for one, capitals as capitals."""
    return text if text.isascii() or _alike().isdisjoint(text) else text.translate(_plain())


@functools.lru_cache(maxsize=1)
def _alike() -> frozenset[str]:
    return frozenset(map(chr, _plain()))


@functools.lru_cache(maxsize=1)
def _small() -> dict[int, str]:
    capitals = {code: chr(code).lower() for code in range(0x41, 0x5B)}
    return capitals | {code: plain.lower() for code, plain in _plain().items()}


@functools.lru_cache(maxsize=1)
def _plain() -> dict[int, str]:
    """Letters and digits that are plain ones after NFKC, look like one, or are digits of another script."""
    plain_forms = {}
    for first, last in _FORMS:
        for code in range(first, last + 1):
            plain = unicodedata.normalize("NFKC", chr(code))
            if len(plain) == 1 and plain.isascii() and plain.isalnum():
                plain_forms[code] = plain
            elif (digit := unicodedata.decimal(chr(code), None)) is not None:
                plain_forms[code] = str(digit)
    for others, letters in _CONFUSED:
        plain_forms |= dict(zip(map(ord, others), letters, strict=True))
    return plain_forms

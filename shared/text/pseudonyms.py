"""Words that stand for others: of the same length and kind, the same one for the same word, and nobody knows for which.

Texts keep their structure (lines, blanks, punctuation, capitals), and two texts that are alike stay alike: what
compares texts finds the same. The key is drawn for one use and thrown away.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Container

from shared.patterns import regex

_WORD = regex(r"[^\W\d_]+|\d+")
_HEX = regex(r"[0-9a-f]{7,128}")
_BLANK = regex(r"\$\w+|\$?\{\w+\}")
"""A blank of a template."""
_PATCH = regex(
    r"(?m)^(?:@@ [-+0-9, ]+ @@|(?:---|\+\+\+) (?:[ab]/|/dev/null)|(?:new|deleted|old) (?:file )?mode \d+"
    r"|(?:rename|copy) (?:from|to) |similarity index \d+%|diff --git a/|index [0-9a-f]+\.\.[0-9a-f]+)| b/"
)
"""What tells a patch from another text."""
_LOWER = "abcdefghijklmnopqrstuvwxyz"
_HANGUL, _SYLLABLES = 0xAC00, 11_172


class Pseudonyms:
    """One way to replace words, for one use."""

    def __init__(self, key: bytes | None = None) -> None:
        """A `key` is for tests."""
        self._key = key or secrets.token_bytes(32)
        self._known: dict[str, str] = {}

    def word(self, word: str) -> str:
        """What stands for a word."""
        if word not in self._known:
            self._known[word] = self._made(word)
        return self._known[word]

    def digest(self, text: str) -> str:
        """What stands for a hash or a commit: as many hexadecimal digits."""
        made = hmac.new(self._key, text.encode(errors="replace"), hashlib.sha512).hexdigest()
        return made[: len(text)]

    def text(self, text: str, kept: Container[str] = ()) -> str:
        """A text with all its words and numbers replaced, except those that are `kept`.

        The blanks of templates and the frame of a patch stay.
        """
        if _HEX.fullmatch(text) and not text.isdigit():
            return self.digest(text)
        spans = [found.span() for found in (*_BLANK.finditer(text), *_PATCH.finditer(text))]
        parts, at = [], 0
        for start, stop in sorted(spans):
            if start >= at:
                parts += [self._words(text[at:start], kept), text[start:stop]]
                at = stop
        return "".join([*parts, self._words(text[at:], kept)])

    def _words(self, text: str, kept: Container[str]) -> str:
        return _WORD.sub(lambda found: found[0] if found[0] in kept else self.word(found[0]), text)

    def _made(self, word: str) -> str:
        # The same word in other letters has the same pseudonym in other letters.
        seed = hmac.new(self._key, word.lower().encode(errors="replace"), hashlib.sha256).digest()
        stream = hashlib.shake_256(seed).digest(2 * len(word))
        draws = (int.from_bytes(stream[2 * n : 2 * n + 2], "big") for n in range(len(word)))
        return "".join(_like(letter, draw) for letter, draw in zip(word, draws, strict=True))


def _like(letter: str, draw: int) -> str:
    """A letter of the same kind."""
    if letter.isdigit():
        return str(draw % 10)
    if _HANGUL <= ord(letter) < _HANGUL + _SYLLABLES:
        return chr(_HANGUL + draw % _SYLLABLES)
    drawn = _LOWER[draw % len(_LOWER)]
    return drawn.upper() if letter.isupper() else drawn

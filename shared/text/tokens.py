"""How many tokens a text has, before anybody has counted them."""

from __future__ import annotations

CHARS_PER_TOKEN = 4.0
TOKENS_PER_WIDE_CHAR = 1.0


def estimated_tokens(text: str) -> int:
    """A quarter token for an ASCII character, a whole one for any other.

    Korean, Chinese and Japanese take about one token a character (0.6 with the newest tokenizers): the estimate errs
    on the side of more. It is corrected as soon as the provider has counted.
    """
    plain = len(text.encode("ascii", "ignore"))
    wide = len(text) - plain
    return int(plain / CHARS_PER_TOKEN + wide * TOKENS_PER_WIDE_CHAR) + 1

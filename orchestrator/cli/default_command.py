"""`quorate "question"`: when what was typed is a question, and when it is a mistyped command.

A question has a space, a question mark, or letters beyond ASCII: `quorate "why?"`. Several words without quotation
marks are one too, unless the first one is a command, or a letter away from one. A single plain word is no question:
whoever typed `quorate satrt` should not pay for an answer.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from difflib import get_close_matches
from itertools import takewhile

ASK = "ask"
IMPLICIT = "quorate.implicit"
"""In click's `meta`: nobody typed `ask`."""

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_FEWEST_LETTERS = 4


def leading_words(arguments: Sequence[str]) -> list[str]:
    """What stands before the first option; a lone `-` is a word."""
    return list(takewhile(lambda one: one == "-" or not one.startswith("-"), arguments))


def objection(words: Sequence[str], commands: Collection[str]) -> str | None:
    """Why `words`, typed without a command, are not asked; None when they are a question or nothing."""
    if not words or not _PLAIN.fullmatch(words[0]):
        return None
    first, rest = words[0], words[1:]
    ask = f"To ask it as a question: `quorate {ASK} {first}{' ...' if rest else ''}`."
    if first in commands:
        return (
            f"{first!r} is a command, and its options come after it: `quorate {first} ...`. {ask}"
        )
    if not rest:
        near = get_close_matches(first, commands, n=1, cutoff=0.6)
        hint = f" Did you mean `quorate {near[0]}`?" if near else ""
        return f"There is no command {first!r}.{hint} {ask}"
    typo = next((one for one in commands if _is_typo(first, one)), None)
    return (
        None
        if typo is None
        else f"There is no command {first!r}. Did you mean `quorate {typo}`? {ask}"
    )


def _is_typo(word: str, command: str) -> bool:
    """One letter more, less, other, or two neighbours exchanged; short words are too much alike for that."""
    if min(len(word), len(command)) < _FEWEST_LETTERS or abs(len(word) - len(command)) > 1:
        return False
    start = next((n for n, (a, b) in enumerate(zip(word, command, strict=False)) if a != b), None)
    if start is None:
        return True
    ours, theirs = word[start:], command[start:]
    swapped = ours[1:2] + ours[:1] == theirs[:2] and ours[2:] == theirs[2:]
    return swapped or ours[1:] == theirs[1:] or ours[1:] == theirs or ours == theirs[1:]

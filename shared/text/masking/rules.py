"""One kind of secret as a pattern; the tables are in `patterns.py` and `services.py`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class MaskingRule:
    """One kind of secret: `pattern` is matched where a word of `words` begins.

    Group 1 is what is hidden, the whole match without one.
    """

    kind: str
    words: tuple[str, ...]
    pattern: re.Pattern[str]
    accepts: Callable[[str], bool] | None = None
    in_run: bool = False
    """The word is in a run of at least `runs.SHORTEST` characters wherever the pattern matches."""


def rule(
    kind: str, words: str, pattern: str, accepts: Callable[[str], bool] | None = None
) -> MaskingRule:
    # ASCII: a Korean particle may follow a token directly and ends it.
    return MaskingRule(kind, tuple(words.split()), re.compile(pattern, re.ASCII), accepts)


def token(
    kind: str, words: str, pattern: str, accepts: Callable[[str], bool] | None = None
) -> MaskingRule:
    """A rule that is only tried within runs of characters that tokens are made of: most of a text has none."""
    return replace(rule(kind, words, pattern, accepts), in_run=True)


# The edge of a run of letters, digits, underscores and hyphens.
EDGE = r"(?<![\w-])"

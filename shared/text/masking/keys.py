"""Private key blocks: their bodies are hidden, and nothing that only stands between two such lines.

Someone who writes `BEGIN PRIVATE KEY` above code and `END` below it must not hide the code from its reviewers: within a
block only what looks like base64 is hidden.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from shared.patterns import regex

PRIVATE_KEY = "private-key"

_KEY_BEGINS = regex(
    r"-----BEGIN (?:[A-Z0-9]{2,12} ){0,2}PRIVATE KEY(?: BLOCK)?-----|^[ +-]?Private-Lines: \d{1,3}",
    re.MULTILINE,
)
_KEY_ENDS = regex(r"-----END |Private-MAC: ")
_LONGEST_KEY = 20_000
_KEY_LINE = regex(r"[^\n]{0,10}?[A-Za-z0-9+/=]{16,100}\\?[\"']?[,+\\]?[ \t\r]*(?:\n|$)")
# A whole line of a body, the last and short one of a body, and a body in one line of code with its ends escaped.
_RUN = regex(r"[A-Za-z0-9/][A-Za-z0-9+/]{31,}={0,2}|(?<=\\n)[A-Za-z0-9+/]{2,31}={0,2}(?=\\|-|\Z)")
_LAST = regex(
    r"(?<=\n)([ \t+-]*[\"']?)([A-Za-z0-9+/]{2,31}={0,2}|=[A-Za-z0-9+/]{4})(?=(?:\\n)?[\"']?[ \t\r,+]*\n?\Z)"
)
_FEWEST_KINDS = 2  # of small letters, capitals, digits and signs: a key's line has more


def find_private_keys(text: str) -> Iterator[tuple[int, int]]:
    """The stretches between the lines of keys; of one without an end, the lines that look like a body."""
    begin = _KEY_BEGINS.search(text)
    ends = [] if begin is None else [end.start() for end in _KEY_ENDS.finditer(text)]
    while begin is not None:
        start = begin.end()
        body = text[start : _body_end(text, start, ends)].rstrip("\n+- \t\r")
        end = start + len(body)
        if hide_body(body, "") != body:
            yield start, end
        begin = _KEY_BEGINS.search(text, end)


def _body_end(text: str, start: int, ends: Sequence[int]) -> int:
    at = bisect_left(ends, start)
    if at < len(ends) and ends[at] <= start + _LONGEST_KEY:
        return ends[at]
    end = start
    line = _KEY_LINE.match(text, start + (text[start : start + 1] == "\n"))
    while line is not None and line.end() > end:
        end = line.end()
        line = _KEY_LINE.match(text, end)
    return end


def hide_body(body: str, shown: str) -> str:
    """The stretch with `shown` for what looks like a key; lines stay lines."""
    hidden = _RUN.sub(lambda run: shown if _is_key(run[0]) else run[0], body)
    return hidden if hidden == body else _LAST.sub(lambda line: line[1] + shown, hidden)


def _is_key(run: str) -> bool:
    if len(run) < 32:
        return True
    kinds = (
        any(letter.islower() for letter in run),
        any(letter.isupper() for letter in run),
        any(not letter.isalpha() for letter in run),
    )
    return sum(kinds) > _FEWEST_KINDS

"""What a TOML text may look like before it is given to a parser.

`tomllib` keeps every beginning of a dotted key: a key of 40,000 parts, 80 kB, takes 6 GB; and it calls itself for every
bracket. So parts and depth are counted first, by a pattern that is linear in the text and knows strings and comments.
"""

from __future__ import annotations

import re

from shared.patterns import regex

MAX_KEY_PARTS = 50
MAX_DEPTH = 100

# Strings without their end reach to the line's or the text's end, where the parser stops as well.
_STRING = (
    r'"""(?:[^"\\]++|\\.|"(?!""))*+(?:"{3,5})?'
    r"|'''(?:[^']++|'(?!''))*+(?:'{3,5})?"
    r'|"(?:[^"\\\n]++|\\.)*+"?'
    r"|'[^'\n]*+'?"
)
_TOKEN = regex(
    rf"(?P<part>(?:{_STRING}|[\w+:-]++))|(?P<sign>[.\[\]{{}}])|(?P<end>\n)|#[^\n]*+", re.DOTALL
)


class TomlTooLargeError(ValueError):
    """A key with too many parts, or values nested too deep; `line` is where."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(f"{message} (at line {line})")
        self.line = line


def check_toml(text: str, parts: int = MAX_KEY_PARTS, depth: int = MAX_DEPTH) -> None:
    """Raises TomlTooLargeError for what no one writes by hand and a parser pays dearly for."""
    line, dots, open_brackets = 1, 0, 0
    after_dot = False
    for token in _TOKEN.finditer(text):
        sign = token.group("sign")
        if sign == ".":
            dots, after_dot = dots + 1, True
            if dots >= parts:
                raise TomlTooLargeError(f"a key of more than {parts} parts", line)
            continue
        if token.group("part") is None or not after_dot:
            dots = 0
        after_dot = False
        if sign is not None:
            open_brackets += 1 if sign in "[{" else -1
            if open_brackets > depth:
                raise TomlTooLargeError(f"more than {depth} values in one another", line)
        if token.group("end") is not None:
            open_brackets = max(open_brackets, 0)
        line += token.group().count("\n")

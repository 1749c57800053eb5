"""The table [tool.quorate] of a TOML text that a stranger wrote: looked through before it is parsed.

tomllib keeps a dictionary for every part of a dotted key and calls itself for every bracket: a line of 80 kB could
take 6 GB, and 1,000 brackets the whole stack. So the text is scanned once, by a pattern that never goes back, and
refused before.
"""

from __future__ import annotations

import re
import tomllib
from typing import Any

from orchestrator.settings.trees import (
    MAX_DEPTH,
    MAX_KEY,
    MAX_KEYS,
    MAX_NODES,
    Position,
    Tree,
    unusable,
)
from shared.errors import ConfigurationError

MAX_PARTS = 12

_TABLE = ("tool", "quorate")
_TOKEN = re.compile(
    r"""
      \#[^\n]*+
    | \"{3}(?:[^"\\]|\\.|"(?!""))*+(?:"{3,5}|\Z)
    | '{3}(?:[^']|'(?!''))*+(?:'{3,5}|\Z)
    | "(?:[^"\\\n]|\\[^\n])*+"?
    | '[^'\n]*+'?
    | (?P<open>[\[{]) | (?P<close>[\]}]) | (?P<dot>\.) | (?P<end>[=,\n])
    | [^\#"'\[\]{}.=,\n]++
    """,
    re.VERBOSE | re.DOTALL,
)


def toml_table(text: str, place: str) -> Tree | None:
    """What stands in the table, None when there is none. Raises ConfigurationError."""
    _look_through(text, place)
    try:
        table: Any = tomllib.loads(text)
    except (ValueError, RecursionError, OverflowError) as error:
        # ValueError also of numbers with thousands of digits.
        raise ConfigurationError(f"{place}: this is not TOML: {str(error)[:200]!r}.") from None
    for key in _TABLE:
        table = table.get(key) if isinstance(table, dict) else None
    return _Plain(place).mapping(table) if isinstance(table, dict) else None


def toml_lines(text: str) -> dict[Position, int]:
    """The lines of the keys, as far as they stand on lines of their own: tomllib keeps no positions."""
    lines: dict[Position, int] = {}
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.split("\n"), 1):
        words = line.strip()
        if words.startswith("["):
            table = _parts(words.lstrip("[").partition("]")[0])
            position = table
        elif "=" in words:
            position = (*table, *_parts(words.partition("=")[0]))
        else:
            continue
        if position[: len(_TABLE)] == _TABLE:
            lines.setdefault(position[len(_TABLE) :], number)
    return lines


def _parts(words: str) -> tuple[str, ...]:
    if len(words) > MAX_KEY * MAX_PARTS:
        return ()
    return tuple(part.strip(" \t\"'") for part in words.split("."))


def _look_through(text: str, place: str) -> None:
    depth = parts = 0
    for token in _TOKEN.finditer(text):
        match token.lastgroup:
            case "dot":
                parts += 1
            case "open":
                depth, parts = depth + 1, 0
            case "close":
                depth, parts = depth - 1, 0
            case "end":
                parts = 0
        if depth > MAX_DEPTH or parts >= MAX_PARTS:
            line = text.count("\n", 0, token.start()) + 1
            raise ConfigurationError(f"{place}:{line}: this is nested too deeply.")


class _Plain:
    """Turns what tomllib gives into values that JSON knows, within the limits."""

    def __init__(self, place: str) -> None:
        self._place = place
        self._nodes = 0

    def mapping(self, table: dict[str, Any]) -> Tree:
        self._check(len(table) <= MAX_KEYS, f"there are more than {MAX_KEYS} keys in one table")
        return {self._key(key): self._value(value) for key, value in table.items()}

    def _key(self, key: str) -> str:
        fits = len(key) <= MAX_KEY and key.isprintable()
        self._check(fits, f"a key must be a word of at most {MAX_KEY} letters")
        return key

    def _value(self, value: Any) -> Any:
        self._nodes += 1
        self._check(self._nodes <= MAX_NODES, "the table is too large")
        if isinstance(value, dict):
            return self.mapping(value)
        if isinstance(value, list):
            return [self._value(inner) for inner in value]
        reason = unusable(value)
        self._check(reason is None, reason or "")
        return value if isinstance(value, str | bool | int | float) else str(value)

    def _check(self, fits: bool, reason: str) -> None:
        if not fits:
            raise ConfigurationError(f"{self._place}: {reason}.")

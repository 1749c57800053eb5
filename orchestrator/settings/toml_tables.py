"""The table [tool.quorate] of a TOML text that a stranger wrote: bounded, parsed, and its values made plain."""

from __future__ import annotations

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
from shared.text.toml_bounds import TomlTooLargeError, check_toml

MAX_PARTS = 12

_TABLE = ("tool", "quorate")


def toml_table(text: str, place: str) -> Tree | None:
    """What stands in the table, None when there is none. Raises ConfigurationError."""
    try:
        check_toml(text, MAX_PARTS, MAX_DEPTH)
        table: Any = tomllib.loads(text)
    except TomlTooLargeError as error:
        raise ConfigurationError(f"{place}:{error.line}: this is nested too deeply.") from None
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

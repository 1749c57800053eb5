"""Values of configuration files, and how large a file may be that a stranger wrote.

Each limit is far above what anybody writes, and keeps reading a file linear in time and memory.
"""

from __future__ import annotations

import math

from pydantic import JsonValue

MAX_BYTES = 262_144
MAX_PYPROJECT = 1_000_000
MAX_NODES = 5_000
MAX_DEPTH = 40
MAX_KEYS = 500
MAX_KEY = 100
MAX_NUMBER = 10**40

Tree = dict[str, JsonValue]
Position = tuple[str | int, ...]


def unusable(value: object) -> str | None:
    """Why a value can mean nothing here; None when it can."""
    if isinstance(value, str):
        return None if _encodable(value) else "a sign that is half of one"
    if isinstance(value, float) and not math.isfinite(value):
        return "a number must be finite"
    if isinstance(value, int) and abs(value) >= MAX_NUMBER:
        return "a number that is too large"
    return None


def one_line(text: str) -> str:
    """A text in which nothing breaks a line or steers a terminal: what a message repeats of a file."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True

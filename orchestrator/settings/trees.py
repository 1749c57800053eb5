"""Values of configuration files, and how large a file may be that a stranger wrote.

Each limit is far above what anybody writes, and keeps reading a file linear in time and memory.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

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


def leaves(tree: Tree) -> Iterator[tuple[Position, JsonValue]]:
    """The keys that are set, with their values: of a section each one, else the key itself."""
    for section, value in tree.items():
        if isinstance(value, dict):
            yield from (((section, key), inner) for key, inner in value.items())
        else:
            yield (section,), value


def texts(value: JsonValue, position: Position = ()) -> Iterator[tuple[Position, str]]:
    """Every text in a value, with its position."""
    match value:
        case str():
            yield position, value
        case dict():
            for key, inner in value.items():
                yield from texts(inner, (*position, key))
        case list():
            for number, inner in enumerate(value):
                yield from texts(inner, (*position, number))


def dotted(position: Position) -> str:
    """A position as people write it: `gate.fail_on`."""
    return ".".join(map(str, position))


def plant(tree: Tree, position: Position, value: JsonValue) -> None:
    """Set a key, in its section where it has one."""
    section, *inner = map(str, position)
    branch = tree.get(section)
    if not inner:
        tree[section] = value
    else:
        tree[section] = {**(branch if isinstance(branch, dict) else {}), inner[0]: value}


def overlaid(below: Tree, above: Tree) -> Tree:
    """Both in one, a section key by key."""
    tree = dict(below)
    for position, value in leaves(above):
        plant(tree, position, value)
    return tree


def unusable(value: object) -> str | None:
    """Why a value can mean nothing here; None when it can."""
    if isinstance(value, str):
        return None if _encodable(value) else "half of a surrogate pair"
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

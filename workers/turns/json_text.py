"""Finding JSON objects in text that was meant to be one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pydantic import JsonValue

from shared.text.bounded_json import TooMuchJsonError, loads

MAX_DEPTH = 100
_OPENING = re.compile(r'\{\s*["}]')
_THOUGHTS = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)


class AmbiguousJsonError(Exception):
    """The text can be read in two ways, or ends in the middle of an object."""


def find_objects(text: str) -> list[dict[str, JsonValue]]:
    """All top-level JSON objects in the text, in order; objects inside objects do not.

    Trailing commas are dropped and NaN reads as null. A leading block of thoughts (`<think>`) is
    skipped. Raises AmbiguousJsonError for a cut-off object and for a key with two values.
    """
    body = _THOUGHTS.sub("", text.lstrip("\ufeff"), count=1)
    whole = _decoded(body)
    if isinstance(whole, dict):
        return [whole]
    if isinstance(whole, list):
        return [whole[0]] if len(whole) == 1 and isinstance(whole[0], dict) else []
    decoded = (_decoded(piece) for piece in _balanced(body))
    return [piece for piece in decoded if isinstance(piece, dict)]


def _balanced(text: str) -> Iterator[str]:
    """The top-level stretches from a brace to its partner, braces within strings not counted."""
    at = 0
    while opening := _OPENING.search(text, at):
        end = _partner(text, opening.start())
        if end is None:
            raise AmbiguousJsonError(
                "the JSON object is not closed: the answer seems to be cut off"
            )
        yield text[opening.start() : end]
        at = end


_MARKS = re.compile(r'[{}]|"(?:[^"\\]++|\\.)*+"?', re.DOTALL)


def _partner(text: str, start: int) -> int | None:
    depth = 0
    for mark in _MARKS.finditer(text, start):
        if mark.group() == "{":
            depth += 1
        elif mark.group() == "}":
            depth -= 1
            if depth == 0:
                return mark.end()
    return None


# A string without its end reaches to the text's end: searched again from each quote in it, it took hours.
_COMMAS = re.compile(r'("(?:[^"\\]++|\\.)*+"?)|,(?=\s*[}\]])', re.DOTALL)


def _decoded(text: str) -> JsonValue:
    """The text as JSON, repaired where that is safe; None if it is not JSON."""
    for mended in (_as_it_is, _without_trailing_commas):
        try:
            value = loads(
                mended(text),
                strict=False,
                parse_constant=lambda _: None,
                object_pairs_hook=_distinct,
            )
        except TooMuchJsonError:
            return None
        except ValueError:
            continue
        few = text.count("{") + text.count("[") < MAX_DEPTH
        return value if few or _depth_at_most(value, MAX_DEPTH) else None
    return None


def _as_it_is(text: str) -> str:
    return text


def _without_trailing_commas(text: str) -> str:
    return _COMMAS.sub(lambda found: found.group(1) or "", text)


def _distinct(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    result: dict[str, JsonValue] = {}
    for name, value in pairs:
        if name in result and result[name] != value:
            raise AmbiguousJsonError(
                f"the key `{name}` stands twice in one object with different values"
            )
        result[name] = value
    return result


def _depth_at_most(value: JsonValue, limit: int) -> bool:
    level: list[JsonValue] = [value]
    for _ in range(limit):
        level = [inner for outer in level for inner in _inner(outer)]
        if not level:
            return True
    return False


def _inner(value: JsonValue) -> list[JsonValue]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []

"""JSON that somebody else wrote, read within bounds.

An object of eight bytes becomes one of 230, so a text's length does not bound the memory that it takes: what
is counted before anything is built is how many objects, lists and members it can hold at most.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from pydantic import JsonValue

from shared.patterns import regex

# With these a text takes at most about 150 MB; the largest recorded answer has a hundredth of it.
MAX_CONTAINERS = 300_000
MAX_MEMBERS = 1_000_000
# What JSON columns of Postgres and UTF-8 cannot hold: NUL and lone surrogates.
_UNSTORABLE = regex("[\x00\ud800-\udfff]")


class TooMuchJsonError(ValueError):
    """The text would build more than anyone has to say."""


def loads(
    text: str | bytes,
    *,
    strict: bool = True,
    parse_constant: Callable[[str], JsonValue] | None = None,
    object_pairs_hook: Callable[[list[tuple[str, JsonValue]]], JsonValue] | None = None,
) -> JsonValue:
    """`json.loads`. Raises ValueError for whatever cannot be read: no JSON, too deep, too much, numbers too long."""
    check_bounds(text)
    try:
        value: JsonValue = json.loads(
            text, strict=strict, parse_constant=parse_constant, object_pairs_hook=object_pairs_hook
        )
    except RecursionError:
        raise TooMuchJsonError("the JSON is nested too deep") from None
    return value


def check_bounds(text: str | bytes) -> None:
    """Raises TooMuchJsonError. Signs within strings count as well: this is a bound, no measurement."""
    if len(text) <= MAX_CONTAINERS:
        return
    opening, listing, member = ("{", "[", ",") if isinstance(text, str) else (b"{", b"[", b",")
    containers = text.count(opening) + text.count(listing)  # type: ignore[arg-type]
    if containers > MAX_CONTAINERS:
        raise TooMuchJsonError(
            f"the JSON holds {containers} objects and lists, {MAX_CONTAINERS} are allowed"
        )
    members = text.count(member)  # type: ignore[arg-type]
    if members > MAX_MEMBERS:
        raise TooMuchJsonError(f"the JSON has {members} members, {MAX_MEMBERS} are allowed")


def storable(text: str) -> str:
    """The text with what no store can hold replaced. Two halves of a character become one again: streams cut there."""
    if _UNSTORABLE.search(text) is None:
        return text
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return whole.replace("\x00", "\ufffd")

"""Keys that were written into a provider's free fields: headers, query, body or a command's arguments.

Such a field travels with the run into the database, so a key must not stand in it. Names tell most of them, the
masking's rules the rest.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pydantic import JsonValue
from pydantic_core import PydanticCustomError

from shared.patterns import regex
from shared.text.masking.mask import mask
from shared.text.masking.people import CARD, RESIDENT

_NAMES = regex(
    r"(?:^|[-_.])(?:(?:proxy-)?authorization|cookie|api[-_]?key|(?:access|subscription|secret|private)[-_]key"
    r"|secret|password|passwd|credentials?"
    r"|(?:(?:auth|access|bearer|session|api|security|secret|private|vault)[-_])token)$|^-{0,2}token$",
    re.IGNORECASE,
)
# Numbers of people and cards are no keys, and ids of accounts look like them.
_NO_KEYS = frozenset({CARD, RESIDENT})


_LIKE_A_KEY = regex(r"(?:sk|pk|rk|gsk|xai|pplx)-|AIza")


def looks_like_a_key(value: str) -> bool:
    """True for what begins as services' keys do: somebody may have pasted one in the place of its name."""
    return _LIKE_A_KEY.match(value) is not None


def key_in_pairs(pairs: Mapping[str, JsonValue] | None) -> str | None:
    """The name, at any depth, whose value is a key; None when there is none."""
    return next((name for name, value in _texts(pairs or {}) if _is_key(name, value)), None)


def key_in_arguments(arguments: Sequence[str]) -> str | None:
    """The option of a command line (or `an argument`) that holds a key; None when there is none."""
    for before, argument in zip(("", *arguments), arguments, strict=False):
        option, _, value = argument.partition("=")
        if value and _is_option(option) and _NAMES.search(option):
            return option
        if _is_option(before) and _NAMES.search(before) and not _is_option(argument):
            return before
        if _holds_key(argument):
            return "an argument"
    return None


def _is_option(argument: str) -> bool:
    return argument.startswith("-")


def _is_key(name: str, value: str) -> bool:
    return bool(value.strip()) and (bool(_NAMES.search(name)) or _holds_key(value))


# A worker reads the same few headers at every call, and the masking's rules take most of a millisecond.
@functools.lru_cache(maxsize=256)
def _holds_key(value: str) -> bool:
    return bool(mask(value).counts.keys() - _NO_KEYS)


def _texts(pairs: Mapping[str, JsonValue]) -> Iterator[tuple[str, str]]:
    """(name, text) of each text, those in lists under the name of their list."""
    for name, value in pairs.items():
        yield from _texts_of(name, value)


def _texts_of(name: str, value: JsonValue) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, Mapping):
        yield from _texts(value)
    elif isinstance(value, Iterable):
        for entry in value:
            yield from _texts_of(name, entry)


def refuse_key(field: str, name: str | None, instead: str) -> None:
    """Raise the error of a field in which a key is written; `name` is what it was found under, None for none."""
    if name is not None:
        raise PydanticCustomError(
            "written_key",
            "'{field}' holds a key ({name}), which would be stored with every run. "
            "Name where it is instead: {instead}",
            {"field": field, "name": name, "instead": instead},
        )

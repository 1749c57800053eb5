"""The types of options: names of variables, places of keys, headers, addresses. No message repeats a value."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from shared.configuration import Documented, check_endpoint
from shared.patterns import regex
from shared.providers.written_keys import looks_like_a_key

OUR_HEADERS = frozenset({"host", "content-length", "content-type", "transfer-encoding"})

_VARIABLE = regex(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
_PLACE = regex(r"(?:[^\s/][^\n]{0,199}/)?[^\s/][^\n/]{0,99}")


class OneOf:
    """The words of a table, as a type: what `Literal` is for words that are written out."""

    def __init__(self, *words: str) -> None:
        self.words = words

    def __get_pydantic_core_schema__(self, *_: object) -> CoreSchema:
        return core_schema.literal_schema(list(self.words))


class OwnFile:
    """Marks the path of a file that is relative to the configuration file that names it."""


# No message repeats the value: it may be a key that was pasted here.
def _variable(value: str) -> str:
    if not _VARIABLE.fullmatch(value):
        raise PydanticCustomError(
            "variable", "expected the name of an environment variable, not a key"
        )
    return value


def _place(value: str) -> str:
    if not _PLACE.fullmatch(value) or looks_like_a_key(value):
        raise PydanticCustomError(
            "keyring", "expected a name of `quorate keys`, or SERVICE/USERNAME, not a key"
        )
    return value


def _file(value: str) -> str:
    if looks_like_a_key(value):
        raise PydanticCustomError("file", "expected the path of a file, not a key")
    return value


def _header(value: str) -> str:
    if value.lower() in OUR_HEADERS:
        raise PydanticCustomError(
            "header", "'{name}' is set by the call itself", {"name": value.lower()}
        )
    return value


Variable = Annotated[str, AfterValidator(_variable)]
KeyringEntry = Annotated[str, AfterValidator(_place)]
KeyFile = Annotated[str, AfterValidator(_file), OwnFile()]
# RFC 9110, 5.6.2: a token.
HeaderName = Annotated[
    str, Field(pattern=r"^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$"), AfterValidator(_header)
]
Endpoint = Annotated[str, AfterValidator(check_endpoint)]
Dollars = Annotated[float, Field(ge=0, allow_inf_nan=False)]

Batch = Annotated[
    bool,
    Documented(
        "answers come through the provider's batch API: half the price, within a day "
        "(`quorate docs provider-batches`)"
    ),
]

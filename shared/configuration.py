"""What all sections of a configuration file have in common: known keys, durations, addresses."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from typing import Annotated, Any, Self
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ModelWrapValidatorHandler,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError

from shared.models.wire import Wire
from shared.patterns import regex
from shared.sentences import Sentence

_SECRET_WORDS = regex(
    r"(?:^|_)(?:api_?key|key|token|secret|password|passwd|credentials?)$", re.IGNORECASE
)
_DURATION = regex(r"(\d+(?:\.\d+)?)\s*(s|m|h|d|w)?")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


@dataclass(frozen=True)
class Documented:
    """Stands in the annotation of a key: what documentation says of it, and of its default where the field does not."""

    help: str
    shown: str = ""


UNKNOWN_KEY = "unknown key '{key}'{hint}"
PLAINTEXT_KEY = (
    "'{key}' would put a secret into the file. Name where it is instead: "
    "api_key_env: VARIABLE, api_key_file: PATH, or api_key_keyring: NAME"
)


class Section(Wire):
    """A mapping of the file. An unknown key is an error that names the nearest known one, beside all others."""

    @model_validator(mode="wrap")
    @classmethod
    def _knows_its_keys(cls, value: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        if not isinstance(value, dict):
            return handler(value)
        strange = [key for key in value if key not in cls.model_fields]
        if not strange:
            return handler(value)
        known = [*cls.model_fields]
        problems: list[InitErrorDetails] = [
            {"type": _unknown(key, known), "loc": (), "input": None} for key in strange
        ]
        try:
            handler({key: inner for key, inner in value.items() if key in known})
        except ValidationError as error:
            meant = {_nearest(str(key), known) for key in strange}
            problems += map(
                _again, filter(partial(_is_another, meant), error.errors(include_url=False))
            )
        raise ValidationError.from_exception_data(cls.__name__, problems)


def _is_another(meant: set[str | None], problem: ErrorDetails) -> bool:
    """Whether a problem is not just that a key is missing which was meant by an unknown one."""
    return problem["type"] != "missing" or problem["loc"][-1] not in meant


def _unknown(key: object, known: list[str]) -> PydanticCustomError:
    if isinstance(key, str) and _SECRET_WORDS.search(key):
        return PydanticCustomError("plaintext_key", PLAINTEXT_KEY, {"key": key})
    hint = did_you_mean(str(key), known)
    return PydanticCustomError(
        "unknown_key", UNKNOWN_KEY, {"key": str(key), "hint": hint, "known": known}
    )


def _again(problem: ErrorDetails) -> InitErrorDetails:
    """An error as it was found, to be raised together with others."""
    error = PydanticCustomError(problem["type"], problem["msg"], problem.get("ctx"))
    return {"type": error, "loc": problem["loc"], "input": problem["input"]}


def _nearest(word: str, known: list[str]) -> str | None:
    near = get_close_matches(word.lower(), known, n=1, cutoff=0.6)
    return near[0] if near else None


def did_you_mean(word: str, known: list[str]) -> str:
    """`; did you mean 'x'?` for a near miss, else the list of what is known."""
    near = _nearest(word, known)
    if near:
        return Sentence("; did you mean '{near}'?", near=near)
    return Sentence(" (known: {known})", known=", ".join(known))


def _duration(value: object) -> object:
    if isinstance(value, str):
        parts = _DURATION.fullmatch(value.strip())
        if parts is None:
            raise PydanticCustomError(
                "duration", "expected a duration like 300, 90s, 15m, 4h, 7d or 2w"
            )
        return float(parts[1]) * _SECONDS[parts[2] or "s"]
    return value


LONGEST_S = 100 * 366 * 86_400.0
"""A hundred years: more than anybody means, less than the database and JSON can hold."""

Duration = Annotated[float, BeforeValidator(_duration), Field(gt=0, allow_inf_nan=False)]
"""A number of seconds, or a number with s, m, h, d or w."""


def _bounded(value: float) -> float:
    if value > LONGEST_S:
        raise PydanticCustomError("too_long", "expected a duration of at most a hundred years")
    return value


Seconds = Annotated[Duration, AfterValidator(_bounded)]
"""A duration that something may take or wait."""


def check_address(value: str) -> str:
    """An http or https address without credentials; raises PydanticCustomError, without repeating it."""
    try:
        parts = urlsplit(value)
    except ValueError:
        raise PydanticCustomError("address", "this is not an address") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise PydanticCustomError("address", "expected an http:// or https:// address")
    if parts.username or parts.password:
        raise PydanticCustomError("address", "the address must not hold a user name or a password")
    return value.rstrip("/")


def check_endpoint(value: str) -> str:
    """An address that paths can be added to, so without a query; raises as `check_address` does."""
    address = check_address(value)
    if "?" in address or "#" in address:
        raise PydanticCustomError("address", "the address must end before `?` and `#`")
    return address

"""Reading JSON that somebody else wrote: what is missing or of another type reads as nothing."""

from __future__ import annotations

from pydantic import JsonValue

from shared.errors import ProviderError
from shared.models.outcomes import FailureKind
from shared.text.bounded_json import TooMuchJsonError, loads

Payload = dict[str, JsonValue]
_TOO_MANY = 1_000_000_000


def part(value: JsonValue, *names: str) -> JsonValue:
    """The field at the end of the path, None when there is no such field or no object on the way."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def items(value: JsonValue) -> list[JsonValue]:
    """The elements of a list, none when it is no list."""
    return value if isinstance(value, list) else []


def first_of(value: JsonValue) -> JsonValue:
    """The alternative number 0 of several (`choices`, `candidates`); one without a number counts as it."""
    return next((item for item in items(value) if not part(item, "index")), None)


def text(value: JsonValue) -> str:
    """A string, empty when it is no string."""
    return value if isinstance(value, str) else ""


def count(value: JsonValue) -> int | None:
    """A number of tokens, None when it is not one: unknown is not zero, and no call has a billion."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < _TOO_MANY:
        return None
    return value


def dollars(value: JsonValue) -> float | None:
    """A sum of money, None when it is not one."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < _TOO_MANY:
        return None
    return float(value)


def total(*counts: int | None) -> int | None:
    """The sum of what is known, None when nothing is."""
    known = [number for number in counts if number is not None]
    return sum(known) if known else None


def parse_payload(body: bytes, participant: str) -> Payload:
    """The body as a JSON object. Raises ProviderError (unparseable)."""
    try:
        payload = loads(body)
    except TooMuchJsonError as error:
        raise unreadable(participant, f"is too much: {error}") from None
    except ValueError:
        payload = None
    if not isinstance(payload, dict):
        raise unreadable(participant, "is not a JSON object" if body.strip() else "is empty")
    return payload


def unreadable(participant: str, why: str) -> ProviderError:
    """The error for an answer with status 200 that does not follow its protocol."""
    return ProviderError(
        FailureKind.UNPARSEABLE, f"The answer of {participant}'s provider {why}.", retryable=True
    )

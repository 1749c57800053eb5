"""What Redis holds as text. Whoever can write there can write anything, and no byte of it may end who reads it."""

from __future__ import annotations

from typing import TypedDict


class _Reading(TypedDict):
    decode_responses: bool
    encoding_errors: str


READING: _Reading = {"decode_responses": True, "encoding_errors": "replace"}
"""Options of a client that reads text: bytes that are none become U+FFFD."""


def whole_number(text: object) -> int:
    """A number of milliseconds or of things, 0 for what is none or cannot be."""
    try:
        number = int(str(text))
    except ValueError:
        return 0
    return number if abs(number) < 1 << 53 else 0

"""Scores and confidences as models state them: a number in 0..1, or nothing. One rule for every reply."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field

_LARGEST_OF_TEN = 10


def proportion(value: object) -> float | None:
    """A stated score or confidence in 0..1; None for anything else.

    0.85, "0.85", "85%" and 85 say the same, and 1 is 1.0. A bare number of 2 to 10 may be of ten or of a hundred: it
    is none, as is every other number out of range.
    """
    is_percentage = False
    if isinstance(value, str):
        value, is_percentage = _written(value.strip())
    # A comparison of its own: the largest integers of JSON do not become a float.
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 100:
        return None
    if is_percentage or (value > _LARGEST_OF_TEN and float(value).is_integer()):
        return value / 100
    return float(value) if value <= 1 else None


def _written(text: str) -> tuple[float | None, bool]:
    """A number in a text, and whether it is one of a hundred."""
    is_percentage = text.endswith(("%", "\N{FULLWIDTH PERCENT SIGN}"))
    try:
        return float(text[:-1] if is_percentage else text), is_percentage
    except ValueError:
        return None, False


Proportion = Annotated[float | None, Field(ge=0, le=1), BeforeValidator(proportion)]

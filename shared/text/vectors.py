"""Vectors of texts as they travel and are compared: a byte a number changes a cosine by less than a hundredth."""

from __future__ import annotations

import base64
import binascii
import math
from array import array
from collections.abc import Sequence
from operator import mul

_MOST = 127


def packed(numbers: Sequence[float]) -> str:
    """The direction of a vector, in base64. Raises ValueError for one without a direction."""
    largest = max(map(abs, numbers), default=0.0)
    if not (math.isfinite(largest) and largest):
        raise ValueError("a vector without a direction")
    return base64.b64encode(
        array("b", (round(_MOST * number / largest) for number in numbers))
    ).decode()


def unpacked(text: str) -> tuple[float, ...]:
    """The vector of length one. Raises ValueError for what `packed` did not give."""
    try:
        numbers = array("b", base64.b64decode(text, validate=True))
    except binascii.Error as error:
        raise ValueError("no vector") from error
    length = math.hypot(*numbers)
    if not length:
        raise ValueError("a vector without a direction")
    return tuple(number / length for number in numbers)


def cosine(first: Sequence[float], second: Sequence[float]) -> float:
    """Of two vectors of length one; of different spaces 0."""
    return sum(map(mul, first, second)) if len(first) == len(second) else 0.0

"""A number of a chart with what stands around it."""

from __future__ import annotations

from dataclasses import dataclass

from workers.tools.clinical.quantities import Quantity
from workers.tools.clinical.units import Unit

NUMBER = r"\d{1,3}(?:,\d{3}){1,3}(?![\d,])(?:\.\d{1,4})?|\d{1,7}\.\d{1,4}|\d{1,4},\d{1,2}(?![\d,])|\d{1,8}"


@dataclass(frozen=True)
class Reading:
    """A number from `start` to `end` with what stands around it; `sign` is `<`, `>` or nothing.

    `low` and `high` are the range that the text states beside it, in `range_unit` or in the unit of the number.
    `date` is that of its column in a table.
    `name` is the text that named it; `second` that it repeats the value before it in another unit.
    """

    quantity: Quantity
    name: str
    start: int
    end: int
    number_start: int
    number: float
    sign: str = ""
    unit: Unit | None = None
    low: float | None = None
    high: float | None = None
    range_unit: Unit | None = None
    second: bool = False
    date: str | None = None


def read_number(text: str) -> float:
    """The number of `12,000`, `12.5` and `12,5`: a comma before three digits parts thousands, else decimals."""
    whole, comma, rest = text.partition(",")
    if comma and "." not in text and len(rest) != 3 and "," not in rest:
        return float(f"{whole}.{rest}")
    return float(text.replace(",", ""))

"""Sections that structured replies of several workflows have in common."""

from __future__ import annotations

from pydantic import field_validator

from shared.models.findings import Severity
from shared.models.wire import ForeignWire


class Disagreement(ForeignWire):
    """A disputed claim, why it is disputed, and what would be better."""

    claim: str
    explanation: str = ""
    alternative: str = ""


class Risk(ForeignWire):
    """A danger and how bad it is."""

    description: str
    severity: Severity = Severity.MINOR

    @field_validator("severity", mode="before")
    @classmethod
    def _any_case(cls, value: object) -> object:
        return value.strip().upper() if isinstance(value, str) else value


class DefendedPoint(ForeignWire):
    """A point that the author stands by, and the reason."""

    point: str
    reason: str = ""


def proportion(value: object) -> float | None:
    """A stated score or confidence, strictly: a number in 0..1, anything else is no score."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= 1 else None

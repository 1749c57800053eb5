"""Sections that structured replies of several workflows have in common."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import field_validator

from shared.models.findings import RaisedFinding, Severity
from shared.models.wire import ForeignWire

TITLE_CHARS = 400


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


Entry = str | Risk | Disagreement

# Sections whose entries are objections, and what they weigh when they say nothing about it.
OBJECTIONS: dict[str, Severity] = {
    "security_risks": Severity.MAJOR,
    "edge_cases": Severity.MINOR,
    "scalability_concerns": Severity.MINOR,
    "maintenance_burden": Severity.MINOR,
    "missed_simplifications": Severity.MINOR,
    "missing_requirements": Severity.MINOR,
    "missing_considerations": Severity.MINOR,
    "unexamined_assumptions": Severity.MINOR,
    "points_of_disagreement": Severity.MINOR,
}


def entries_of(reply: ForeignWire, sections: Iterable[str]) -> list[tuple[str, Entry]]:
    """The entries of those sections that the reply has, with the section's name, in the model's order."""
    wanted = set(sections)
    names = [name for name in type(reply).model_fields if name in wanted]
    return [(name, entry) for name in names for entry in getattr(reply, name)]


def objection(section: str, entry: Entry) -> RaisedFinding:
    """A section's entry as the finding that it is."""
    severity = OBJECTIONS.get(section, Severity.MINOR)
    detail, suggestion = "", None
    match entry:
        case Risk():
            text, severity = entry.description, entry.severity
        case Disagreement():
            text, detail, suggestion = entry.claim, entry.explanation, entry.alternative or None
        case _:
            text = entry
    return RaisedFinding(
        title=text[:TITLE_CHARS] or section,
        detail=detail or (text if len(text) > TITLE_CHARS else ""),
        severity=severity,
        category=section.replace("_", "-"),
        suggestion=suggestion,
    )

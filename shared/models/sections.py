"""Sections that structured replies of several workflows have in common."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pydantic import field_validator

from shared.models.findings import RaisedFinding, Severity
from shared.models.wire import ForeignWire
from shared.patterns import regex

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


# The content of a section that has nothing to say, as a whole and without punctuation: "None.", "N/A", "해당 없음".
_NOTHING = regex(
    r"(?:none|nothing|nil|n\W?a|not applicable"
    r"|no (?:(?:further|other|additional|major|significant|security) )?"
    r"(?:issues?|concerns?|problems?|risks?|objections?|disagreements?|findings?))"
    r"(?: (?:found|identified|noted|to add|to report))?"
    r"|(?:(?:해당|특이|특별한|별다른|다른|추가) ?)?(?:(?:사항|문제|이견|위험|우려|이슈|의견)[은는이가]? ?)?"
    r"없(?:음|다|습니다)",
    re.IGNORECASE,
)
_AROUND = " \t\r\n.,:;!-*_()[]。·"


def says_nothing(entry: Entry) -> bool:
    """True for an entry that is there for its form alone; one that says anything else, says something."""
    match entry:
        case Risk():
            texts: tuple[str, ...] = (entry.description,)
        case Disagreement():
            texts = (entry.claim, entry.explanation, entry.alternative)
        case _:
            texts = (entry,)
    bare = (text.strip(_AROUND) for text in texts)
    return not any(text and not _NOTHING.fullmatch(text) for text in bare)


def entries_of(reply: ForeignWire, sections: Iterable[str]) -> list[tuple[str, Entry]]:
    """What those sections of the reply say, with the section's name, in the model's order."""
    wanted = set(sections)
    names = [name for name in type(reply).model_fields if name in wanted]
    entries = ((name, entry) for name in names for entry in getattr(reply, name))
    return [entry for entry in entries if not says_nothing(entry[1])]


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

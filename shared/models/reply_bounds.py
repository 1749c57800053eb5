"""How much one reply may say. What is beyond is left out, and the step's note says so.

The work on a panel's findings grows with their number and their words, and it is done for every participant's run
by the same few threads. No recorded answer comes near these figures. Rules find more than people write: what analysers
list is counted by code, and has a bound of its own (docs/design/analysers.md).
"""

from __future__ import annotations

from pydantic import JsonValue

from shared.models.findings import SEVERITY_ORDER, Severity
from shared.models.sections import OBJECTIONS

MAX_CLAIMS = 100
MAX_LISTED = 1_000
"""Findings that an analyser lists, and that a run of rules alone takes in: 5 MB of JSON, weighed in a second."""
MAX_ENTRIES = MAX_LISTED  # a stance on each finding of a large panel is no abuse
MAX_ENTRY_CHARS = 20_000
MAX_TEXT_CHARS = 400_000

# Lists whose entries are compared with everybody else's.
_CLAIMS = frozenset({"findings", "issue_summary", *OBJECTIONS})
# A patch with a gap is no patch; the length of the whole answer bounds it.
_WHOLE = frozenset({"patch"})
_RANKS = {severity.value: severity.rank for severity in SEVERITY_ORDER}


def is_within(text: str) -> bool:
    """Whether no reply in this text of JSON can be beyond a bound: `bounded` would leave nothing out."""
    return len(text) <= MAX_ENTRY_CHARS and text.count(",") < MAX_CLAIMS


def bounded(fields: dict[str, JsonValue]) -> tuple[dict[str, JsonValue], tuple[str, ...]]:
    """A reply's fields within the bounds, and what was left out of which (`findings: 60 of 160 left out`)."""
    notes: dict[str, str] = {}
    kept = {name: _bounded(name, value, notes, top=name) for name, value in fields.items()}
    return kept, tuple(f"{name}: {note}" for name, note in notes.items())


def _bounded(name: str, value: JsonValue, notes: dict[str, str], top: str) -> JsonValue:
    inside = name if name in _WHOLE else ""
    match value:
        case str() if name not in _WHOLE:
            return _text(value, MAX_TEXT_CHARS if name == top else MAX_ENTRY_CHARS, notes, top)
        case list():
            most = MAX_CLAIMS if name in _CLAIMS else MAX_ENTRIES
            kept = _entries(value, most, notes, top)
            return [_bounded(inside, entry, notes, top) for entry in kept]
        case dict():
            if len(value) > MAX_ENTRIES:
                notes[top] = f"{len(value) - MAX_ENTRIES} of {len(value)} left out"
            names = list(value)[:MAX_ENTRIES]
            return {key: _bounded(_below(key, top), value[key], notes, top) for key in names}
    return value


def _below(key: str, top: str) -> str:
    """The name of a field of an entry: never that of the reply's own field, whose texts may be longer."""
    return "" if key == top else key


def _text(value: str, most: int, notes: dict[str, str], top: str) -> str:
    if len(value) <= most:
        return value
    notes.setdefault(top, f"a text of {len(value)} characters cut to {most}")
    return value[: most - 1] + "…"


def _entries(value: list[JsonValue], most: int, notes: dict[str, str], top: str) -> list[JsonValue]:
    """The gravest of too many, in their order."""
    if len(value) <= most:
        return value
    notes[top] = f"{len(value) - most} of {len(value)} left out"
    gravest = sorted(range(len(value)), key=lambda index: _rank(value[index]))[:most]
    return [value[index] for index in sorted(gravest)]


def _rank(entry: JsonValue) -> int:
    stated = entry.get("severity") if isinstance(entry, dict) else None
    word = stated.strip().upper() if isinstance(stated, str) else ""
    return _RANKS.get(word, Severity.MINOR.rank)

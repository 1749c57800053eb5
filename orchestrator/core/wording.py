"""What structured replies and findings say, as plain text for detectors, fallbacks and other participants."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from textwrap import indent
from typing import Any

from shared.models.findings import Finding, Position


def reply_text(reply: Mapping[str, Any]) -> str:
    """A reply's sections as text: headings in words, one line an item. Findings keep their place and severity."""
    blocks = []
    for name, value in reply.items():
        lines = list(lines_of(value))
        if lines:
            blocks.append(f"## {name.replace('_', ' ').capitalize()}\n" + "\n".join(lines))
    return "\n\n".join(blocks)


def spoken_text(reply: Mapping[str, Any]) -> str:
    """What a participant says in sentences, without ids, verdict words and headings: what a text detector may read."""
    return "\n".join(line for value in reply.values() for line in lines_of(value))


def lines_of(value: Any) -> Iterable[str]:
    """A section's value, one line an item; numbers and what is empty have none."""
    match value:
        case str() if value.strip():
            yield value.strip()
        case {"finding": str(identity), "position": str(position), **rest}:
            yield f"{identity}: {position}. {rest.get('reason', '')}".strip()
        case {"title": str(title), **rest}:
            yield _finding_line(title, rest)
        case {**fields}:
            yield "- " + " — ".join(str(part) for part in fields.values() if part)
        case list() | tuple():
            for item in value:
                yield from lines_of(item if not isinstance(item, str) else f"- {item}")
        case _:
            return


def _finding_line(title: str, rest: Mapping[Any, Any]) -> str:
    place = rest.get("place")
    where = f"{place['path']}:{place['line']} " if isinstance(place, dict) else ""
    return f"- [{rest.get('severity', 'MINOR')}] {where}{title}. {rest.get('detail', '')}".strip()


def under_name(name: str, text: str) -> str:
    """Somebody's words under a heading of ours, quoted line by line.

    So no line of them reads as a heading, and nobody puts words under another's name.
    """
    return f"# {name}\n\n{indent(text, '> ', lambda _: True)}"


def findings_text(findings: Sequence[Finding], supporters_of: int) -> str:
    """The findings as everybody is shown them: without names, so that nobody follows a name."""
    blocks = []
    for finding in findings:
        place = f" at {finding.place.shown}" if finding.place else ""
        head = f"{finding.id} [{finding.severity}] {finding.status}{place}: {finding.title}"
        support = f"raised by {len(finding.raised_by)} of {supporters_of}; {_tally(finding)}"
        blocks.append("\n".join(part for part in (head, support, finding.detail) if part))
    return "\n\n".join(blocks)


def _tally(finding: Finding) -> str:
    counts = dict.fromkeys(Position, 0)
    for position in finding.stances.values():
        counts[position] += 1
    return ", ".join(f"{count} {position}" for position, count in counts.items() if count)

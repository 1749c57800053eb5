"""What structured replies and findings say, as plain text for detectors, fallbacks and other participants."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from textwrap import indent
from typing import Any

from shared.models.findings import Finding, Position

FEWEST_IN_A_RANGE = 3


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


def id_ranges(names: Iterable[str]) -> str:
    """Ids of findings as people list them: `F1–F100, F103`; those that follow one another are a range."""
    runs: list[list[str]] = []
    for name in sorted(dict.fromkeys(names), key=_numbered):
        if runs and _follows(runs[-1][-1], name):
            runs[-1].append(name)
        else:
            runs.append([name])
    return ", ".join(
        f"{run[0]}–{run[-1]}" if len(run) >= FEWEST_IN_A_RANGE else ", ".join(run) for run in runs
    )


def _numbered(name: str) -> tuple[int, int, str]:
    """The review and the number within it: `R2F3` is the third of the second one."""
    review, _, number = name.rpartition("F")
    place = int(number) if number.isdecimal() else 0
    cycle = review.removeprefix("R")
    return (int(cycle) if cycle.isdecimal() else 0, place, name)


def _follows(name: str, other: str) -> bool:
    cycle, number, _ = _numbered(name)
    return 0 < number == _numbered(other)[1] - 1 and cycle == _numbered(other)[0]

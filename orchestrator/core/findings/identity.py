"""What a finding is known by from one run to the next: never its wording, which a model chooses anew each time.

A fingerprint is what kind of defect it is, the file and the text of the line, without layout. Lines that were added
above change nothing, and neither does who raised it; equal ones of one file are counted from its top.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping

from orchestrator.core.findings.defect_catalogue import kind_of
from orchestrator.core.findings.sameness import plain_path
from shared.models.findings import Finding
from shared.tools.rules import without_layout

LENGTH = 32  # hexadecimal digits
REVIEWED = "reviewed"  # what no rule and no title names a kind of


def fingerprints(findings: Iterable[Finding], sources: Mapping[str, str]) -> dict[str, str]:
    """The fingerprint of each finding by its id; `sources` are the texts of the reviewed files, by path."""
    seen: Counter[tuple[str, ...]] = Counter()
    marks = {}
    for finding in sorted(findings, key=_position):
        identity = (_kind(finding), _path(finding), _text(finding, sources))
        marks[finding.id] = _digest(*identity, str(seen[identity]))
        seen[identity] += 1
    return marks


def source_line(finding: Finding, sources: Mapping[str, str]) -> str | None:
    """The line of the reviewed state that a finding begins at; None where it is not known."""
    place = finding.place
    lines = (sources.get(place.path) or "").split("\n") if place else []
    return lines[place.line - 1] if place is not None and place.line <= len(lines) else None


def _kind(finding: Finding) -> str:
    return kind_of(finding) or finding.rule or REVIEWED


def _path(finding: Finding) -> str:
    return plain_path(finding.place.path) if finding.place else ""


def _text(finding: Finding, sources: Mapping[str, str]) -> str:
    """The line, else what was quoted; of a finding without either there is only what it is called."""
    line = source_line(finding, sources)
    known = line if line and line.strip() else finding.quote
    return without_layout(known or (finding.title if finding.place is None else ""))


def _position(finding: Finding) -> tuple[str, int, int, str]:
    return _path(finding), finding.place.line if finding.place else 0, len(finding.id), finding.id


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:LENGTH]


def worst_first(finding: Finding) -> tuple[int, str, int, int, str]:
    """The order of findings: by severity, then by place, then by id."""
    place = finding.place
    return (
        finding.severity.rank,
        place.path if place else "",
        place.line if place else 0,
        len(finding.id),
        finding.id,
    )

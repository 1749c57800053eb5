"""Findings that a later review raises again: the same defect, still there after a fix of something else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orchestrator.core.findings.pairing import pair_up
from orchestrator.core.findings.sameness import plain_path
from shared.models.findings import Finding
from shared.patterns import regex

_LABEL = regex(r"(?:R(\d+))?F\d+")


def raised_again(findings: Sequence[Finding]) -> Mapping[str, str]:
    """The id that a defect got first, by the id that a later review of the run gave it.

    A fix moves lines, so the line says nothing; the file and the words do, and each finding has one successor at most.
    """
    reviews: dict[int, list[Finding]] = {}
    for finding in findings:
        reviews.setdefault(cycle_of(finding), []).append(finding)
    first: dict[str, str] = {}
    known: list[Finding] = []
    for _, raised in sorted(reviews.items()):
        first |= _pairs(known, raised)
        known += [finding for finding in raised if finding.id not in first]
    return first


def _pairs(known: Sequence[Finding], raised: Sequence[Finding]) -> dict[str, str]:
    first: dict[str, str] = {}
    for path in {_path(finding) for finding in raised}:
        for pair in pair_up(_within(known, path), _within(raised, path)):
            if pair.first is not None and pair.second is not None:
                first[pair.second.id] = pair.first.id
    return first


def _within(findings: Sequence[Finding], path: str | None) -> list[Finding]:
    return [
        finding.model_copy(update={"place": None}) for finding in findings if _path(finding) == path
    ]


def cycle_of(finding: Finding) -> int:
    """The review of the run that raised it, counted from 1."""
    label = _LABEL.fullmatch(finding.id)
    return int(label[1] or 1) if label else 1


def _path(finding: Finding) -> str | None:
    return plain_path(finding.place.path) if finding.place else None

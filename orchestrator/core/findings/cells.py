"""Findings in notebooks: where they are as the reader of a notebook counts."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.core.findings.quotations import SubjectTexts
from shared.models.findings import Finding


def in_cells(findings: Sequence[Finding], texts: SubjectTexts) -> tuple[Finding, ...]:
    """The findings, those in a notebook with their cell."""
    return tuple(_in_cell(finding, texts) for finding in findings)


def _in_cell(finding: Finding, texts: SubjectTexts) -> Finding:
    place = finding.place
    cell = None if place is None else texts.cell_at(place)
    if place is None or cell == place.cell:
        return finding
    return finding.model_copy(update={"place": place.model_copy(update={"cell": cell})})

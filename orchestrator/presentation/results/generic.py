"""What a run of any other workflow came to: its summary and its findings."""

from __future__ import annotations

from orchestrator.core.document import line
from orchestrator.presentation.formats.text import finding_line
from orchestrator.presentation.results.document import Block, Remark, Words
from orchestrator.presentation.results.reading import Reading, closing, opening


def document(reading: Reading) -> list[Block]:
    """Nothing is known of the workflow but what all have in common."""
    report = reading.report
    summary = str((report.run.outcome or {}).get("summary") or "")
    blocks: list[Block] = [*opening(reading), *([Words(summary)] if summary else [])]
    blocks += [Remark(finding_line(one, report, reading.language)) for one in report.ranked]
    return [*blocks, Remark(line("")), *closing(reading)]

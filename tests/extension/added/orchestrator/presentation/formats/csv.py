"""A run's findings as comma-separated values."""

from __future__ import annotations

import csv
import io

from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.report import RunReport


def render(report: RunReport, words: Translator) -> str:
    """A line for every finding."""
    del words
    page = io.StringIO()
    writer = csv.writer(page, lineterminator="\n")
    writer.writerow(("severity", "title"))
    for finding in report.findings:
        writer.writerow((finding.severity.value, finding.title))
    return page.getvalue()

"""Comments that switch a rule off: what a change hides by one of its own has to be read by somebody else."""

from __future__ import annotations

import re
from collections.abc import Iterable

from shared.models.coverage import UnreadFile, UnreadReason
from shared.models.findings import RaisedFinding, Severity
from workers.tools.analysers.sources import SourceFile

# From this severity on a hidden finding keeps an approval away.
HIDDEN = Severity.MAJOR
_CODES = r"noqa(?:\s*:\s*([A-Z]+[0-9]+(?:[\s,]+[A-Z]+[0-9]+)*))?"
_LINE = re.compile(rf"#\s*{_CODES}", re.IGNORECASE)
_FILE = re.compile(rf"^\s*#\s*(?:ruff|flake8)\s*:\s*{_CODES}", re.IGNORECASE)


def suppressed_in(source: SourceFile, code: str | None, rows: Iterable[int]) -> int | None:
    """git's number of the line that switches the rule off for a program's `rows`; None when none does."""
    lines = source.analysed_lines
    for row in rows:
        if row <= len(lines) and _switches_off(_LINE.search(lines[row - 1]), code):
            return source.number(row)
    for number, line in enumerate(lines, 1):
        if "noqa" in line.lower() and _switches_off(_FILE.match(line), code):
            return source.number(number)
    return None


def _switches_off(comment: re.Match[str] | None, code: str | None) -> bool:
    if comment is None:
        return False
    codes = re.findall(r"[A-Z]+[0-9]+", (comment[1] or "").upper())
    return not codes or code in codes


def hides(path: str, code: str | None, line: int) -> UnreadFile:
    """The file, as one of which a part is hidden."""
    detail = f"{code or 'a rule'} is suppressed in line {line}"
    return UnreadFile(path=path, reason=UnreadReason.SUPPRESSED, detail=detail)


def as_suppressed(finding: RaisedFinding) -> RaisedFinding:
    """The finding without weight: it is said, and decides nothing by itself."""
    detail = f"{finding.detail} The author suppressed this rule with a comment."
    return finding.model_copy(update={"severity": Severity.INFO, "detail": detail, "patch": None})

"""Rows of a linter's report: read in the sandbox, and what follows from each by itself."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shared.models.findings import Place, RaisedFinding, Severity
from shared.patterns import regex
from shared.text.bounded_json import loads
from workers.tools.analysers.comparison import SourceSpan, Trace
from workers.tools.analysers.sources import SourceFile
from workers.tools.sandbox.sandbox import Countdown, ProgramResult, execute, scratch

PARSERS = Path(__file__).with_name("report_parsers.py")
PARSE_S = 10.0
OUTPUT_MB = 16
CONFIDENCE = 0.7
_UNPRINTABLE = regex(
    r"[^\S ]|[^\x20-\U0010ffff]|[\ud800-\udfff\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]"
)
# How linters call, by rule or in words, a file whose grammar they do not understand.
_PARSE_RULE = regex(
    r"(?:.*(?:parse|parsing|parser|syntax)[-_]?error|(?:invalid[-_])?syntax|E999|DL1000)",
    re.IGNORECASE,
)
# Its parser also warns, of what it has understood: of a file that `source` names, say.
_OF_SHELLCHECKS_PARSER = regex(r"SC10[3-9]\d")
_PARSE_WORDS = regex(
    r"\b(?:(?:syntax|pars(?:e|ing)) error|found '?EOF|unexpected (?:EOF|token|end of (?:file|input))"
    r"|(?:could not|couldn't|cannot) parse|unterminated|not terminated|was never closed)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Reported:
    """A row of a report, in the words of the program that wrote it."""

    source: SourceFile
    first: int
    last: int
    level: str
    code: str
    message: str
    address: str | None

    @property
    def place(self) -> Place | None:
        """Where the change touched its lines."""
        return self.source.place(self.first, self.last)

    @property
    def is_unparsed(self) -> bool:
        """True when it says that the file cannot be parsed."""
        if _OF_SHELLCHECKS_PARSER.fullmatch(self.code):
            return self.level == "error"
        return bool(_PARSE_RULE.fullmatch(self.code) or _PARSE_WORDS.search(self.message))

    @property
    def trace(self) -> Trace:
        """What it is recognised by."""
        return Trace.of(self.source, (self.code, self.level), SourceSpan(self.first, self.last))

    def finding(self, name: str, place: Place | None, severity: Severity) -> RaisedFinding:
        """What the linter of that name says here, as a finding at `place`."""
        title = f"{self.message} ({self.code})" if self.code != "finding" else self.message
        return RaisedFinding(
            title=title[:400],
            detail=f"Rule {self.code} of {name}{f': {self.address}' if self.address else ''}",
            severity=severity,
            category="correctness",
            rule=f"{name}/{self.code}",
            place=place,
            quote=self.source.quote(place.line) if place else None,
            confidence=CONFIDENCE,
        )


@dataclass(frozen=True)
class ReportRow:
    """A row as the parsers write it: whatever a report says, in the words and places of the program that wrote it.

    `snippet` are the source lines from `first` on that the report repeats, where it does.
    """

    file: str
    first: int
    last: int
    level: str
    code: str
    message: str
    address: str | None
    snippet: str

    @classmethod
    def of(cls, row: Any) -> ReportRow:
        """From a line of the parsers."""
        file, first, last, _column, level, code, message, address, snippet = row
        return cls(
            file=file or "",
            first=first,
            last=last,
            level=clean(level or "").lower(),
            code=re.sub(r"[^\w@./-]", "", code or "") or "finding",
            message=clean(message or ""),
            address=clean(address) if address else None,
            snippet=snippet or "",
        )

    def about(self, source: SourceFile) -> Reported:
        """The same, of the file that is meant."""
        last = max(self.first, min(self.last, len(source.analysed_lines)))
        return Reported(source, self.first, last, self.level, self.code, self.message, self.address)


def parse_report(report: Mapping[str, object], countdown: Countdown) -> ProgramResult:
    """What the parsers of `report_parsers.py` make of a report, a row a line; it may have been stopped."""
    with scratch() as root:
        copy = root / PARSERS.name
        copy.write_bytes(PARSERS.read_bytes())
        return execute(
            [sys.executable, "-I", str(copy)],
            cwd=root,
            home=root,
            timeout_s=min(countdown.remaining_s(), PARSE_S),
            stdin=json.dumps(report).encode(),
            confinement=countdown.confinement(memory_mb=1024, output_mb=OUTPUT_MB),
        )


def rows_of(parsed: ProgramResult) -> list[ReportRow]:
    """The rows that the parsers wrote."""
    return [ReportRow.of(loads(line)) for line in parsed.stdout.splitlines()]


def clean(text: str) -> str:
    """Words of a report on one line, without what cannot be printed."""
    return " ".join(_UNPRINTABLE.sub(" ", text).split())[:1000]

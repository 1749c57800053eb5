"""Findings that no gate counts: ignored by a rule with a reason and perhaps an end, by a comment, or known before.

All of it is taken from the state before the change. What the change itself brings (an entry in the file, a comment at a
line) excuses nothing in it: it counts from the next change on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date

from orchestrator.core.findings.defect_catalogue import defect_of
from orchestrator.core.findings.identity import LENGTH
from shared.errors import ConfigurationError
from shared.models.findings import Finding
from shared.models.wire import Wire
from shared.patterns import regex
from shared.tools.rules import covers_path, matches

IGNORE_FILE = ".quorateignore"
IGNORES, INLINE = "ignores", "inline_ignores"
"""The labels of a run under which its entries are stored, and that comments in the code count."""
_ENTRY = regex(
    r"(?P<rule>\S+)\s+(?P<path>\S+)(?:\s+until\s+(?P<until>\d{4}-\d{2}-\d{2}))?\s*:\s+(?P<reason>\S.*)"
)
_MARK = regex(r"quorate:\s*ignore\[(?P<rule>[^\]\s]{1,100})\][ \t:]*(?P<reason>\S[^\r\n]*)")
_COMMENT = regex(r"\s*(?:#|//|--|;|/\*|\*|<!--|%)")
_FINGERPRINT = regex(rf"[0-9a-f]{{{LENGTH}}}")


class Ignore(Wire):
    """What is ignored: a rule of the catalogue or of an analyser, or a fingerprint, in the files that a glob covers."""

    rule: str
    path: str = "*"
    reason: str

    def covers(self, finding: Finding, fingerprint: str) -> bool:
        """Whether it means that finding."""
        path = finding.place.path if finding.place else ""
        if _FINGERPRINT.fullmatch(self.rule):
            return self.rule == fingerprint
        return names_defect(self.rule, finding) and (
            self.path == "*" or covers_path(self.path, path)
        )


def names_defect(name: str, finding: Finding) -> bool:
    """Whether a name means the finding: `quorate/shell`, `shell`, `bandit/B602`, `B602`; `*` is refused."""
    defect = defect_of(finding)
    if name in (defect.rule_id, defect.id):
        return True
    return bool(set(name) - {"*"}) and any(matches(name, rule) for rule in finding.every_rule)


def read_ignores(text: str, where: str, today: date) -> tuple[list[Ignore], list[str]]:
    """The entries of an ignore file, and those whose end has passed as they are written. Raises ConfigurationError."""
    ignores, expired = [], []
    for number, line in enumerate(text.splitlines(), 1):
        entry = line.strip()
        if not entry or entry.startswith("#"):
            continue
        ignore, until = _read_entry(entry, f"{where}:{number}")
        if until is not None and until < today:
            expired.append(entry)
        else:
            ignores.append(ignore)
    return ignores, expired


def _read_entry(entry: str, where: str) -> tuple[Ignore, date | None]:
    match = _ENTRY.fullmatch(entry)
    until = None if match is None else _date(match["until"])
    if match is None or (match["until"] and until is None) or not set(match["rule"]) - {"*"}:
        raise ConfigurationError(
            "{where}: expected `RULE PATH [until YYYY-MM-DD]: reason`, as in `quorate/shell "
            "tools/*.py until 2027-01-31: only the build runs it`.",
            where=where,
        )
    return Ignore(rule=match["rule"], path=match["path"], reason=match["reason"]), until


def excused(
    findings: Iterable[Finding],
    marks: Mapping[str, str],
    ignores: Iterable[Ignore],
    sources: Mapping[str, str],
    before: Mapping[str, str],
) -> dict[str, str]:
    """Why findings do not count, by their ids; `before` are the texts of the files before the change.

    An entry for one fingerprint excuses that finding alone. A comment counts where the same line, and the line that it
    is about, stood in the file before.
    """
    entries = tuple(ignores)
    reasons = {}
    for finding in findings:
        entry = next((each for each in entries if each.covers(finding, marks[finding.id])), None)
        reason = entry.reason if entry else _commented(finding, sources, before)
        if reason:
            reasons[finding.id] = reason
    return reasons


def _commented(
    finding: Finding, sources: Mapping[str, str], before: Mapping[str, str]
) -> str | None:
    place = finding.place
    if place is None or place.path not in before:
        return None
    known = set(_marked(before[place.path].split("\n")))
    lines = sources.get(place.path, "").split("\n")[max(place.line - 2, 0) : place.line]
    for comment, line in known.intersection(_marked(lines)):
        match = _MARK.search(comment)
        if match and line == lines[-1] and names_defect(match["rule"], finding):
            return match["reason"].rstrip("*/-> \t") or match["reason"]
    return None


def _marked(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Each line with a mark, and the line that it is about: itself, or the next one after a comment of its own."""
    for number, line in enumerate(lines):
        if "quorate:" in line and _MARK.search(line):
            alone = _COMMENT.match(line) is not None and number + 1 < len(lines)
            yield line, lines[number + 1] if alone else line


def _date(text: str | None) -> date | None:
    try:
        return None if text is None else date.fromisoformat(text)
    except ValueError:
        return None

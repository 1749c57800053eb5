"""The bandit participant: security rules on changed Python lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath

from pydantic import BaseModel, JsonValue, TypeAdapter

from shared.models.coverage import UnreadFile, UnreadReason
from shared.models.findings import RaisedFinding, Severity
from shared.models.replies import Critique
from workers.tools.batches import Told, Workplace, reports
from workers.tools.critique import analyser_label, reply_model, write_critique
from workers.tools.deep import deep
from workers.tools.registry import ToolContext
from workers.tools.sandbox import Countdown, scratch
from workers.tools.snapshot import load_subject, materialised
from workers.tools.sources import UNPARSED, Examined, SourceFile, Unreadable, python_sources
from workers.tools.suppressions import HIDDEN, hides

name = "bandit"
summary = "Looks for security weaknesses in changed Python lines by bandit's rules."

CATEGORY = "security"
# (severity, confidence) as bandit states them -> ours.
SEVERITIES: dict[tuple[str, str], Severity] = {
    ("HIGH", "HIGH"): Severity.CRITICAL,
    ("HIGH", "MEDIUM"): Severity.MAJOR,
    ("HIGH", "LOW"): Severity.MAJOR,
    ("MEDIUM", "HIGH"): Severity.MAJOR,
    ("MEDIUM", "MEDIUM"): Severity.MAJOR,
    ("MEDIUM", "LOW"): Severity.MINOR,
    ("LOW", "HIGH"): Severity.MINOR,
    ("LOW", "MEDIUM"): Severity.MINOR,
    ("LOW", "LOW"): Severity.INFO,
}
CONFIDENCES = {"HIGH": 0.9, "MEDIUM": 0.6, "LOW": 0.3}
# An import or a call without a shell is no weakness by itself.
IGNORED = ("B404", "B603", "B607")
# What tests do all the time.
IGNORED_IN_TESTS = ("B101", "B104", "B105", "B106", "B107", "B108", "B311")
# Rules that bandit rates higher than a review should: an assert tells a type checker something.
RATED: dict[str, Severity] = {"B101": Severity.INFO}
SUPPRESSION = "nosec"
_FAILED_RULE = re.compile(r"internal error running: .*? on file \S*?(\d+\.py) at line")
MAX_ADVICE = 600


class _Issue(BaseModel):
    filename: Path
    line_number: int
    line_range: tuple[int, ...] = ()
    test_id: str
    test_name: str
    issue_severity: str
    issue_confidence: str
    issue_text: str
    more_info: str = ""

    @property
    def span(self) -> tuple[int, ...]:
        """The lines that it is about."""
        return (self.line_number, *self.line_range)


class _Trouble(BaseModel):
    filename: Path
    reason: str


class _Report(BaseModel):
    errors: tuple[_Trouble, ...] = ()
    metrics: dict[str, JsonValue] = {}
    results: tuple[_Issue, ...] = ()


_FORM = TypeAdapter(_Report)


def run(inputs: Mapping[str, JsonValue], context: ToolContext) -> Critique:
    """A `critique.*` of the Python files of `inputs["subject"]`; raises `ToolError` when there are none."""
    model = reply_model(inputs)
    countdown = Countdown(context.deadline_s)
    examined = python_sources(load_subject(inputs, context.documents), context.documents)
    examined, found = _examine(examined, countdown)
    return write_critique(model, analyser_label(name), examined, found, "Python")


def command(paths: list[str]) -> list[str]:
    """The call of bandit. `--ignore-nosec`: what the author hides is still said, as INFO."""
    return [
        *deep("bandit.cli.main"),
        "--format",
        "json",
        "--quiet",
        "--exit-zero",
        "--ignore-nosec",
        "--skip",
        ",".join(IGNORED),
        *(f"./{path}" for path in paths),
    ]


def _examine(examined: Examined, countdown: Countdown) -> tuple[Examined, list[RaisedFinding]]:
    # Numbered names: bandit passes over files in directories of some names.
    by_name = {f"{number}.py": source for number, source in enumerate(examined.files)}
    files = {name: source.analysed.encode("utf-8") for name, source in by_name.items()}
    unread: dict[str, UnreadFile] = {}
    hidden: dict[str, UnreadFile] = {}
    found: list[RaisedFinding] = []
    with materialised(files) as root, scratch() as home:
        place = Workplace(root, home, countdown)
        for told in reports(name, command, list(by_name), place, _FORM):
            for file, why in _troubles(told):
                unread[by_name[file].path] = why.of(by_name[file].path)
            for issue in told.report.results if told.report else ():
                source = by_name[issue.filename.name]
                finding = _finding(source, issue)
                if finding is not None:
                    found.append(finding)
                    if hides := _hidden(source, issue):
                        hidden[source.path] = hides
    examined = examined.without(unread.values())
    return replace(examined, partly=tuple(hidden.values())), found


def _troubles(told: Told[_Report]) -> Iterator[tuple[str, Unreadable]]:
    """The files that bandit did not get through, by the name that they have there."""
    if told.report is None or told.problem is not None:
        for file in told.paths:
            yield file, told.problem or UNPARSED
        return
    finished = {PurePosixPath(file).name for file in told.report.metrics}
    finished -= {trouble.filename.name for trouble in told.report.errors}
    # A rule that fails is passed over by bandit with a line on standard error.
    failed = set(_FAILED_RULE.findall(told.complaints))
    for file in told.paths:
        if file not in finished:
            yield file, UNPARSED
        elif file in failed:
            yield file, Unreadable("a rule of bandit failed on it", UnreadReason.CRASHED)


def _hidden(source: SourceFile, issue: _Issue) -> UnreadFile | None:
    """The file, when this change hides a weakness that would demand a fix; None for anything else."""
    graded = RATED.get(issue.test_id, _stated(issue))
    span = range(min(issue.span), max(issue.span) + 1)
    added = [
        line
        for line in span
        if line <= len(source.analysed_lines)
        and SUPPRESSION in source.analysed_lines[line - 1]
        and source.changed(source.number(line))
    ]
    if not added or graded.rank > HIDDEN.rank:
        return None
    return hides(source.path, issue.test_id, source.number(added[0]))


def is_test(path: str) -> bool:
    """True for files that hold tests by the usual names."""
    file = PurePosixPath(path)
    return (
        file.name.startswith("test_")
        or file.name.endswith("_test.py")
        or file.name == "conftest.py"
        or "tests" in file.parts[:-1]
    )


def _stated(issue: _Issue) -> Severity:
    return SEVERITIES.get((issue.issue_severity, issue.issue_confidence), Severity.MINOR)


def _finding(source: SourceFile, issue: _Issue) -> RaisedFinding | None:
    span = issue.span
    place = source.place(min(span), max(span))
    if place is None or (issue.test_id in IGNORED_IN_TESTS and is_test(source.path)):
        return None
    severity = RATED.get(issue.test_id, _stated(issue))
    detail = f"Rule {issue.test_name}: {issue.more_info}"
    if any(SUPPRESSION in line for line in source.analysed_lines[min(span) - 1 : max(span)]):
        severity = Severity.INFO
        detail += " The author suppressed this rule with a comment."
    return RaisedFinding(
        title=f"{issue.issue_text} ({issue.test_id})"[:400],
        detail=detail[:MAX_ADVICE],
        severity=severity,
        category=CATEGORY,
        rule=f"bandit/{issue.test_id}",
        place=place,
        quote=source.quote(place.line),
        confidence=CONFIDENCES.get(issue.issue_confidence),
    )

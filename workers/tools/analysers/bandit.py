"""The bandit participant: security rules on changed Python lines."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath

from pydantic import BaseModel, JsonValue, TypeAdapter

from shared.models.coverage import UnreadFile, UnreadReason
from shared.models.findings import Place, RaisedFinding, Severity
from shared.models.replies import Critique
from shared.tools.inputs import AnalyserInput
from workers.tools.analysers.critique import analyser_label, python_critique
from workers.tools.analysers.program import (
    AnalyserProgram,
    ProgramAnswer,
    from_elsewhere,
    key_of,
    unknown_before,
)
from workers.tools.analysers.sources import UNPARSED, Examined, SourceFile, Unreadable
from workers.tools.analysers.suppressions import HIDDEN, hides
from workers.tools.registry import Documents, ToolContext
from workers.tools.sandbox.deep import deep
from workers.tools.sandbox.sandbox import Countdown

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


class _BanditTrouble(BaseModel):
    filename: Path
    reason: str


class _BanditReport(BaseModel):
    errors: tuple[_BanditTrouble, ...] = ()
    metrics: dict[str, JsonValue] = {}
    results: tuple[_Issue, ...] = ()


def command(paths: list[str]) -> list[str]:
    """The call of bandit. `--ignore-nosec`: what the author hides is still said, as INFO."""
    return [
        *deep("bandit.cli.main"),
        *"--format json --quiet --exit-zero --ignore-nosec --skip".split(),
        ",".join(IGNORED),
        *(f"./{path}" for path in paths),
    ]


def _troubles(answer: ProgramAnswer[_BanditReport]) -> Iterator[tuple[str, Unreadable]]:
    """The files that bandit did not get through, by the name that they have there."""
    if answer.report is None or answer.problem is not None:
        for file in answer.files:
            yield file, answer.problem or UNPARSED
        return
    finished = {PurePosixPath(file).name for file in answer.report.metrics}
    finished -= {trouble.filename.name for trouble in answer.report.errors}
    # A rule that fails is passed over by bandit with a line on standard error.
    failed = set(_FAILED_RULE.findall(answer.complaints))
    for file in answer.files:
        if file not in finished:
            yield file, UNPARSED
        elif file in failed:
            yield file, Unreadable("a rule of bandit failed on it", UnreadReason.CRASHED)


_BANDIT = AnalyserProgram(
    name="bandit",
    form=TypeAdapter(_BanditReport),
    command=command,
    # Numbered names: bandit passes over files in directories of some names.
    file_name=lambda number, _path: f"{number}.py",
    issues=lambda report: ((issue.filename, issue) for issue in report.results),
    troubles=_troubles,
)


def run(inputs: AnalyserInput, context: ToolContext) -> Critique:
    """A critique of the subject's Python files; raises `ToolError` when there are none."""
    return python_critique(inputs, context, analyser_label("bandit"), _examine)


def _examine(
    examined: Examined, documents: Documents, countdown: Countdown
) -> tuple[Examined, list[RaisedFinding]]:
    now = _BANDIT.analyse(examined.files, countdown)
    doubtful = [
        source
        for source in examined.files
        if any(_asks_for_before(source, issue) for issue in now.issues.get(source.path, ()))
    ]
    before = _BANDIT.analyse_before(doubtful, documents, countdown)
    hidden: list[UnreadFile] = []
    findings: list[RaisedFinding] = []
    for source in examined.files:
        issues = now.issues.get(source.path, ())
        state, earlier = before.of(source)
        findings += (finding for issue in issues if (finding := _finding(source, issue)))
        findings += _from_elsewhere(source, issues, state, earlier)
        if hides := _hidden(source, issues, state, earlier):
            hidden.append(hides)
    return replace(examined.without(now.unread.values()), partly=tuple(hidden)), findings


def _is_elsewhere(source: SourceFile, issue: _Issue) -> bool:
    """True for a grave weakness on lines that the change did not touch."""
    return _is_grave(source, issue) and _place(source, issue) is None


def _asks_for_before(source: SourceFile, issue: _Issue) -> bool:
    return _is_elsewhere(source, issue) or _is_hidden(source, issue)


def _from_elsewhere(
    source: SourceFile, issues: Iterable[_Issue], state: SourceFile, earlier: Iterable[_Issue]
) -> Iterator[RaisedFinding]:
    """Grave weaknesses on unchanged lines that were none before."""
    elsewhere = (issue for issue in issues if _is_elsewhere(source, issue))
    fresh = unknown_before(
        ((_key(source, issue), issue) for issue in elsewhere),
        (_key(state, issue) for issue in earlier),
    )
    for issue in fresh:
        yield from_elsewhere(source, _raised(source, issue, None), issue.line_number)


def _key(source: SourceFile, issue: _Issue) -> Hashable:
    return _grade(issue), key_of(source, issue.test_id, issue.line_number)


def _hidden(
    source: SourceFile, issues: Iterable[_Issue], state: SourceFile, earlier: Iterable[_Issue]
) -> UnreadFile | None:
    """The file, when this change hides a weakness that would demand a fix; None for anything else.

    It does so by a comment of its own, or by a new weakness in a statement that has one.
    """
    hidden = [issue for issue in issues if _is_hidden(source, issue)]
    for issue in hidden:
        if line := _line_that_hides(source, issue):
            return hides(source.path, issue.test_id, source.number(line))
    known = (issue.test_id for issue in earlier if _suppressing(state, issue))
    for issue in unknown_before(((issue.test_id, issue) for issue in hidden), known):
        line = _suppressing(source, issue)[0]
        return hides(source.path, issue.test_id, source.number(line))
    return None


def _is_hidden(source: SourceFile, issue: _Issue) -> bool:
    """True for a grave weakness on changed lines with a suppression beside it."""
    here = _place(source, issue) is not None
    return here and _is_grave(source, issue) and bool(_suppressing(source, issue))


def _suppressing(source: SourceFile, issue: _Issue) -> list[int]:
    """bandit's lines of the issue that hold a suppression."""
    lines = source.analysed_lines
    span = range(min(issue.span), min(max(issue.span), len(lines)) + 1)
    return [line for line in span if SUPPRESSION in lines[line - 1]]


def _line_that_hides(source: SourceFile, issue: _Issue) -> int | None:
    """The first of them that the change added or edited."""
    lines = _suppressing(source, issue)
    return next((line for line in lines if source.changed(source.number(line))), None)


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


def _grade(issue: _Issue) -> Severity:
    return RATED.get(issue.test_id, _stated(issue))


def _is_ordinary(source: SourceFile, issue: _Issue) -> bool:
    return issue.test_id in IGNORED_IN_TESTS and is_test(source.path)


def _is_grave(source: SourceFile, issue: _Issue) -> bool:
    return _grade(issue).rank <= HIDDEN.rank and not _is_ordinary(source, issue)


def _place(source: SourceFile, issue: _Issue) -> Place | None:
    return source.place(min(issue.span), max(issue.span))


def _finding(source: SourceFile, issue: _Issue) -> RaisedFinding | None:
    place = _place(source, issue)
    if place is None or _is_ordinary(source, issue):
        return None
    return _raised(source, issue, place)


def _raised(source: SourceFile, issue: _Issue, place: Place | None) -> RaisedFinding:
    severity = _grade(issue)
    detail = f"Rule {issue.test_name}: {issue.more_info}"
    if _suppressing(source, issue):
        severity = Severity.INFO
        detail += " The author suppressed this rule with a comment."
    return RaisedFinding(
        title=f"{issue.issue_text} ({issue.test_id})"[:400],
        detail=detail[:MAX_ADVICE],
        severity=severity,
        category=CATEGORY,
        rule=f"bandit/{issue.test_id}",
        place=place,
        quote=source.quote(place.line) if place else None,
        confidence=CONFIDENCES.get(issue.issue_confidence),
    )

"""The bandit participant: security rules on changed Python lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path, PurePosixPath

from pydantic import BaseModel, JsonValue, TypeAdapter

from shared.models.coverage import UnreadFile, UnreadReason
from shared.models.findings import Place, RaisedFinding, Severity
from shared.models.review_replies import Critique
from shared.patterns import regex
from shared.tools.inputs import AnalyserInput
from workers.tools.analysers.comparison import Brought, SourceSpan, Trace, as_moved, compared
from workers.tools.analysers.critique import Examination, analyser_label, python_critique
from workers.tools.analysers.program import AnalyserProgram, ProgramAnswer, from_elsewhere
from workers.tools.analysers.sources import UNPARSED, Examined, SourceFile, Unreadable
from workers.tools.analysers.suppressions import HIDDEN, hides
from workers.tools.registry import ToolContext
from workers.tools.sandbox.deep import deep

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
IGNORED_IN_TESTS = ("B101", "B104", "B105", "B106", "B107", "B108", "B113", "B311")
# Rules that bandit rates higher than a review should: an assert tells a type checker something, and most weak hashes
# are checksums or keys of a cache.
RATED: dict[str, Severity] = {"B101": Severity.INFO, "B324": Severity.MINOR}
# A weak hash is as grave as bandit says where its own lines speak of what an attacker would forge or recover.
_GUARDED = regex(
    r"passw(?:or)?d|passphrase|pwd|secret|credential|token|api_?key|private|sign|hmac|nonce|salt|auth|session|cookie",
    re.IGNORECASE,
)
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


def command(paths: list[str], *, ignore: Iterable[str] = IGNORED) -> list[str]:
    """The call of bandit. `--ignore-nosec`: what the author hides is still said, as INFO."""
    return [
        *deep("bandit.cli.main"),
        *"--format json --quiet --exit-zero --ignore-nosec".split(),
        *(f"--skip={code}" for code in (",".join(ignore),) if code),
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


def _examine(examined: Examined, examination: Examination) -> tuple[Examined, list[RaisedFinding]]:
    program = _selecting(examination.rules.selected("bandit"))
    now = program.analyse(examined.files, examination.countdown)
    paths = {source.path: source for source in examined.files}
    weaknesses = _weaknesses(
        (paths[path], issue) for path in paths for issue in now.issues.get(path, ())
    )
    earlier: list[_Weakness] = []
    brought = Brought(weaknesses, [])
    if any(weakness.speaks for weakness in weaknesses):
        earlier = _weaknesses(program.analyse_before(examined, examination).every())
        brought = compared(
            ((weakness.trace, weakness) for weakness in weaknesses),
            (weakness.trace for weakness in earlier),
            lambda weakness: weakness.place is None,
        )
    hidden = tuple(_hidden(brought.fresh, earlier))
    return replace(examined.without(now.unread.values()), partly=hidden), [*_reported(brought)]


def _reported(brought: Brought[_Weakness]) -> Iterator[RaisedFinding]:
    yield from (weakness.finding for weakness in brought.fresh if weakness.speaks)
    yield from (
        as_moved(old.finding, was) for old, was in brought.moved if old.is_reported_if_moved
    )


def _selecting(more: tuple[str, ...]) -> AnalyserProgram[_BanditReport, _Issue]:
    """bandit with further rules."""
    ignored = tuple(code for code in IGNORED if code not in more)
    return replace(_BANDIT, command=partial(command, ignore=ignored))


def _weaknesses(issues: Iterable[tuple[SourceFile, _Issue]]) -> list[_Weakness]:
    return [_Weakness(source, issue) for source, issue in issues if not _is_ordinary(source, issue)]


@dataclass(frozen=True)
class _Weakness:
    """An issue of a file, before it is known whether the change brought it."""

    source: SourceFile
    issue: _Issue

    @cached_property
    def place(self) -> Place | None:
        """Where the change touched its lines; None when it did not."""
        return self.source.place(min(self.issue.span), max(self.issue.span))

    @cached_property
    def suppressing(self) -> list[int]:
        """bandit's lines of it that hold a suppression."""
        return _suppressing(self.source, self.issue)

    @cached_property
    def grade(self) -> Severity:
        """How grave it is by our table, else by bandit's."""
        stated = _stated(self.issue)
        if self.issue.test_id == "B324" and _GUARDED.search(self._text):
            return stated
        return RATED.get(self.issue.test_id, stated)

    @property
    def _text(self) -> str:
        lines = self.source.analysed_lines
        return "\n".join(lines[min(self.issue.span) - 1 : max(self.issue.span)])

    @property
    def is_grave(self) -> bool:
        """True when it demands a fix by itself."""
        return self.grade.rank <= HIDDEN.rank

    @property
    def is_hidden(self) -> bool:
        """True for a grave one on changed lines with a suppression beside it."""
        return self.place is not None and self.is_grave and bool(self.suppressing)

    @property
    def speaks(self) -> bool:
        """True when it would be told, were it new."""
        return self.place is not None or self.is_grave

    @property
    def is_reported_if_moved(self) -> bool:
        """True when it is told although it was there, elsewhere."""
        return self.place is not None and self.is_grave and not self.suppressing

    @property
    def trace(self) -> Trace:
        """What it is recognised by; a comment that suppresses it makes another one of it."""
        issue = self.issue
        rule = (issue.test_id, self.grade, bool(self.suppressing))
        return Trace.of(self.source, rule, SourceSpan(min(issue.span), max(issue.span)))

    @property
    def finding(self) -> RaisedFinding:
        """What is said of it: where the change touched it, or which unchanged line became weak."""
        raised = _raised(self)
        if self.place is not None:
            return raised
        return from_elsewhere(self.source, raised, self.issue.line_number)


def _hidden(brought: Iterable[_Weakness], earlier: Iterable[_Weakness]) -> Iterator[UnreadFile]:
    """The files in which this change hides a weakness that would demand a fix, each once.

    It does so by a comment of its own, or by a new weakness in a statement that has one.
    """
    known = Counter((old.source.path, old.issue.test_id) for old in earlier if old.suppressing)
    hiding: dict[str, UnreadFile] = {}
    for weakness in brought:
        if not weakness.is_hidden:
            continue
        source, rule, lines = weakness.source, weakness.issue.test_id, weakness.suppressing
        own = [line for line in lines if source.changed(source.number(line))]
        known[source.path, rule] -= 1
        if own or known[source.path, rule] < 0:
            line = source.number((own or lines)[0])
            hiding.setdefault(source.path, hides(source.path, rule, line))
    yield from hiding.values()


def _suppressing(source: SourceFile, issue: _Issue) -> list[int]:
    """bandit's lines of the issue that hold a suppression."""
    lines = source.analysed_lines
    span = range(min(issue.span), min(max(issue.span), len(lines)) + 1)
    return [line for line in span if SUPPRESSION in lines[line - 1]]


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


def _is_ordinary(source: SourceFile, issue: _Issue) -> bool:
    return issue.test_id in IGNORED_IN_TESTS and is_test(source.path)


def _raised(weakness: _Weakness) -> RaisedFinding:
    source, issue, place = weakness.source, weakness.issue, weakness.place
    severity = weakness.grade
    detail = f"Rule {issue.test_name}: {issue.more_info}"
    if weakness.suppressing:
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

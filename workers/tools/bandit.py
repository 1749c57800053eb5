"""The bandit participant: security rules on changed Python lines."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from pydantic import BaseModel, JsonValue, TypeAdapter

from shared.models.findings import RaisedFinding, Severity
from shared.models.replies import Critique
from workers.tools.batches import Workplace, reports
from workers.tools.critique import analyser_label, reply_model, write_critique
from workers.tools.registry import ToolContext
from workers.tools.sandbox import Countdown, scratch
from workers.tools.snapshot import load_subject, materialised
from workers.tools.sources import UNPARSED, Examined, SourceFile, python_sources

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


class _Trouble(BaseModel):
    filename: Path
    reason: str


class _Report(BaseModel):
    errors: tuple[_Trouble, ...] = ()
    results: tuple[_Issue, ...] = ()


_FORM = TypeAdapter(_Report)


def run(inputs: Mapping[str, JsonValue], context: ToolContext) -> Critique:
    """A `critique.*` of the Python files of `inputs["subject"]`; raises `ToolError` when there are none."""
    model = reply_model(inputs)
    countdown = Countdown(context.deadline_s)
    examined = python_sources(load_subject(inputs, context.documents), context.documents)
    examined, found = _examine(examined, countdown)
    return write_critique(model, analyser_label(name), examined, found, "Python")


def command(program: Path, paths: list[str]) -> list[str]:
    """The call of bandit. `--ignore-nosec`: what the author hides is still said, as INFO."""
    return [
        str(program),
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
    by_path = {source.path: source for source in examined.files}
    files = {path: source.text.encode("utf-8") for path, source in by_path.items()}
    unparsed: dict[str, None] = {}
    found: list[RaisedFinding] = []
    with materialised(files) as root, scratch() as home:
        place = Workplace(root, home, countdown)
        for report in reports(name, command, list(by_path), place, _FORM):
            unparsed |= dict.fromkeys(trouble.filename.as_posix() for trouble in report.errors)
            for issue in report.results:
                finding = _finding(by_path[issue.filename.as_posix()], issue)
                if finding:
                    found.append(finding)
    return examined.without(UNPARSED.of(path) for path in unparsed), found


def is_test(path: str) -> bool:
    """True for files that hold tests by the usual names."""
    file = PurePosixPath(path)
    return (
        file.name.startswith("test_")
        or file.name.endswith("_test.py")
        or file.name == "conftest.py"
        or "tests" in file.parts[:-1]
    )


def _finding(source: SourceFile, issue: _Issue) -> RaisedFinding | None:
    span = (issue.line_number, *issue.line_range)
    place = source.place(min(span), max(span))
    if place is None or (issue.test_id in IGNORED_IN_TESTS and is_test(source.path)):
        return None
    stated = SEVERITIES.get((issue.issue_severity, issue.issue_confidence), Severity.MINOR)
    severity = RATED.get(issue.test_id, stated)
    detail = f"Rule {issue.test_name}: {issue.more_info}"
    if any(SUPPRESSION in line for line in source.lines[min(span) - 1 : max(span)]):
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

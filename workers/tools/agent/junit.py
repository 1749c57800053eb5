"""JUnit's XML, as pytest, Maven, Gradle, jest, mocha, PHPUnit and many others write it."""

from __future__ import annotations

import xml.parsers.expat
from collections.abc import Sequence
from dataclasses import dataclass, field

from shared.errors import ToolError
from shared.models.agent import TestFailure, TestResults
from shared.models.findings import Place
from workers.tools.agent.failure_texts import first_place
from workers.tools.agent.repository_paths import RepositoryPaths

MOST_FAILURES = 50
MOST_TEXT = 2000
_STATES = {"failure": "failed", "error": "errors", "skipped": "skipped", "rerunFailure": ""}


@dataclass
class _Case:
    name: str = ""
    file: str = ""
    line: int = 0
    state: str = "passed"
    message: str = ""
    text: str = ""


@dataclass
class _Report:
    """What was read so far."""

    paths: RepositoryPaths
    counts: dict[str, int] = field(default_factory=dict)
    failures: list[TestFailure] = field(default_factory=list)
    is_junit: bool = False
    case: _Case | None = None
    inside: str = ""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        given = attributes.get
        if tag in ("testsuites", "testsuite"):
            self.is_junit = True
        elif tag == "testcase":
            group, name = given("classname", ""), given("name", "")
            line = given("line", "")
            number = int(line) + 1 if line.isdecimal() and len(line) < 8 else 0
            self.case = _Case(".".join(filter(None, (group, name))), given("file", ""), number)
        elif self.case is not None and _STATES.get(tag) and self.case.state == "passed":
            self.case.state, self.case.message = _STATES[tag], given("message", "")
            self.inside = tag

    def text(self, data: str) -> None:
        if self.case is not None and self.inside and len(self.case.text) < MOST_TEXT:
            self.case.text += data

    def end(self, tag: str) -> None:
        if tag == self.inside:
            self.inside = ""
        if tag != "testcase" or self.case is None:
            return
        case, self.case = self.case, None
        self.counts[case.state] = self.counts.get(case.state, 0) + 1
        if case.state in ("failed", "errors") and len(self.failures) < MOST_FAILURES:
            message = (case.message or case.text).strip()[:MOST_TEXT]
            self.failures.append(
                TestFailure(name=case.name, message=message, place=self._place(case))
            )

    def _place(self, case: _Case) -> Place | None:
        """Where the report says that the test is, else the first of the repository's lines in its text."""
        own = self.paths.place(case.file, case.line or 1) if case.file else None
        return own or first_place(case.text.split("\n"), self.paths)


def read_junit(data: bytes, paths: RepositoryPaths) -> TestResults | None:
    """The results that a document says; None for one that is no report of tests."""
    report = _Report(paths)
    parser = xml.parsers.expat.ParserCreate()
    parser.StartElementHandler = report.start
    parser.EndElementHandler = report.end
    parser.CharacterDataHandler = report.text
    parser.EntityDeclHandler = _refuse
    try:
        parser.Parse(data, True)
    except (xml.parsers.expat.ExpatError, ToolError, ValueError):
        return None
    if not report.is_junit:
        return None
    results = TestResults.model_validate(report.counts)
    return results.model_copy(update={"failures": tuple(report.failures)})


def added(results: Sequence[TestResults]) -> TestResults:
    """Several reports as one."""
    failures = tuple(failure for report in results for failure in report.failures)
    return TestResults(
        passed=sum(report.passed for report in results),
        failed=sum(report.failed for report in results),
        errors=sum(report.errors for report in results),
        skipped=sum(report.skipped for report in results),
        failures=failures[:MOST_FAILURES],
    )


def _refuse(*_declared: object) -> None:
    raise ToolError("The report declares entities.")

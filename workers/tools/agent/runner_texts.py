"""Test results from what a runner of tests writes for people, where it leaves no report."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from shared.models.agent import TestFailure, TestResults
from shared.patterns import regex
from workers.tools.agent.junit import MOST_FAILURES, added

LONGEST_LINE = 600
MOST_LINES = 50_000
_COLOUR = regex(r"\x1b\[[0-9;]*[A-Za-z]")


@dataclass(frozen=True)
class RunnerForm:
    """How a runner sums up, and how it names a test that failed.

    The groups of `summary` are counts: `passed`, `failed`, `errors`, `skipped`; `total` is all of them together.
    `each`: every test has a line of its own, that is counted (`state` is a word of `_WORDS`). `last`: only the last
    summary counts, for it sums up the others. `mark`: only a text that has this is of the runner.
    """

    mark: re.Pattern[str]
    summary: re.Pattern[str] | None = None
    failure: re.Pattern[str] | None = None
    each: re.Pattern[str] | None = None
    last: bool = False


_WORDS = {
    "ok": "passed",
    "pass": "passed",
    "passed": "passed",
    "not ok": "failed",
    "fail": "failed",
    "failed": "failed",
    "skip": "skipped",
    "ignored": "skipped",
}


# Lines whose counts stand before or after words, in any order.
_PYTEST_COUNT = regex(r"(\d+) (passed|failed|errors?|skipped|xfailed|xpassed)\b")
_PYTEST_LINE = regex(
    r"^=*\s*(?:\d+ (?:passed|failed|errors?|skipped|xfailed|xpassed|deselected|warnings?|rerun|subtests passed)"
    r"(?:, )?)+ in [\d.]+"
)
_JEST_COUNT = regex(r"(\d+) (passed|failed|skipped|todo|total|pending)\b")
_COUNTED = {
    "passed": "passed",
    "xpassed": "passed",
    "failed": "failed",
    "error": "errors",
    "errors": "errors",
    "skipped": "skipped",
    "xfailed": "skipped",
    "pending": "skipped",
    "todo": "skipped",
}
# (the line that sums up, counts in it, the name of a test that failed)
_COUNT_LINES = (
    (
        _PYTEST_LINE,
        _PYTEST_COUNT,
        regex(r"^(?:FAILED|ERROR) (?P<name>\S.*?)(?: - (?P<message>.*))?$"),
    ),
    (
        regex(r"^\s*Tests:?\s+\d+ \w+"),  # jest and vitest
        _JEST_COUNT,
        regex(r"^\s*(?:●|×|FAIL)\s+(?P<name>\S.*?)(?: \d+m?s)?$"),
    ),
)

_FORMS = (
    RunnerForm(  # go test -v
        mark=regex(r"^=== RUN |^--- (?:PASS|FAIL|SKIP): "),
        each=regex(r"^\s*--- (?P<state>PASS|FAIL|SKIP): (?P<name>\S+)"),
    ),
    RunnerForm(  # go test: a package is a test
        mark=regex(r"^(?:ok|FAIL)\s+\S+\s+(?:[\d.]+s|\(cached\)|\[build failed\])"),
        each=regex(
            r"^(?P<state>ok|FAIL)\s+(?P<name>\S+)\s+(?:[\d.]+s|\(cached\)|\[build failed\])"
        ),
    ),
    RunnerForm(  # cargo test
        mark=regex(r"^test result: "),
        summary=regex(
            r"^test result: \S+ (?P<passed>\d+) passed; (?P<failed>\d+) failed; (?P<skipped>\d+) ignored"
        ),
        failure=regex(r"^test (?P<name>\S+) \.\.\. FAILED"),
    ),
    RunnerForm(  # Maven
        mark=regex(r"Tests run: \d+, Failures: "),
        summary=regex(
            r"Tests run: (?P<total>\d+), Failures: (?P<failed>\d+), Errors: (?P<errors>\d+)"
            r"(?:, Skipped: (?P<skipped>\d+))?\s*$"
        ),
        failure=regex(
            r"^\[ERROR\]\s+(?P<name>[\w.$]+(?:\.|:)\w+(?::\d+)?)(?: » |:| )(?P<message>.*)$"
        ),
        last=True,
    ),
    RunnerForm(  # Gradle
        mark=regex(r"^\d+ tests? completed"),
        summary=regex(
            r"^(?P<total>\d+) tests? completed(?:, (?P<failed>\d+) failed)?(?:, (?P<skipped>\d+) skipped)?"
        ),
        failure=regex(r"^(?P<name>\S+ > \S.*) FAILED$"),
    ),
    RunnerForm(  # RSpec
        mark=regex(r"^\d+ examples?, \d+ failures?"),
        summary=regex(
            r"^(?P<total>\d+) examples?, (?P<failed>\d+) failures?(?:, (?P<skipped>\d+) pending)?"
        ),
        failure=regex(r"^rspec (?P<name>\S+:\d+)(?: # (?P<message>.*))?$"),
    ),
    RunnerForm(  # Minitest
        mark=regex(r"^\d+ (?:runs|tests), \d+ assertions"),
        summary=regex(
            r"^(?P<total>\d+) (?:runs|tests), \d+ assertions, (?P<failed>\d+) failures, "
            r"(?P<errors>\d+) errors(?:, (?P<skipped>\d+) skips)?"
        ),
        failure=regex(r"^(?P<name>[A-Z]\w*#test_\w+)"),
    ),
    RunnerForm(  # PHPUnit
        mark=regex(r"^OK \(\d+ tests?|^Tests: \d+, Assertions: "),
        summary=regex(
            r"^(?:OK \((?P<passed>\d+) tests?|Tests: (?P<total>\d+), Assertions: \d+"
            r"(?:, Errors: (?P<errors>\d+))?(?:, Failures: (?P<failed>\d+))?(?:, Skipped: (?P<skipped>\d+))?)"
        ),
        failure=regex(r"^\d+\) (?P<name>[\w\\]+::\w+)"),
    ),
    RunnerForm(  # mocha
        mark=regex(r"^\s+\d+ passing \("),
        summary=regex(
            r"^\s+(?:(?P<passed>\d+) passing|(?P<failed>\d+) failing|(?P<skipped>\d+) pending)\b"
        ),
        failure=regex(r"^  \d+\) (?P<name>\S.*?):?$"),
    ),
    RunnerForm(  # node --test, for people
        mark=regex(r"^(?:ℹ|#) pass \d+"),
        summary=regex(
            r"^(?:ℹ|#) (?:pass (?P<passed>\d+)|fail (?P<failed>\d+)|skipped (?P<skipped>\d+))\b"
        ),
        failure=regex(
            r"^\s*(?:✖|not ok \d+ -) (?!failing tests:$)(?P<name>\S.*?)(?: \([\d.]+ms\))?$"
        ),
    ),
    RunnerForm(  # the Test Anything Protocol
        mark=regex(r"^(?:TAP version \d+|1\.\.\d+)"),
        each=regex(
            r"^(?P<state>ok|not ok)\b(?: \d+)?(?: -)? ?(?P<name>[^#]*)(?P<directive># ?(?:SKIP|TODO))?"
        ),
    ),
)
_UNITTEST = regex(r"^Ran (?P<total>\d+) tests? in [\d.]+s")
_UNITTEST_END = regex(r"^(?:OK|FAILED|NO TESTS RAN)(?: \((?P<counts>[^)]*)\))?$")
_UNITTEST_FAILURE = regex(r"^(?:FAIL|ERROR): (?P<name>\S+ \([^)]+\)|\S+)")


def read_runner_text(text: str) -> TestResults | None:
    """The results, as far as the text says them; None where no runner is recognised."""
    plain = _COLOUR.sub("", text)
    lines = [line[:LONGEST_LINE].rstrip("\r") for line in plain.split("\n")[-MOST_LINES:]]
    readers = (_by_counts, _unittest, _by_forms)
    return next((results for reader in readers if (results := reader(lines))), None)


def _by_counts(lines: list[str]) -> TestResults | None:
    for summary, count, failure in _COUNT_LINES:
        reports = [_counts_in(line, count) for line in lines if summary.match(line)]
        if reports:
            return _with_failures(added(reports), _failures(lines, failure))
    return None


def _counts_in(line: str, count: re.Pattern[str]) -> TestResults:
    """The figures of a summary line: `3 passed, 1 failed`."""
    counts = {"passed": 0, "failed": 0, "errors": 0, "skipped": 0}
    for number, word in count.findall(line):
        if word in _COUNTED:
            counts[_COUNTED[word]] += int(number)
    return TestResults.model_validate(counts)


def _unittest(lines: list[str]) -> TestResults | None:
    reports: list[TestResults] = []
    total: int | None = None
    for line in lines:
        if ran := _UNITTEST.match(line):
            total = int(ran["total"])
        elif total is not None and (end := _UNITTEST_END.match(line)):
            pairs = re.findall(r"(\w+)=(\d+)", end["counts"] or "")
            counts = {word: int(number) for word, number in pairs}
            failed = counts.get("failures", 0) + counts.get("successes", 0)
            errors, skipped = counts.get("errors", 0), counts.get("skipped", 0)
            passed = max(0, total - failed - errors - skipped)
            reports.append(
                TestResults(passed=passed, failed=failed, errors=errors, skipped=skipped)
            )
            total = None
    if not reports:
        return None
    return _with_failures(added(reports), _failures(lines, _UNITTEST_FAILURE))


def _by_forms(lines: list[str]) -> TestResults | None:
    for form in _FORMS:
        if not any(form.mark.search(line) for line in lines):
            continue
        if form.each is not None:
            return _counted(lines, form.each)
        if form.summary is not None:
            return _summed(lines, form, form.summary)
    return None


def _counted(lines: Iterable[str], each: re.Pattern[str]) -> TestResults:
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    failures: list[TestFailure] = []
    for match in filter(None, map(each.match, lines)):
        found = match.groupdict()
        state = _WORDS[found["state"].lower()]
        if found.get("directive"):
            state = "skipped"
        counts[state] += 1
        if state == "failed":
            failures.append(TestFailure(name=found["name"].strip()))
    return _with_failures(TestResults.model_validate(counts), failures)


def _summed(lines: Iterable[str], form: RunnerForm, summary: re.Pattern[str]) -> TestResults:
    reports = [_summary(match) for match in filter(None, map(summary.search, lines))]
    results = added(reports[-1:] if form.last else reports)
    return (
        results if form.failure is None else _with_failures(results, _failures(lines, form.failure))
    )


def _summary(match: re.Match[str]) -> TestResults:
    found = {name: int(number) for name, number in match.groupdict().items() if number}
    total = found.pop("total", None)
    if total is not None:
        found["passed"] = max(0, total - sum(found.values()))
    return TestResults.model_validate(found)


def _failures(lines: Iterable[str], form: re.Pattern[str]) -> Iterator[TestFailure]:
    for match in filter(None, map(form.match, lines)):
        found = match.groupdict()
        yield TestFailure(name=found["name"].strip(), message=found.get("message") or "")


def _with_failures(results: TestResults, failures: Iterable[TestFailure]) -> TestResults:
    """With what failed, each by its name once; a run that failed nowhere has none."""
    named = {failure.name: failure for failure in failures}
    kept = tuple(named.values())[:MOST_FAILURES] if results.failed or results.errors else ()
    return results.model_copy(update={"failures": kept})

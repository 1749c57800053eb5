"""Test results and coverage are read from what runners write, for programs and for people."""

from __future__ import annotations

import pytest

from shared.models.agent import TestFailure, TestResults
from workers.tools.agent.coverage_reports import read_coverage, read_coverage_table
from workers.tools.agent.failure_texts import explained
from workers.tools.agent.junit import MOST_FAILURES, read_junit
from workers.tools.agent.repository_paths import RepositoryPaths
from workers.tools.agent.runner_texts import read_runner_text

PATHS = RepositoryPaths(("src/a.py", "src/b.py", "pkg/c.go", "web/d.js"))

PYTEST = """\
\x1b[31mF\x1b[0m.
=========================== short test summary info ============================
FAILED tests/test_a.py::test_x[1 2] - assert 5 == 6
ERROR tests/test_b.py - ImportError: no
============== 1 failed, 3 passed, 1 skipped, 2 xfailed, 1 error in 0.12s ==============
"""
UNITTEST = """\
F.E
======================================================================
FAIL: test_a (test_u.T.test_a)
----------------------------------------------------------------------
ERROR: test_b (test_u.T.test_b)
----------------------------------------------------------------------
Ran 4 tests in 0.001s

FAILED (failures=1, errors=1, skipped=1)
"""
GO = """\
--- FAIL: TestTotal (0.00s)
    cart_test.go:9: got 5
--- PASS: TestOther (0.00s)
FAIL
FAIL\texample.com/cart\t0.003s
"""
GO_PACKAGES = "ok  \texample.com/a\t0.01s\nFAIL\texample.com/b [build failed]\nFAIL\n"
CARGO = """\
test tests::adds ... ok
test tests::multiplies ... FAILED
test result: FAILED. 1 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out
test result: ok. 4 passed; 0 failed; 0 ignored; 0 measured
"""
JEST = """\
  ● cart › totals

    expect(received).toBe(expected)

Test Suites: 1 failed, 1 total
Tests:       1 failed, 1 skipped, 5 passed, 7 total
"""
VITEST = " FAIL  web/d.test.ts > cart > totals\n Test Files  1 failed (1)\n      Tests  1 failed | 4 passed (5)\n"
MOCHA = """\
  3 passing (12ms)
  1 failing

  1) cart
       totals:
"""
NODE = "✖ totals (0.5ms)\nℹ tests 3\nℹ pass 2\nℹ fail 1\nℹ skipped 0\n"
TAP = "TAP version 13\nok 1 - adds\nnot ok 2 - multiplies\nok 3 - later # SKIP\n1..3\n"
MAVEN = """\
Tests run: 3, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.1 s <<< FAILURE! - in com.acme.CartTest
[ERROR]   CartTest.totals:12 expected: <6> but was: <5>
[ERROR] Tests run: 5, Failures: 1, Errors: 1, Skipped: 1
"""
GRADLE = "CartTest > totals() FAILED\n\n5 tests completed, 1 failed, 1 skipped\n"
RSPEC = "4 examples, 1 failure, 1 pending\n\nrspec ./spec/cart_spec.rb:3 # Cart totals\n"
MINITEST = "Cart#test_totals [t.rb:3]\n4 runs, 5 assertions, 1 failures, 0 errors, 1 skips\n"
PHPUNIT = "1) App\\CartTest::testTotals\n\nTests: 4, Assertions: 5, Failures: 1, Skipped: 1.\n"


@pytest.mark.parametrize(
    ("text", "counts", "names"),
    [
        (PYTEST, (3, 1, 1, 3), ["tests/test_a.py::test_x[1 2]", "tests/test_b.py"]),
        ("12 passed, 3 warnings in 1.20s (0:00:01)\n", (12, 0, 0, 0), []),
        (UNITTEST, (1, 1, 1, 1), ["test_a (test_u.T.test_a)", "test_b (test_u.T.test_b)"]),
        ("Ran 3 tests in 0.0s\n\nOK\n", (3, 0, 0, 0), []),
        (GO, (1, 1, 0, 0), ["TestTotal"]),
        (GO_PACKAGES, (1, 1, 0, 0), ["example.com/b"]),
        (CARGO, (5, 1, 0, 2), ["tests::multiplies"]),
        (JEST, (5, 1, 0, 1), ["cart › totals"]),
        (VITEST, (4, 1, 0, 0), ["web/d.test.ts > cart > totals"]),
        (MOCHA, (3, 1, 0, 0), ["cart"]),
        (NODE, (2, 1, 0, 0), ["totals"]),
        (TAP, (1, 1, 0, 1), ["multiplies"]),
        (MAVEN, (2, 1, 1, 1), ["CartTest.totals:12"]),
        (GRADLE, (3, 1, 0, 1), ["CartTest > totals()"]),
        (RSPEC, (2, 1, 0, 1), ["./spec/cart_spec.rb:3"]),
        (MINITEST, (2, 1, 0, 1), ["Cart#test_totals"]),
        (PHPUNIT, (2, 1, 0, 1), ["App\\CartTest::testTotals"]),
        ("OK (4 tests, 9 assertions)\n", (4, 0, 0, 0), []),
    ],
)
def test_a_runner_s_text_says_what_passed_and_names_what_failed(
    text: str, counts: tuple[int, int, int, int], names: list[str]
) -> None:
    results = read_runner_text(f"> test\n{text}")
    assert results is not None
    assert (results.passed, results.failed, results.errors, results.skipped) == counts
    assert [failure.name for failure in results.failures] == names


@pytest.mark.parametrize("text", ["", "Hello.\n", "Build finished in 3.2s\n", "ok then\n"])
def test_text_that_is_of_no_runner_has_no_results(text: str) -> None:
    assert read_runner_text(text) is None


def test_junit_is_read_with_a_bound_on_failures() -> None:
    case = '<testcase classname="c" name="n{}" file="src/a.py" line="4"><error message="m">t</error></testcase>'
    many = "".join(case.format(number) for number in range(MOST_FAILURES + 5))
    results = read_junit(f"<testsuites><testsuite>{many}</testsuite></testsuites>".encode(), PATHS)
    assert results is not None
    assert (results.errors, len(results.failures)) == (MOST_FAILURES + 5, MOST_FAILURES)
    first = results.failures[0]
    assert (first.name, first.message) == ("c.n0", "m")
    assert first.place is not None
    assert (first.place.path, first.place.line) == ("src/a.py", 5)


@pytest.mark.parametrize("document", [b"", b"<a/>", b"<testsuite>", b"\xff\xfe", b"{}"])
def test_what_is_no_junit_has_no_results(document: bytes) -> None:
    assert read_junit(document, PATHS) is None


def test_no_failure_counts_as_all_passed_without_a_test() -> None:
    assert not TestResults().all_passed


COBERTURA = (
    b'<coverage><packages><package><classes><class filename="src/a.py"><lines>'
    b'<line number="1" hits="1"/><line number="2" hits="0"/></lines></class></classes></package></packages></coverage>'
)
LCOV = b"TN:\nSF:/w/web/d.js\nDA:1,1\nDA:2,0\nDA:3,4\nend_of_record\n"
GO_COVER = b"mode: set\nexample.com/x/pkg/c.go:1.2,3.4 2 1\nexample.com/x/pkg/c.go:5.1,6.2 1 0\n"
COVERAGE_PY = (
    b'{"meta": {}, "files": {"src/a.py": {"summary": {"num_statements": 4, "covered_lines": 3}}}}'
)


@pytest.mark.parametrize(
    ("name", "data", "path", "counts"),
    [
        ("coverage.xml", COBERTURA, "src/a.py", (2, 1)),
        ("lcov.info", LCOV, "web/d.js", (3, 2)),
        ("cover.out", GO_COVER, "pkg/c.go", (5, 3)),
        ("coverage.json", COVERAGE_PY, "src/a.py", (4, 3)),
    ],
)
def test_coverage_is_read_from_each_form(
    name: str, data: bytes, path: str, counts: tuple[int, int]
) -> None:
    coverage = read_coverage(name, data, PATHS)
    assert coverage is not None
    assert (coverage.lines, coverage.covered) == counts
    assert [file.path for file in coverage.files] == [path]


def test_coverage_is_read_from_the_table_for_people() -> None:
    table = "Name      Stmts   Miss  Cover\nsrc/a.py  10  2  80%\nsrc/b.py  5  5  0%  1-5\nTOTAL  15  7  53%\n"
    coverage = read_coverage_table(table, PATHS)
    assert coverage is not None
    assert (coverage.lines, coverage.covered, len(coverage.files)) == (15, 8, 2)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.json", b"{}"),
        ("a.json", b"["),
        ("a.xml", b"<coverage>"),
        ("a.out", b"x"),
        ("a.info", b"SF:x\nDA:y"),
    ],
)
def test_what_is_no_coverage_has_none(name: str, data: bytes) -> None:
    assert read_coverage(name, data, PATHS) is None


GO_TEXT = "--- FAIL: TestTen (0.00s)\n    c.go:12: got 190, want 180\nFAIL\n"
JEST = """\
  ● cart › ten percent

    expect(received).toBe(expected)

    Expected: 180
    Received: 190
      at Object.<anonymous> (web/d.js:7:3)

Tests:       1 failed, 2 passed, 3 total
"""


@pytest.mark.parametrize(
    ("text", "name", "reason", "place"),
    [
        (GO_TEXT, "TestTen", "got 190, want 180", "pkg/c.go:12"),
        (JEST, "cart › ten percent", "Expected: 180", "web/d.js:7"),
    ],
)
def test_a_failure_s_reason_and_place_are_read_below_its_name(
    text: str, name: str, reason: str, place: str
) -> None:
    results = read_runner_text(text)
    assert results is not None
    (failure,) = explained(results, text, PATHS).failures
    assert failure.name == name
    assert reason in failure.message
    assert failure.place is not None
    assert failure.place.shown == place


def test_a_failure_that_the_text_says_nothing_of_stays_as_it_is() -> None:
    results = TestResults(failed=1, failures=(TestFailure(name="a.b"),))
    assert explained(results, "FAILED: a.b\nnothing else", PATHS) == results

"""What a runner wrote below the name of a test that failed: its reason, and the line that it names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from shared.models.agent import TestFailure, TestResults
from shared.models.findings import Place
from shared.patterns import regex
from workers.tools.agent.repository_paths import RepositoryPaths

MOST_LINES, MOST_LETTERS = 14, 600
_HEADS = (
    r"^---- {name} stdout ----$",  # cargo
    r"^\s*--- FAIL: {name}\b",  # go test
    r"^\s*not ok \d+ -? ?{name}\s*(?:#.*)?$",  # the Test Anything Protocol
    r"^\s*✖ {name}(?: \([\d.]+ms\))?$",  # node --test, for people
    r"^\s*● .*{name}$",  # jest
    r"^\s*FAIL\s+.*{name}$",  # vitest
)
_NEXT = regex(
    r"^(?:---- |\s*--- (?:FAIL|PASS|SKIP): |\s*(?:not )?ok \d+|\s*# Subtest|\s*[✖✔●] |\d+\.\.\d+|"
    r"test result:|failures:|FAIL\b|PASS\b)"
)
_DULL = regex(
    r"^\s*(?:---|\.\.\.|$|duration_ms:|type:|failureType:|code:|name:|stack:|note: run with|at .*node:internal|"
    r".*\(node:(?:internal|async_hooks)|location:|operator:|async Test\.)"
)
_KEY = regex(r"^\s*error: (?:\|-$)?['\"]?")
_PLACE = regex(r"(?<![\w/.])((?:[A-Za-z]:)?[\w./@+-]*\w\.[A-Za-z]\w{0,4}):(\d{1,7})\b")


def explained(results: TestResults, text: str, paths: RepositoryPaths) -> TestResults:
    """With a reason and a place for each failure that has none, as far as the text has them."""
    lines = text.split("\n")
    failures = tuple(_explained(failure, lines, paths) for failure in results.failures)
    return results.model_copy(update={"failures": failures})


def _explained(failure: TestFailure, lines: Sequence[str], paths: RepositoryPaths) -> TestFailure:
    if failure.message and failure.place is not None:
        return failure
    block = _below(failure.name, lines)
    rows = [_KEY.sub("", row).strip().rstrip("'\"") for row in block if not _DULL.match(row)]
    message = failure.message or "\n".join(filter(None, rows))[:MOST_LETTERS]
    place = failure.place or first_place([*block, failure.message], paths)
    return failure.model_copy(update={"message": message, "place": place})


def _below(name: str, lines: Sequence[str]) -> list[str]:
    """The lines below the last head with the test's name, up to the next test."""
    heads = [re.compile(head.format(name=re.escape(name))) for head in _HEADS]
    at = [n for n, line in enumerate(lines) if any(head.match(line) for head in heads)]
    block: list[str] = []
    for line in lines[at[-1] + 1 :] if at else ():
        if len(block) >= MOST_LINES or (block and _NEXT.match(line)):
            break
        block.append(line)
    return block


def first_place(rows: Iterable[str], paths: RepositoryPaths) -> Place | None:
    """The first line of a file of the repository that is named."""
    named = (match for row in rows for match in _PLACE.findall(row))
    places = (paths.place(path, int(line)) for path, line in named)
    return next((place for place in places if place is not None), None)

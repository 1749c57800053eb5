"""Do once what each process of a parallel test session would do by itself before its first test.

    python .ci/prepare_tests.py

Every process collects all tests: it rewrites the assertions of every test module (half of a collection's processor
time) and, for Hypothesis, parses all sources for their constants (another quarter). Both keep what they made in
caches, which are empty in a new clone; processes that start together find them empty together. So two processes
collect half of the tests each, before. What changes later each process does for itself. Where PYTHONDONTWRITEBYTECODE
is set pytest reads the first one and never writes it: here it does.
"""

from __future__ import annotations

import io
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stdout
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PREPARED = ROOT / ".hypothesis" / "prepared"
FIRST_HALF = "orchestrator"
"""The folder of tests with about as many lines as all others together."""


class Collected:
    """What is done when the tests have been collected."""

    def pytest_collection_finish(self) -> None:
        """Try a property: the constants of everything that has been imported are among its examples."""
        hypothesis = import_module("hypothesis")  # not before pytest has rewritten it

        @hypothesis.settings(database=None)
        @hypothesis.given(hypothesis.strategies.text())
        def draw(_: str) -> None: ...

        draw()


def prepare(folders: list[str]) -> int:
    """Fill both caches for the tests of some folders and what they import; pytest's exit code."""
    sys.dont_write_bytecode = False
    with redirect_stdout(io.StringIO()):
        return pytest.main(
            ["--collect-only", "-qq", "-p", "no:cacheprovider", *folders], [Collected()]
        )


def main() -> None:
    """Collect both halves at once, in a new clone. An error of a test module is told by the session itself."""
    if PREPARED.exists():
        return
    os.chdir(ROOT)
    tests = ROOT / "tests"
    others = [str(path) for path in sorted(tests.iterdir()) if path.name != FIRST_HALF]
    halves = [[str(tests / FIRST_HALF)], [path for path in others if not path.endswith(".py")]]
    with ProcessPoolExecutor(len(halves)) as processes:
        list(processes.map(prepare, halves))
    PREPARED.touch()


if __name__ == "__main__":
    main()

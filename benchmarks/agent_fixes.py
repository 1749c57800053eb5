"""Does an agent take a failing test to a tested commit? Planted bugs, and a scripted coder that has each fix.

    python -m benchmarks.agent_fixes --data DIR [--at-once 4] [--most N] [--only Python/10]

DIR holds `humanevalpack/*.jsonl` (or `*.jsonl` itself). Each problem becomes a repository of its own with the buggy
function and its tests; `quorate agent --mode test` runs them, asks the coder, has the patch approved, runs the tests
again and commits. Of every problem five things must hold: the tests failed before, the patch was approved, the tests
passed afterwards, the branch has the fixed function, and the person's own checkout is as it was. The command ends with
1 where one does not. All runs share one embedded installation below a temporary folder, which is shut down at the end.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.data import folder_of

QUORATE = Path(sys.executable).with_name("quorate")
TESTS = f"{sys.executable} -m pytest -q -p no:cacheprovider"
CALL = re.compile(r"^check\((\w+)\)\s*\Z", re.MULTILINE)
CONFIG = "participants: [coder]\nproviders:\n  coder: {type: scripted, script: replies.json}\n"
NAMED = ("-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "commit.gpgsign=false")


@dataclass(frozen=True)
class PlantedBug:
    """A function with a bug, without it, and the tests that tell them apart."""

    name: str
    buggy: str
    fixed: str
    tests: str


@dataclass(frozen=True)
class Ended:
    """How the agent's run on one problem ended: what did not hold, the modes, the commands' codes, the time."""

    bug: PlantedBug
    missed: tuple[str, ...]
    path: tuple[str, ...]
    codes: tuple[int | None, ...]
    seconds: float


# ---- the problems -------------------------------------------------------------------------------


def planted(lines: Iterable[str]) -> Iterator[PlantedBug]:
    """The problems of a file; their tests become one test function each."""
    for line in lines:
        row = json.loads(line)
        tests, calls = CALL.subn(r"def test_solution():\n    check(\1)\n", row["test"])
        assert calls == 1, row["task_id"]
        yield PlantedBug(
            name=row["task_id"],
            buggy=row["prompt"] + row["buggy_solution"],
            fixed=row["prompt"] + row["canonical_solution"],
            tests=f"from task import *\n{tests}",
        )


def patch_of(bug: PlantedBug) -> str:
    """The fix as a coder writes it."""
    buggy, fixed = (text.splitlines(keepends=True) for text in (bug.buggy, bug.fixed))
    return "".join(difflib.unified_diff(buggy, fixed, "a/task.py", "b/task.py"))


# ---- the runs -----------------------------------------------------------------------------------


def mend(bug: PlantedBug, folder: Path, environ: dict[str, str], limit_s: int) -> Ended:
    """Have the agent mend one bug in a repository below `folder`."""
    repository = folder / "repository"
    repository.mkdir(parents=True)
    (repository / "task.py").write_text(bug.buggy)
    (repository / "test_task.py").write_text(bug.tests)
    _git(repository, "init", "-q")
    _git(repository, "add", "-A")
    _git(repository, *NAMED, "commit", "-q", "-m", "planted")
    reply = {"patch": patch_of(bug), "explanation": "The planted bug is gone.", "complete": True}
    script = [{"when": {"role": "coding"}, "reply": reply}]
    (folder / "replies.json").write_text(json.dumps(script))
    (folder / "agent.yaml").write_text(CONFIG)
    words = ("agent", "make the tests pass", "--mode", "test", "--tests", TESTS)
    limit = ("--command-timeout", str(limit_s))
    began = time.monotonic()
    done = subprocess.run(
        [
            QUORATE,
            *words,
            *limit,
            "--config",
            folder / "agent.yaml",
            "--decide",
            "approve",
            "--json",
        ],
        cwd=repository,
        env=environ,
        capture_output=True,
        check=False,
    )
    seconds = time.monotonic() - began
    if not done.stdout.strip():
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        return Ended(bug, ("no result", *last), (), (), seconds)
    return judged(bug, json.loads(done.stdout)["detail"], repository, seconds)


def judged(bug: PlantedBug, detail: dict[str, Any], repository: Path, seconds: float) -> Ended:
    """What did not hold of a run."""
    reports = detail.get("commands", [])
    codes = tuple(report.get("code") for report in reports)
    last = (reports[-1].get("tests") or {}) if reports else {}
    commits = [commit["commit"] for commit in detail.get("commits", [])]
    path = tuple(row["to_mode"] for row in detail.get("path", []))
    status = _git(repository, "status", "--porcelain")
    held = {
        "the tests failed before": len(codes) > 1 and codes[0] != 0,
        "a patch was approved": "implementation" in path and bool(detail.get("patch")),
        "the tests passed afterwards": codes[-1:] == (0,) and last.get("passed") == 1,
        "the branch has the fix": [_file_of(repository, commit) for commit in commits]
        == [bug.fixed],
        "the checkout is as it was": not status
        and (repository / "task.py").read_text() == bug.buggy,
    }
    missed = tuple(name for name, holds in held.items() if not holds)
    return Ended(bug, missed, path, codes, seconds)


def _file_of(repository: Path, commit: str) -> str:
    return _git(repository, "show", f"{commit}:task.py")


def _git(repository: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(repository), *arguments], capture_output=True, check=True, text=True
    )
    return done.stdout


# ---- what is printed ----------------------------------------------------------------------------


def summary(ended: Iterable[Ended]) -> list[str]:
    """A line for each problem that was missed, then the counts and the times."""
    known = sorted(ended, key=lambda each: each.bug.name)
    lines = [
        f"{each.bug.name}: missed {', '.join(each.missed)} (codes {list(each.codes)}, {' > '.join(each.path)})"
        for each in known
        if each.missed
    ]
    met = sum(not each.missed for each in known)
    stopped = sum(each.codes[:1] == (None,) for each in known)
    seconds = sorted(each.seconds for each in known)
    times = f"median {statistics.median(seconds):.1f} s, longest {seconds[-1]:.1f} s"
    return [
        *lines,
        f"{met} of {len(known)} bugs mended: buggy fails ({stopped} by the time limit), fixed passes; a run {times}",
    ]


def main() -> int:
    """Mend every problem and print what came of it; 1 where one was missed."""
    parser = argparse.ArgumentParser(description="Planted bugs, mended by an agent.")
    parser.add_argument("--data", type=Path, metavar="DIR", required=True)
    parser.add_argument("--at-once", type=int, default=4, help="runs side by side")
    parser.add_argument("--most", type=int, help="the first N problems")
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--command-timeout", type=int, default=30, metavar="S")
    options = parser.parse_args()
    bugs: list[PlantedBug] = []
    for file in sorted(folder_of(options.data, "humanevalpack").glob("*.jsonl")):
        bugs += planted(file.read_text().splitlines())
    if options.only:
        bugs = [bug for bug in bugs if bug.name in options.only]
    bugs = bugs[: options.most]
    if not bugs:
        raise SystemExit("no problem: does the folder hold HumanEvalPack?")
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="quorate-fixes-") as root:
        home = Path(root)
        environ = {**os.environ, "HOME": root}
        try:
            with ThreadPoolExecutor(options.at_once) as pool:
                runs = [
                    pool.submit(mend, bug, home / str(n), environ, options.command_timeout)
                    for n, bug in enumerate(bugs)
                ]
                ended = [run.result() for run in runs]
        finally:
            subprocess.run([QUORATE, "down"], env=environ, capture_output=True, check=False)
    print("\n".join(summary(ended)))
    print(f"all: {time.monotonic() - began:.0f} s, {options.at_once} at once")
    return 1 if any(each.missed for each in ended) else 0


if __name__ == "__main__":
    sys.exit(main())

"""What does a keyless review say of real bugs? Fixes are taken back, and the panel of analysers reviews that change.

    python -m benchmarks.reversed_fixes --data DIR --repository PATH [--repository PATH ...] [--most 30]

DIR holds `humanevalpack/*.jsonl` (or `*.jsonl` itself): functions with their fixed and their buggy body, of which the
change from the first to the second is reviewed. Of each repository (a clone, bare or not) the newest commits are taken
whose subject says that they fix something and that touch a source file: the change from the commit to its parent is
reviewed, tests included. Every change brings a bug back, so no verdict may be APPROVED; the command ends with 1 where
one is. Nothing in the repositories is changed: the two states are copied to a temporary folder.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.data import folder_of
from shared.models.outcomes import Verdict

FIXES = re.compile(r"\b(?:fix(?:e[sd])?|bug|regression|crash(?:es)?)\b", re.IGNORECASE)
NO_BUG = re.compile(
    r"\b(?:typo|lint|docs?|comment|spelling|format|ci|flake|wording)\b", re.IGNORECASE
)
SOURCES = (".py", ".go", ".js", ".ts", ".jsx", ".tsx", ".rs", ".java", ".rb", ".c", ".cc", ".php")
MOST_FILES = 12
LOOKED_BACK = 2000
QUORATE = Path(sys.executable).with_name("quorate")
REVIEW = ("review", "--staged", "--preset", "keyless", "--fail-on", "major", "--decide", "skip")


@dataclass(frozen=True)
class ReversedFix:
    """A bug that comes back: the files before (fixed) and after (None: gone), by path."""

    source: str
    name: str
    before: Mapping[str, bytes | None]
    after: Mapping[str, bytes | None]


@dataclass(frozen=True)
class Answer:
    """What a review said of one."""

    case: ReversedFix
    verdict: str
    gate: str
    code: int


# ---- the cases ----------------------------------------------------------------------------------


def planted(lines: Iterable[str]) -> Iterator[ReversedFix]:
    """Functions with a bug that somebody planted."""
    for line in lines:
        row = json.loads(line)
        states = (
            f"{row['prompt']}{row[body]}" for body in ("canonical_solution", "buggy_solution")
        )
        fixed, buggy = (state.encode() for state in states)
        yield ReversedFix("humanevalpack", row["task_id"], {"task.py": fixed}, {"task.py": buggy})


def is_fix(subject: str) -> bool:
    """Whether a commit's subject says that it mends what the program does."""
    return bool(FIXES.search(subject)) and not NO_BUG.search(subject)


def committed(repository: Path, most: int) -> Iterator[ReversedFix]:
    """The newest fixes of a repository."""
    listed = _git(repository, "log", "--no-merges", f"-{LOOKED_BACK}", "--format=%H %s").decode()
    left = most
    for line in listed.splitlines():
        commit, _, subject = line.partition(" ")
        paths = _changed(repository, commit) if left and is_fix(subject) else ()
        if not 0 < len(paths) <= MOST_FILES or not any(path.endswith(SOURCES) for path in paths):
            continue
        left -= 1
        fixed, buggy = (
            {path: _content(repository, state, path) for path in paths}
            for state in (commit, f"{commit}~1")
        )
        yield ReversedFix(
            repository.resolve().parent.name, f"{commit[:10]} {subject}", fixed, buggy
        )


def _changed(repository: Path, commit: str) -> tuple[str, ...]:
    listed = _git(
        repository, "diff-tree", "-r", "--root", "--no-commit-id", "--name-only", "-z", commit
    )
    return tuple(listed.decode(errors="surrogateescape").split("\0")[:-1])


def _content(repository: Path, state: str, path: str) -> bytes | None:
    shown = subprocess.run(
        ["git", "-C", str(repository), "show", f"{state}:{path}"], capture_output=True, check=False
    )
    return None if shown.returncode else shown.stdout


def _git(repository: Path, *arguments: str) -> bytes:
    return subprocess.run(
        ["git", "-C", str(repository), *arguments], capture_output=True, check=True
    ).stdout


# ---- the reviews --------------------------------------------------------------------------------


def review(case: ReversedFix, environ: Mapping[str, str], folder: Path) -> Answer:
    """Stage the change in a new repository, and let the analysers look."""
    _git(folder, "init", "-q")
    _put(folder, case.before)
    _git(folder, "add", "-A")
    named = ("-c", "user.name=x", "-c", "user.email=x@x.x", "-c", "commit.gpgsign=false")
    _git(folder, *named, "commit", "-q", "--allow-empty", "-m", "fixed")
    _put(folder, case.after)
    _git(folder, "add", "-A")
    done = subprocess.run(
        [QUORATE, *REVIEW, "--json"], cwd=folder, env=environ, capture_output=True, check=False
    )
    result = json.loads(done.stdout) if done.stdout.strip() else {}
    gate = result.get("gate", {}).get("outcome", "-")
    return Answer(case, str(result.get("verdict")), gate, done.returncode)


def _put(folder: Path, files: Mapping[str, bytes | None]) -> None:
    for path, content in files.items():
        file = folder / path
        if content is None:
            file.unlink(missing_ok=True)
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)


# ---- what is printed ----------------------------------------------------------------------------


def summary(answers: Iterable[Answer]) -> list[str]:
    """A line a source and verdict, with the codes, and every case that was approved."""
    told = list(answers)
    counted = Counter((each.case.source, each.verdict, each.gate, each.code) for each in told)
    lines = [
        f"{source:24} {verdict:14} gate {gate:12} exit {code}: {number}"
        for (source, verdict, gate, code), number in sorted(counted.items())
    ]
    approved = [each.case for each in told if each.verdict == Verdict.APPROVED]
    lines += [f"APPROVED: {case.source} {case.name}" for case in approved]
    return [*lines, f"{len(approved)} of {len(told)} reversed fixes APPROVED"]


def main() -> int:
    """Review every case and print what was said; 1 where one is approved."""
    parser = argparse.ArgumentParser(
        description="Bug fixes that are taken back, reviewed without a key."
    )
    parser.add_argument("--data", type=Path, metavar="DIR")
    parser.add_argument("--repository", type=Path, action="append", default=[], metavar="PATH")
    parser.add_argument("--most", type=int, default=30, help="cases of each source")
    options = parser.parse_args()
    cases: list[ReversedFix] = []
    for file in (
        sorted(folder_of(options.data, "humanevalpack").glob("*.jsonl")) if options.data else ()
    ):
        cases += list(planted(file.read_text().splitlines()))[: options.most]
    for repository in options.repository:
        cases += committed(repository, options.most)
    if not cases:
        raise SystemExit("no case: name --data, --repository or both")
    answers = []
    for case in cases:
        with tempfile.TemporaryDirectory(prefix="quorate-reversed-") as folder:
            answers.append(review(case, os.environ, Path(folder)))
    lines = summary(answers)
    print("\n".join(lines))
    return 1 if any(line.startswith("APPROVED") for line in lines) else 0


if __name__ == "__main__":
    sys.exit(main())

"""The tool `tests.run`: what the project's own tests come to, as reviewed, with each patch and with each supplied test.

This is the one tool that runs code of the change. It does so only where a person switched it on and entered the command
on this machine (workers/turns/allowance.py), on a copy of the reviewed state, behind walls: where this system gives
none that hold files back, nothing is run. The copy has no links, no hooks and no repository around it.

A supplied test is a new file with a name by which runners of tests find one: it sets nothing up for the other tests.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from shared.errors import ToolError
from shared.git.process import Git
from shared.models.review_replies import CheckedFix, ReproductionRun, SuiteReport, SuiteRun
from shared.models.subject import Origin, Subject
from shared.tools.inputs import Reproduction, SuiteInput
from workers.tools.fixes.combination import combine
from workers.tools.fixes.repository import FixTarget, borrowed, commit_of
from workers.tools.registry import ToolContext
from workers.tools.sandbox.sandbox import Countdown, ProgramResult, execute, scratch
from workers.tools.sandbox.walls import SYSTEM_PATH, walls
from workers.tools.snapshot import check_path, load_subject, path_problem, post_images

SHELL = "/bin/sh"
MOST_PATCHES = 8
MOST_TESTS = 8
RUNS_A_TEST = 4  # as it was reviewed twice, before the change, with the patch
SCRATCH_MB = 2048
# The project's own interpreter comes first, and its tests import what lies beside them and in the working directory.
ENVIRONMENT = {"PATH": f"{SYSTEM_PATH}:{Path(sys.executable).parent}", "PYTHONSAFEPATH": ""}
TAIL = 600  # characters of what the tests wrote, for people
HOLDING = frozenset({"namespaces", "landlock"})
NOT_RUN = frozenset({126, 127})  # the shell's words for "cannot execute" and "not found"
# As runners find tests; what sets other tests up (conftest.py, pytest.ini, vitest.config.ts) is named otherwise.
TEST_NAMES = re.compile(
    r"test_\w+\.(?:py|pl|sh|bats|rb|lua|ml|hs|r|jl|clj|exs|php|dart)"
    r"|\w+_test\.(?:py|go|sh|rb|exs|erl|cc|cpp|c|rs|dart|lua|clj|nim|jl)|\w+_spec\.(?:rb|lua|cr)"
    r"|[\w-]+\.(?:test|spec)\.(?:[cm]?[jt]sx?|coffee)|\w+(?:Test|Tests|Spec|IT)\.(?:java|kt|scala|groovy|cs|swift|php|hs)"
    r"|\w+\.(?:bats|t)"
)

Files = Mapping[str, bytes | None]
"""Contents by path; None is a file that is not there."""


def run(inputs: SuiteInput, context: ToolContext) -> SuiteReport:
    """Raises `ToolError` without walls, without a repository, and where the command itself cannot be run."""
    if HOLDING.isdisjoint(walls()):
        raise ToolError(
            "This system gives no walls that hold files back from a program (`quorate doctor`): no tests are run."
        )
    countdown = context.countdown()
    subject = load_subject(inputs.subject, context.documents)
    fixes = [fix.model_copy(update={"problem": None}) for fix in inputs.fixes[:MOST_PATCHES]]
    supplied = inputs.tests[:MOST_TESTS]
    reviewed = _overlay(subject, context)
    with borrowed(subject.origin, countdown) as (target, git):
        commit = commit_of(target, _commit(subject.origin), git)
        times = 1 + len(fixes) + RUNS_A_TEST * len(supplied)
        trial = _Trial(git, inputs.command, countdown, times)
        before = trial.run(commit, reviewed)
        if before.code in NOT_RUN:
            raise ToolError("The command of the tests cannot be run: {why}.", why=before.told)
        if before.code is None:
            return SuiteReport(before=before)
        runs, patched = [], dict[str, Files]()
        for fix in fixes:
            done = combine(subject, [fix], None, documents=context.documents, countdown=countdown)
            checked = done.fixes[0]
            if checked.problem is None:
                files = {**reviewed, **done.after}
                runs.append(trial.run(commit, files, checked))
                patched.update(dict.fromkeys(checked.findings, files))
        states = _States(trial, commit, reviewed, patched, _base(target, subject.origin, git))
        reproductions = [states.with_test(test) for test in supplied if before.code == 0]
    return SuiteReport(before=before, runs=tuple(runs), reproductions=tuple(reproductions))


def test_problem(path: str) -> str | None:
    """Why a supplied test may not have this path, or None."""
    if TEST_NAMES.fullmatch(PurePosixPath(path).name) is None:
        return "its name is not one by which tests are found"
    return path_problem(path)


class _Trial:
    """The command, on as many fresh copies of commits as it is run, each time for its share of the time."""

    def __init__(self, git: Git, command: str, countdown: Countdown, times: int) -> None:
        self._git = git
        self._command = command
        self._countdown = countdown
        self._times = times

    def is_free(self, commit: str, path: str) -> bool:
        """Whether the commit has nothing of that name, and only folders above it."""
        above = [str(parent) for parent in PurePosixPath(path).parents][:-1]
        listed = self._git.run("ls-tree", "-z", commit, "--", path, *above).split(b"\0")[:-1]
        types = {row.partition(b"\t")[2]: row.split()[1] for row in listed}
        return path.encode() not in types and set(types.values()) <= {b"tree"}

    def run(self, commit: str, files: Files, fix: CheckedFix | None = None) -> SuiteRun:
        """The command on the commit with these contents."""
        self._git.run("read-tree", commit)
        with scratch() as tree, scratch() as home:
            git = self._git.with_environment({"GIT_WORK_TREE": str(tree)})
            git.run("-c", "core.symlinks=false", "checkout-index", "--all", "--force")
            for path, data in files.items():
                _put(tree, path, data)
            finished = execute(
                [SHELL, "-c", self._command],
                cwd=tree,
                home=home,
                timeout_s=self._countdown.remaining_s() / self._times,
                environment=ENVIRONMENT,
                confinement=self._countdown.confinement(scratch_mb=SCRATCH_MB),
            )
        self._times = max(1, self._times - 1)
        findings = () if fix is None else fix.findings
        return SuiteRun(
            findings=findings,
            code=None if finished.timed_out or finished.truncated else finished.code,
            told=_tail(finished),
        )


@dataclass(frozen=True)
class _States:
    """The states on which a supplied test is tried: as reviewed, with each finding's patch, before the change."""

    trial: _Trial
    commit: str
    reviewed: Files
    patched: Mapping[str, Files]
    base: str | None

    def with_test(self, supplied: Reproduction) -> ReproductionRun:
        """Where it fails on the reviewed state, the other states are tried, too."""
        finding, path = supplied.finding, supplied.test.path
        problem = test_problem(path)
        if problem is None and not self._is_free(path):
            problem = "there is a file of that name, or of a folder's above it"
        if problem is not None:
            return ReproductionRun(finding=finding, problem=problem)
        added = {path: supplied.test.text.encode("utf-8", "replace")}
        run = self.trial.run(self.commit, {**self.reviewed, **added})
        result = ReproductionRun(finding=finding, reviewed=run.code, told=run.told)
        if not result.fails:
            return result
        again = self.trial.run(self.commit, {**self.reviewed, **added})
        if again.code != run.code:
            problem = "it does not end the same way twice"
            return ReproductionRun(finding=finding, problem=problem)
        codes: dict[str, int | None] = {}
        if finding in self.patched:
            files = {**self.patched[finding], **added}
            codes["patched"] = self.trial.run(self.commit, files).code
        if self.base is not None and self.trial.is_free(self.base, path):
            codes["before"] = self.trial.run(self.base, added).code
        return result.model_copy(update=codes)

    def _is_free(self, path: str) -> bool:
        names = {path, *map(str, PurePosixPath(path).parents)}
        reviewed = {name for name, data in self.reviewed.items() if data is not None}
        return names.isdisjoint(reviewed) and self.trial.is_free(self.commit, path)


def _base(target: FixTarget, origin: Origin, git: Git) -> str | None:
    """The commit that the change begins at, where there is one."""
    try:
        return commit_of(target, origin.base, git)
    except ToolError:
        return None


def _commit(origin: Origin) -> str | None:
    return origin.head if origin.reviewed in ("index", "worktree") else origin.reviewed


def _overlay(subject: Subject, context: ToolContext) -> dict[str, bytes | None]:
    """What the reviewed state has beyond its commit: nothing where a commit was reviewed."""
    if subject.origin.reviewed not in ("index", "worktree"):
        return {}
    gone = {file.path: None for file in subject.files if file.status == "deleted"}
    return {**post_images(subject, context.documents), **gone}


def _put(tree: Path, path: str, data: bytes | None) -> None:
    check_path(path)
    target = tree / path
    try:
        if data is None:
            target.unlink(missing_ok=True)
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
        with os.fdopen(os.open(target, flags, 0o600), "wb") as file:
            file.write(data)
    except OSError as error:
        raise ToolError(
            "{path} cannot be written: {why}.", path=path, why=error.strerror
        ) from error


def _tail(finished: ProgramResult) -> str:
    text = (finished.stdout + b"\n" + finished.stderr).decode("utf-8", "replace").strip()
    return text[-TAIL:]

"""The tool `tests.run`: what the project's own tests come to, as it was reviewed and with each patch by itself.

This is the one tool that runs code of the change. It does so only where a person switched it on and entered the command
on this machine (workers/turns/allowance.py), on a copy of the reviewed state, behind walls: where this system gives
none that hold files back, nothing is run. The copy has no links, no hooks and no repository around it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from shared.errors import ToolError
from shared.git.process import Git
from shared.models.replies import CheckedFix, SuiteReport, SuiteRun
from shared.models.subject import Origin, Subject
from shared.tools.inputs import SuiteInput
from workers.tools.fixes.combination import combine
from workers.tools.fixes.repository import FixTarget, commit_of, open_target
from workers.tools.registry import ToolContext
from workers.tools.sandbox.git import own_repository
from workers.tools.sandbox.sandbox import Countdown, ProgramResult, execute, scratch
from workers.tools.sandbox.walls import SYSTEM_PATH, walls
from workers.tools.snapshot import check_path, load_subject, post_images

SHELL = "/bin/sh"
MOST_PATCHES = 8
SCRATCH_MB = 2048
TAIL = 600  # characters of what the tests wrote, for people
HOLDING = frozenset({"namespaces", "landlock"})
NOT_RUN = frozenset({126, 127})  # the shell's words for "cannot execute" and "not found"


def run(inputs: SuiteInput, context: ToolContext) -> SuiteReport:
    """Raises `ToolError` without walls, without a repository, and where the command itself cannot be run."""
    if HOLDING.isdisjoint(walls()):
        raise ToolError(
            "This system gives no walls that hold files back from a program (`quorate doctor`): no tests are run."
        )
    countdown = context.countdown()
    subject = load_subject(inputs.subject, context.documents)
    fixes = [fix.model_copy(update={"problem": None}) for fix in inputs.fixes[:MOST_PATCHES]]
    reviewed = _overlay(subject, context)
    with scratch() as home, own_repository(countdown, isolate=False) as (own, _):
        target = open_target(subject.origin, home, countdown)
        git = _lent(own, target)
        commit = commit_of(target, _commit(subject.origin), git)
        trial = _Trial(git, commit, inputs.command, countdown, len(fixes) + 1)
        before = trial.run(reviewed)
        if before.code in NOT_RUN:
            raise ToolError(f"The command of the tests cannot be run: {before.told}.")
        runs = []
        for fix in fixes if before.code is not None else ():
            done = combine(subject, [fix], None, documents=context.documents, countdown=countdown)
            checked = done.fixes[0]
            if checked.problem is None:
                runs.append(trial.run({**reviewed, **done.after}, checked))
    return SuiteReport(before=before, runs=tuple(runs))


class _Trial:
    """The command, on as many fresh copies of the commit as it is run, each time for its share of the time."""

    def __init__(
        self, git: Git, commit: str, command: str, countdown: Countdown, times: int
    ) -> None:
        self._git = git
        self._command = command
        self._countdown = countdown
        self._times = times
        git.run("read-tree", commit)

    def run(self, files: Mapping[str, bytes | None], fix: CheckedFix | None = None) -> SuiteRun:
        """The command on the commit with these contents; None is a file that is not there."""
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
                environment={"PATH": f"{Path(sys.executable).parent}:{SYSTEM_PATH}"},
                confinement=self._countdown.confinement(scratch_mb=SCRATCH_MB),
            )
        self._times = max(1, self._times - 1)
        findings = () if fix is None else fix.findings
        return SuiteRun(
            findings=findings,
            code=None if finished.timed_out or finished.truncated else finished.code,
            told=_tail(finished),
        )


def _lent(own: Git, target: FixTarget) -> Git:
    """Our own repository, which reads the person's objects and writes none of them."""
    return own.with_environment({"GIT_ALTERNATE_OBJECT_DIRECTORIES": str(target.objects)})


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
        raise ToolError(f"{path} cannot be written: {error.strerror}.") from error


def _tail(finished: ProgramResult) -> str:
    text = (finished.stdout + b"\n" + finished.stderr).decode("utf-8", "replace").strip()
    return text[-TAIL:]

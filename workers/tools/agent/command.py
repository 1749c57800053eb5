"""The tool `agent.command`: a command that a person entered on this machine, run on a copy of the workspace.

It runs behind walls only: where this system gives none that hold files back, nothing is run. The copy has no links, no
hooks and no repository around it, and is gone afterwards; what the command says and reports is all that is kept.
"""

from __future__ import annotations

import re
import shlex
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from shared.errors import ToolError
from shared.models.agent import CommandReport, CoverageData, TestResults
from shared.patterns import regex
from shared.text.masking.mask import mask
from shared.tools.agent_inputs import CommandRunInput
from workers.tools.agent.command_programs import programs_of
from workers.tools.agent.coverage_reports import read_coverage, read_coverage_table
from workers.tools.agent.failure_texts import explained
from workers.tools.agent.junit import added, read_junit
from workers.tools.agent.repository_paths import RepositoryPaths
from workers.tools.agent.runner_texts import read_runner_text
from workers.tools.agent.traces import located_errors
from workers.tools.agent.workspace import WorkspaceTree, open_workspace
from workers.tools.fixes.suite import HOLDING, SCRATCH_MB, SHELL
from workers.tools.fixes.worktree import LINK, read_entry
from workers.tools.registry import ToolContext
from workers.tools.sandbox.sandbox import MEGABYTE, MOST_ENTRIES, ProgramResult, execute, scratch
from workers.tools.sandbox.walls import walls
from workers.trees import entries_of

REPORT = "quorate-junit.xml"
REPORTS = (".xml", ".json", ".info", ".out", ".lcov")
MOST_REPORTS = 500
LARGEST_REPORT = 8 * MEGABYTE
MOST_READ = 1024 * 1024  # of what the command wrote, its end
MOST_SHOWN = 20_000
MOST_ERRORS = 20
_XML_REPORT = regex(r"<testsuites[\s>].*?</testsuites>", re.DOTALL)
_LCOV_END = "\nend_of_record"
"""A runner may write its report where others write for people (`node --test --test-reporter=junit`)."""
STACK_SHARE = 0.5  # of the time of a command, for one test


@dataclass(frozen=True)
class _Run:
    """A run of the command: how it ended, in what time, and the reports that it left, by name."""

    finished: ProgramResult
    seconds: float
    text: str
    reports: tuple[tuple[str, bytes], ...]

    @property
    def code(self) -> int | None:
        return self.finished.code if self.stopped is None else None

    @property
    def stopped(self) -> str | None:
        if self.finished.timed_out:
            return "time"
        return "output" if self.finished.truncated else None


def run(inputs: CommandRunInput, context: ToolContext) -> CommandReport:
    """The report of the last run: the first that fails ends the others. Raises `ToolError` without walls."""
    if HOLDING.isdisjoint(walls()):
        raise ToolError(
            "This system gives no walls that hold files back from a program (`quorate doctor`): nothing is run."
        )
    with open_workspace(inputs.workspace, context) as tree:
        runs = [_run(inputs.command, tree)]
        while len(runs) < inputs.times and runs[-1].code == 0:
            runs.append(_run(inputs.command, tree))
        seconds = tuple(round(done.seconds, 3) for done in runs)
        return _report(inputs.command, runs[-1], seconds, RepositoryPaths(tree.paths()))


def _run(command: str, tree: WorkspaceTree) -> _Run:
    with tree.written_out() as folder, scratch() as home:
        # pytest reads this wherever the command calls it; other runners do not know it.
        left_s = tree.countdown.remaining_s()
        options = f"--junitxml={shlex.quote(str(home / REPORT))} -o junit_family=xunit1"
        # Where a test never ends, its stack says so before the command is stopped.
        options += f" -o faulthandler_timeout={left_s * STACK_SHARE:.1f}"
        began = time.monotonic()
        written = time.time_ns()
        programs = programs_of(command, tree)
        environment = programs.linked_into(folder)
        finished = execute(
            [SHELL, "-c", f"exec 2>&1\n{command}"],
            cwd=folder,
            home=home,
            timeout_s=left_s,
            environment={**environment, "PYTEST_ADDOPTS": options},
            confinement=tree.countdown.confinement(
                scratch_mb=SCRATCH_MB + tree.total_size // MEGABYTE,
                scratch_entries=MOST_ENTRIES + len(tree.paths()),
                installed=programs.places,
                runs_its_own=True,
            ),
        )
        seconds = time.monotonic() - began
        reports = (*_reports(home, written), *_reports(folder, written))
        text = finished.stdout[-MOST_READ:] + finished.stderr[-MOST_READ:]
        shown = text.decode("utf-8", "replace").replace(f"{folder}/", "").replace(str(home), "~")
        return _Run(finished, seconds, shown, reports)


def _reports(folder: Path, since_ns: int) -> Iterator[tuple[str, bytes]]:
    """What the run wrote and might be a report; links and what is too large are no reports."""
    count = 0
    for entry in entries_of(str(folder)):
        if entry is None or not entry.name.endswith(REPORTS) or count >= MOST_REPORTS:
            continue
        with suppress(OSError, ToolError):
            status = entry.stat(follow_symlinks=False)
            if status.st_mtime_ns < since_ns or status.st_size > LARGEST_REPORT:
                continue
            path = str(Path(entry.path).relative_to(folder))
            content = read_entry(folder, path)
            if content is not None and content.mode != LINK:
                count += 1
                yield entry.name, content.data


def _report(
    command: str, ended: _Run, seconds: tuple[float, ...], paths: RepositoryPaths
) -> CommandReport:
    """What the run came to. Secrets are masked before anything is read out of the text or cut off."""
    done = replace(ended, text=mask(ended.text).text)
    return CommandReport(
        command=mask(command).text,
        code=done.code,
        stopped=done.stopped,
        seconds=seconds,
        output=done.text[-MOST_SHOWN:],
        tests=_tests(done, paths),
        coverage=_coverage(done, paths),
        errors=() if done.code == 0 else located_errors(done.text, paths)[:MOST_ERRORS],
        walls=", ".join(done.finished.walls),
    )


def _tests(done: _Run, paths: RepositoryPaths) -> TestResults | None:
    """What a report says; the text where there is none, or where only the text knows of the failure."""
    results = _reported(done, paths)
    if results is None or (done.code != 0 and not results.failures):
        results = read_runner_text(done.text) or results
    return None if results is None else _masked(explained(results, done.text, paths))


def _reported(done: _Run, paths: RepositoryPaths) -> TestResults | None:
    documents = [data for name, data in done.reports if name.endswith(".xml")]
    documents += [match.group().encode() for match in _XML_REPORT.finditer(done.text)]
    read = [report for data in documents if (report := read_junit(data, paths))]
    return added(read) if read else None


def _masked(results: TestResults) -> TestResults:
    """A parameter of a test stands in its name."""
    failures = tuple(
        failure.model_copy(
            update={"name": mask(failure.name).text, "message": mask(failure.message).text}
        )
        for failure in results.failures
    )
    return results.model_copy(update={"failures": failures})


def _coverage(done: _Run, paths: RepositoryPaths) -> CoverageData | None:
    for name, data in done.reports:
        coverage = read_coverage(name, data, paths)
        if coverage is not None:
            return coverage
    if _LCOV_END in done.text:
        return read_coverage("output.info", done.text.encode(), paths)
    return read_coverage_table(done.text, paths)

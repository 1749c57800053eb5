"""What a pipeline reviews, and under which key: the same commit and configuration are one run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from orchestrator.application.backend import Backend
from orchestrator.application.eval_plan import case_key
from orchestrator.application.installation import QuorateInstallation, StoredInstallation
from orchestrator.application.prepare import PreparedRun
from orchestrator.application.report import report_of
from orchestrator.application.subject_input import ChangeInput
from orchestrator.core.findings.excuses import IGNORE_FILE, Ignore, read_ignores
from orchestrator.core.findings.identity import fingerprints
from orchestrator.core.findings.pushes import PushHistory, RunFindings, compare_pushes
from orchestrator.core.pipelines import REQUEST, PipelineContext, platform_of, read_pipeline
from orchestrator.presentation.exit_code import ExitCode
from orchestrator.presentation.exit_codes import exit_code
from orchestrator.presentation.report import RunReport
from orchestrator.presentation.step_warnings import is_cut
from orchestrator.settings.projects import Reviewed, committed_files
from orchestrator.subjects.revisions import (
    DEEPEN,
    find_commit,
    find_default_branch,
    find_merge_base,
    is_shallow,
)
from shared.errors import SubjectError
from shared.git.process import Git
from shared.git.repository import open_repository
from shared.models.notices import Notice, notice
from shared.models.outcomes import RunStatus
from shared.models.run import RunSpec
from shared.sentences import Sentence
from shared.store.evals import runs_by_key
from shared.store.run_filter import RunFilter
from shared.text.bounded_json import loads

MOST_EVENT_BYTES = 32_000_000
MOST_RUNS = 10  # earlier pushes that are compared
MOST_ATTEMPTS = 100
_UNDECIDED = frozenset({ExitCode.INCONCLUSIVE, ExitCode.CREDENTIALS})
LINE = "pipeline"
"""The label that runs of one request, or of one branch, share."""


def pipeline_of(environ: Mapping[str, str]) -> PipelineContext:
    """The change that the environment means. What cannot be read of an event counts as not said."""
    return read_pipeline(environ, _event(environ))


def _event(environ: Mapping[str, str]) -> dict[str, Any]:
    name = environ.get(platform_of(environ).event or "")
    if not name:
        return {}
    try:
        with Path(name).open("rb") as stream:
            content = stream.read(MOST_EVENT_BYTES)
        event = loads(content)
    except (OSError, ValueError):
        return {}
    return event if isinstance(event, dict) else {}


def change_of(
    context: PipelineContext, directory: Path, environ: Mapping[str, str], base: str | None
) -> ChangeInput:
    """What changed since the merge base with the target. Raises SubjectError where this clone does not hold that."""
    git = open_repository(directory, environ).git
    head = next((each for each in context.heads if find_commit(git, each)), "HEAD")
    if base is not None:
        return ChangeInput(targets=(head,), base=base)
    known = _base_of(git, context)
    if known is None or find_merge_base(git, known, head) == find_commit(git, head):
        return ChangeInput(targets=(head,))
    return ChangeInput(targets=(head,), base=known)


def _base_of(git: Git, context: PipelineContext) -> str | None:
    """What the platform names, as far as this clone knows it; else the default branch."""
    known = next((each for each in context.bases if find_commit(git, each)), None)
    if known is None and context.target:
        todo = (
            DEEPEN
            if is_shallow(git)
            else Sentence("Fetch it: `git fetch origin {target}`.", target=context.target)
        )
        raise SubjectError(
            "The target branch '{target}' is not in this clone, so the change is unknown. {todo}",
            target=context.target,
            todo=todo,
        )
    return known or find_default_branch(git)


def ignores_of(reviewed: Reviewed | None, today: date) -> tuple[list[Ignore], list[str]]:
    """The entries of the repository's ignore file before the change, and those that have expired."""
    if reviewed is None:
        return [], []
    content = committed_files(reviewed, [IGNORE_FILE]).get(IGNORE_FILE, b"")
    where = f"{(reviewed.base or '')[:10]}:{IGNORE_FILE}"
    return read_ignores(content.decode("utf-8", "replace"), where, today)


def known_on_target(
    backend: Backend, context: PipelineContext
) -> tuple[list[Ignore], Notice | None]:
    """What the last conclusive run of the target branch left standing, by fingerprint; and that more was there."""
    runs = (
        []
        if context.target_line is None
        else _runs(StoredInstallation(backend), context.target_line)
    )
    latest = next((run for run in reversed(runs) if run.conclusive), None)
    if latest is None:
        return [], None
    reason = f"known on {context.target} (run {latest.run})"
    more = notice("target_cut", run=latest.run, target=context.target) if latest.cut else None
    return [Ignore(rule=mark, reason=reason) for mark in latest.findings], more


def labelled(prepared: PreparedRun, labels: Mapping[str, JsonValue]) -> PreparedRun:
    """The run with more labels."""

    def make_spec(**more: Any) -> RunSpec:
        spec = prepared.make_spec(**more)
        return spec.model_copy(update={"labels": {**spec.labels, **labels}})

    return replace(prepared, make_spec=make_spec)


def submission_key(
    backend: Backend, prepared: PreparedRun, context: PipelineContext, ignores: Sequence[Ignore]
) -> str:
    """The key of the run for this repository, commit and configuration; a new one where that came to no conclusion."""
    entries = [each.model_dump(mode="json") for each in ignores]
    parts = (context.repository, context.head_commit, case_key(prepared), entries)
    key = f"ci:{hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:40]}"
    names = [key, *(f"{key}:{number}" for number in range(2, MOST_ATTEMPTS))]
    runs = backend.read(lambda connection: runs_by_key(connection, names))
    for name in names:
        row = runs.get(name)
        if row is None or not row.status.final:
            return name
        if exit_code(report_of(backend, row.run)) not in _UNDECIDED:
            return name
    return names[-1]


def history_of(installation: QuorateInstallation, report: RunReport) -> PushHistory | None:
    """What became of the findings since the earlier pushes of a request; None for the first one, and elsewhere.

    A push to a branch is compared with what the branch was, so what it does not name may well be there.
    """
    line = report.spec.labels.get(LINE)
    if (
        not isinstance(line, str)
        or REQUEST not in line
        or report.run.status is not RunStatus.COMPLETED
    ):
        return None
    runs = _runs(installation, line)
    before = [run for run in runs if run.run != report.run.id]
    return compare_pushes(_findings(report), before) if before else None


def _runs(installation: QuorateInstallation, line: str) -> list[RunFindings]:
    """The runs of a line that have ended, the oldest first."""
    rows = installation.listed(MOST_RUNS, RunFilter(pipeline=line)).rows
    ended = [row.id for row in reversed(rows) if row.status is RunStatus.COMPLETED]
    return [_findings(installation.report(run)) for run in ended]


def _findings(report: RunReport) -> RunFindings:
    standing = {finding.id for finding in report.standing}
    shown = [
        each for each in report.kept if each.id in standing and each.id not in report.raised_again
    ]
    marks = fingerprints(report.findings, report.sources)
    return RunFindings(
        report.run.id,
        {marks[finding.id]: finding for finding in shown},
        conclusive=exit_code(report) not in _UNDECIDED,
        cut=is_cut(report.result, report.steps),
    )

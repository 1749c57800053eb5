"""`--since last-run`: the commits that came since the last run of the same repository and options."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from operator import itemgetter

from orchestrator.application.archive import KnownRuns
from orchestrator.application.prepare import SubmissionRequest
from orchestrator.application.subject_input import ChangeInput
from orchestrator.presentation.exit_code import ExitCode
from orchestrator.presentation.exit_codes import exit_code
from orchestrator.subjects.revisions import find_commit, find_merge_base, require_commit
from shared.git.process import Git
from shared.git.repository import Repository, open_repository
from shared.models.notices import Notice, notice
from shared.models.outcomes import RunStatus
from shared.models.rows import RunRow
from shared.store.run_filter import LINE, REVIEWED, RunFilter

MOST_RUNS = 20
"""Earlier runs that are looked at: when none of their commits is here any more, it is a first run again."""
_UNREAD = frozenset({ExitCode.INCONCLUSIVE, ExitCode.CREDENTIALS})
_GONE = frozenset({RunStatus.FAILED, RunStatus.CANCELLED})


@dataclass(frozen=True)
class SinceLastRun:
    """A request about what is new, and what is to be told of it; `misses`: commits may be left out."""

    request: SubmissionRequest
    remark: Notice | None = None
    misses: bool = False


def since_last_run(
    known: KnownRuns,
    request: SubmissionRequest,
    environ: Mapping[str, str],
    *,
    again: bool = False,
) -> SinceLastRun:
    """The request about the commits since the last run that read them; its own change where no run did.

    Its change names the newest commit as its only target. A run that failed, was cancelled or came to no conclusion has
    not read its commits. After a force push it is what came since the two histories parted. `again`: a run at the
    newest commit is tried again rather than continued. Raises SubjectError where the change is not known here.
    """
    change = request.subject
    assert isinstance(change, ChangeInput)
    repository = open_repository(request.directory, environ)
    git = repository.git
    head = require_commit(git, next(iter(change.targets), "HEAD"))
    line = _line_of(repository, request)
    request = replace(request, labels={**request.labels, LINE: line, REVIEWED: head})
    commits = list(_read_commits(known, line, head if again else None))
    if not commits:
        return SinceLastRun(request, notice("since_first"))
    last = commits[0][:10]
    here = next(filter(itemgetter(1), ((c, _start_of(git, c, head)) for c in commits)), None)
    if here is None:
        return SinceLastRun(request, notice("since_lost", last=last), misses=True)
    commit, start = here[0], str(here[1])
    new = replace(request, subject=replace(change, targets=(f"{start}..{head}",), base=None))
    if start == commit == commits[0]:
        return SinceLastRun(new)
    return SinceLastRun(new, notice("since_parted", last=last, start=start[:10]))


def _start_of(git: Git, commit: str, head: str) -> str | None:
    """Where what is new begins: the commit, or where its history parted from that of `head`; None where unknown."""
    return find_merge_base(git, commit, head) if find_commit(git, commit) is not None else None


def _line_of(repository: Repository, request: SubmissionRequest) -> str:
    """The same for all runs of one repository that were asked for alike."""
    origin = repository.git.ask("config", "--get", "remote.origin.url")
    asked = (
        origin or str(repository.place.resolve()),
        request.workflow,
        request.panel,
        request.models,
        sorted(request.holders.items()),
        None if request.config is None else str(request.config),
        sorted(request.settings.items()),
        sorted(request.options.items()),
    )
    return hashlib.sha256(json.dumps(asked, default=str).encode()).hexdigest()[:40]


def _read_commits(known: KnownRuns, line: str, but: str | None) -> Iterator[str]:
    """The newest commits of the line's runs that read them, or still do, the latest first; without `but`."""
    for row in known.listed(MOST_RUNS, RunFilter(line=line)).rows:
        commit = row.spec["labels"].get(REVIEWED)
        if isinstance(commit, str) and commit != but and _has_read(known, row):
            yield commit


def _has_read(known: KnownRuns, row: RunRow) -> bool:
    if row.status in _GONE:
        return False
    return row.status is not RunStatus.COMPLETED or exit_code(known.report(row.id)) not in _UNREAD

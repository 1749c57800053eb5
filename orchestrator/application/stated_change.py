"""A change that a line of a file states, as the subject of a request."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from orchestrator.application.prepare import SubmissionRequest
from orchestrator.application.subject_input import ChangeInput, GivenChange
from orchestrator.evaluation.cases import StatedChange, change_between
from shared.errors import SubjectError
from shared.store.projects import REPOSITORY, labels_of


def with_change(
    request: SubmissionRequest, change: StatedChange, folder: Path
) -> SubmissionRequest:
    """The request about that change; paths begin at `folder`. Raises SubjectError for a diff that cannot be read."""
    if change.revision is not None:
        where = folder / (change.repository or ".")
        return replace(request, directory=where, subject=ChangeInput(targets=(change.revision,)))
    files = {path: text.encode() for path, text in change.files.items()}
    named = labels_of(request.labels, **{REPOSITORY: change.repository_name})
    reports = {name: text.encode() for name, text in change.reports.items()}
    given = GivenChange(_diff(change, folder), files, reports)
    return replace(request, subject=given, labels=named)


def _diff(change: StatedChange, folder: Path) -> bytes:
    if change.after is not None:
        return change_between(change.files, change.after).encode()
    if change.diff_file is None:
        return (change.diff or "").encode()
    try:
        return (folder / change.diff_file).read_bytes()
    except OSError as error:
        raise SubjectError(
            "diff_file {diff_file} cannot be read: {why}",
            diff_file=change.diff_file,
            why=error.strerror,
        ) from error

"""Whether what a fix builds on is still there: an earlier fix, and the files that it would change in place.

`apply` compares the files, too, when it writes. By then the answer is given; here the question stays open.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

from orchestrator.application.backend import Backend
from orchestrator.presentation.report import RunReport
from shared.errors import DecisionConflict
from shared.git.patch import parse_patch
from shared.models.subject import FileChange, Subject
from shared.store.database import Connection
from shared.store.documents import address, get_documents


def require_reviewed_files(
    backend: Backend, report: RunReport, only: Collection[str] | None
) -> None:
    """Raise DecisionConflict where a fix that this one builds on was taken back, or where files were edited meanwhile.

    Files count where they would be changed in place.

    `only`: the findings whose fixes are meant. A repository that is not on this machine is looked at by the worker
    alone.
    """
    if report.undone:
        raise DecisionConflict(
            "the fix that this one builds on was taken back ({undoing}), so it was not applied: close the question "
            "with `quorate decide {run} skip`, and review the change again",
            undoing=", ".join(report.undone),
            run=report.run.id,
        )
    if report.spec.options.get("apply") != "in-place":
        return
    edited = backend.read(lambda connection: list(_edited(connection, report, only)))
    if edited:
        raise DecisionConflict(
            "{files} changed since the review, so the fix was not applied and the question stays open: review "
            "the change again, or, where it still fits, take the patch with `quorate show {run} --patch | git apply`",
            files=", ".join(edited),
            run=report.run.id,
        )


def _edited(
    connection: Connection, report: RunReport, only: Collection[str] | None
) -> Iterator[str]:
    reviewed = next((done.subject for done in reversed(report.applied) if done.subject), None)
    name = reviewed or report.spec.subject
    subject = Subject.model_validate_json(get_documents(connection, [name])[name])
    root = Path(subject.origin.repository or "")
    if subject.origin.repository is None or not root.is_dir():
        return
    wanted = _paths(report, only)
    yield from (
        file.path
        for file in subject.files
        if file.path in wanted and not _is_as_reviewed(root, file)
    )


def _paths(report: RunReport, only: Collection[str] | None) -> set[str]:
    fixes = () if report.fixes is None else report.fixes.fixes
    meant = [
        fix
        for fix in fixes
        if fix.problem is None and (only is None or set(fix.findings) <= set(only))
    ]
    return {file.path.decode() for fix in meant for file in parse_patch(fix.patch.encode())}


def _is_as_reviewed(root: Path, file: FileChange) -> bool:
    path = root / file.path
    try:
        is_plain = path.is_file() and not path.is_symlink()
        return is_plain and address(path.read_bytes()) == file.after
    except OSError:
        return False

"""Take back what a run applied: a small run of its own, because tool workers touch repositories."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from functools import partial

from orchestrator.application.backend import Backend
from orchestrator.application.report import load_report
from orchestrator.application.submit import store_run
from orchestrator.presentation.locale.translator import ENGLISH, Translator
from orchestrator.presentation.report import RunReport
from orchestrator.workflows import UNDO
from orchestrator.workflows.registry import WORKFLOWS
from shared.errors import UserError
from shared.models.outcomes import RunStatus, StepStatus
from shared.models.review_replies import Undone
from shared.models.rows import OF
from shared.models.run import Budget, RunSpec
from shared.store.importing import find_import
from shared.store.projects import labels_of, project_of

UNDO_S = 120.0


def submit_undo(backend: Backend, name: str) -> str:
    """Take back what a run applied last and has not been taken back; the id of the run that does it.

    Raises UserError when nothing was applied.
    """
    report = backend.read(lambda connection: load_report(connection, name))
    if backend.read(partial(find_import, run=report.run.id)) is not None:
        raise UserError("run {run} was imported: what it applied is elsewhere", run=report.run.id)
    if (origin := report.spec.labels.get(OF)) is not None:  # an undoing: the run that it is about
        report = backend.read(lambda connection: load_report(connection, str(origin)))
    return store_run(backend, undo_spec(report), f"undo {report.run.id}", {})


def undo_spec(report: RunReport) -> RunSpec:
    """The run that undoes the newest fix that was not undone; where all were, the first again, which changes nothing.

    Raises UserError when nothing was applied.
    """
    if not report.applied:
        raise UserError("run {run} has applied nothing that could be taken back", run=report.run.id)
    standing = [applied for applied in report.applied if report.undoing_of(applied) is None]
    newest = (standing or report.applied[:1])[-1]
    return report.spec.model_copy(
        update={
            "workflow": UNDO,
            "workflow_version": WORKFLOWS[UNDO].version,
            "options": {},
            "budget": Budget(max_seconds=UNDO_S),
            "watched": True,
            "seed": secrets.token_hex(16),
            "labels": {
                OF: report.run.id,
                **labels_of(project=project_of(report.spec.labels) or None),
                "applied": newest.model_dump(mode="json"),
            },
        }
    )


@dataclass(frozen=True)
class UndoResult:
    """What came of an undo: what was done, and what was not."""

    messages: tuple[str, ...]
    failures: tuple[str, ...]
    done: bool


def undo_result(backend: Backend, undo: str, words: Translator = ENGLISH) -> UndoResult:
    """What came of the run that `submit_undo` started, once it is settled, in somebody's language."""
    report = backend.read(lambda connection: load_report(connection, undo))
    done = [step for step in report.steps if step.status == StepStatus.DONE]
    replies = [Undone.model_validate(step.reply) for step in done if step.reply is not None]
    return UndoResult(
        messages=tuple(words.translate(reply.notice or reply.message) for reply in replies),
        failures=tuple(
            words.column(step.failure_message) for step in report.steps if step.failure_message
        ),
        done=report.run.status is RunStatus.COMPLETED and len(done) == len(report.steps),
    )

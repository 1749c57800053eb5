"""The flow of `quorate undo`: a small run of the workflow `undo`, because tool workers touch repositories."""

from __future__ import annotations

import secrets
from collections.abc import Mapping

from orchestrator.application.backend import connected
from orchestrator.application.report import load_report
from orchestrator.cli.display import make_display
from orchestrator.cli.following import Follower
from orchestrator.cli.terminal import Terminal
from orchestrator.core.document import Span, Style, line
from orchestrator.engine.advance import Engine
from orchestrator.presentation.exit_codes import ExitCode
from orchestrator.presentation.report import RunReport
from orchestrator.workflows import WORKFLOWS
from shared.errors import UserError
from shared.models.outcomes import RunStatus, StepStatus
from shared.models.run import Budget, RunSpec

UNDO_S = 120.0


def run_undo(run: str, environ: Mapping[str, str], *, language: str | None, quiet: bool) -> int:
    """Take back what a run applied last; the exit code."""
    terminal = Terminal.of(environ, quiet=quiet)
    with connected(environ) as backend:
        report = backend.read(lambda connection: load_report(connection, run))
        spec = undo_spec(report)
        title = f"undo {report.run.id}"
        undoing = Engine(backend.database).submit(spec, title, {})
        backend.signals.send(undoing)
        spoken = language or report.spec.language
        Follower(backend, undoing, make_display(terminal, spoken), spoken).follow(UNDO_S)
        ended = backend.read(lambda connection: load_report(connection, undoing))
    return _tell(ended, terminal)


def undo_spec(report: RunReport) -> RunSpec:
    """The run that undoes the last applied fix. Raises UserError when nothing was applied."""
    if not report.applied:
        raise UserError(f"run {report.run.id} has applied nothing that could be taken back")
    return report.spec.model_copy(
        update={
            "workflow": "undo",
            "workflow_version": WORKFLOWS["undo"].version,
            "review": None,
            "budget": Budget(max_seconds=UNDO_S),
            "seed": secrets.token_hex(16),
            "labels": {
                "of": report.run.id,
                "applied": report.applied[-1].model_dump(mode="json"),
            },
        }
    )


def _tell(ended: RunReport, terminal: Terminal) -> int:
    for step in ended.steps:
        if step.status == StepStatus.DONE and step.reply is not None:
            terminal.result([line(str(step.reply.get("message", "")))])
        elif step.failure_message:
            terminal.warn([line(Span(f"⚠ {step.failure_message}", Style.WARNING))])
    done = ended.run.status is RunStatus.COMPLETED and all(
        step.status == StepStatus.DONE for step in ended.steps
    )
    return ExitCode.OK if done else ExitCode.INCONCLUSIVE

"""`quorate undo`: take an applied fix back."""

from __future__ import annotations

import os

import click

from orchestrator.application.backend import connected
from orchestrator.application.installation import StoredInstallation
from orchestrator.application.undoing import UNDO_S, submit_undo, undo_result
from orchestrator.application.watch import RunWatcher
from orchestrator.cli.installations import run_to_change
from orchestrator.cli.notices import warning
from orchestrator.cli.options import example, language_option, named_run_argument, quiet_option
from orchestrator.cli.reader import words_for
from orchestrator.cli.watching import TerminalObserver, follow
from orchestrator.core.lines import line
from orchestrator.presentation.exit_code import ExitCode
from orchestrator.presentation.live.live_display import make_display
from orchestrator.presentation.terminal import Terminal


@click.command(epilog=example("quorate undo last"))
@named_run_argument
@language_option
@quiet_option
def undo(run: str, language: str | None, quiet: bool) -> int:
    """Take back the last fix that RUN applied, if the branch or the files are still as it left them."""
    terminal = Terminal.of(os.environ, quiet=quiet)
    with connected(os.environ) as backend:
        report = run_to_change(StoredInstallation(backend), run, terminal, language)
        undoing = submit_undo(backend, report.run.id)
        words = words_for(language, report.spec.language)
        display = make_display(terminal, words)
        watcher = RunWatcher(StoredInstallation(backend), undoing, TerminalObserver(display, words))
        follow(watcher, display, UNDO_S)
        result = undo_result(backend, undoing, words)
    terminal.result([line(message) for message in result.messages])
    terminal.warn([warning(failure) for failure in result.failures])
    return ExitCode.OK if result.done else ExitCode.INCONCLUSIVE

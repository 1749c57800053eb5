"""`quorate watch`: follow a run."""

from __future__ import annotations

import os
from typing import Any

import click

from orchestrator.cli.installations import installation
from orchestrator.cli.options import (
    example,
    json_option,
    language_option,
    quiet_option,
    run_argument,
)
from orchestrator.cli.results import OutputOptions
from orchestrator.cli.watching import or_detach, watch_until_done
from orchestrator.cli.work_options import check_outputs, output_option, watch_limit_option
from orchestrator.presentation.terminal import Terminal


@click.command(epilog=example("quorate watch last", "quorate watch r3k --timeout 600 --json"))
@run_argument
@watch_limit_option
@click.option("--all", "everything", is_flag=True, help="All findings.")
@output_option
@json_option
@language_option
@quiet_option
def watch(run: str, **typed: Any) -> int:
    """Follow a run until it ends or asks; the exit code is the run's. Ctrl-C stops following."""
    check_outputs(typed["outputs"])
    options = OutputOptions(**typed)
    terminal = Terminal.of(os.environ, quiet=options.quiet)
    with installation(os.environ) as place:
        report = place.report(run)
        name, words = report.run.id, options.words(report.spec)
        return or_detach(
            place,
            name,
            terminal,
            words,
            lambda: watch_until_done(place, name, terminal, options, words, asks=True),
        )

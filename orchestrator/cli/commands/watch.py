"""`quorate watch`: follow a run."""

from __future__ import annotations

import os
from pathlib import Path

import click

from orchestrator.cli.options import (
    example,
    json_option,
    language_option,
    quiet_option,
    run_argument,
)


@click.command(epilog=example("quorate watch last", "quorate watch r3k --timeout 600 --json"))
@run_argument
@click.option(
    "--timeout", type=click.FloatRange(0, min_open=True), metavar="S", help="At most S seconds."
)
@click.option("--all", "everything", is_flag=True, help="All findings.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Result file: .json, .md, .txt."
)
@json_option
@language_option
@quiet_option
def watch(
    run: str,
    timeout: float | None,
    everything: bool,
    output: Path | None,
    as_json: bool,
    language: str | None,
    quiet: bool,
) -> int:
    """Follow a run until it ends or asks; the exit code is the run's. Ctrl-C lets go of it."""
    from orchestrator.application.backend import connected
    from orchestrator.application.report import load_report
    from orchestrator.cli.commands.review import check_output
    from orchestrator.cli.terminal import Terminal
    from orchestrator.cli.watching import Wish, or_detach, see_through
    from orchestrator.presentation.formats.text import DEFAULT_MAX_FINDINGS

    check_output(output)
    with connected(os.environ) as backend:
        report = backend.read(lambda connection: load_report(connection, run))
        wish = Wish(
            language=language or report.spec.language,
            as_json=as_json,
            output=output,
            max_findings=None if everything else DEFAULT_MAX_FINDINGS,
            timeout_s=timeout,
            asks=True,
        )
        terminal = Terminal.of(os.environ, quiet=quiet)
        name = report.run.id
        return or_detach(
            name, terminal, wish.language, lambda: see_through(backend, name, terminal, wish)
        )

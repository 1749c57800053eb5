"""`quorate undo`: take an applied fix back."""

from __future__ import annotations

import os

import click

from orchestrator.cli.options import example, language_option, quiet_option


@click.command(epilog=example("quorate undo last"))
@click.argument("run", metavar="RUN")
@language_option
@quiet_option
def undo(run: str, language: str | None, quiet: bool) -> int:
    """Take the last fix that RUN applied back, if the branch or the files are still as it left them."""
    from orchestrator.cli.undoing import run_undo

    return run_undo(run, os.environ, language=language, quiet=quiet)

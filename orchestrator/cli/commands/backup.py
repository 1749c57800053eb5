"""`quorate backup` and `quorate restore`: the embedded database in a file."""

from __future__ import annotations

import os
from pathlib import Path

import click

from orchestrator.cli.options import example
from orchestrator.cli.reader import sentence_line
from orchestrator.presentation.exit_code import ExitCode
from orchestrator.presentation.terminal import Terminal
from shared.sentences import Sentence

file_argument = click.argument("file", metavar="FILE", type=click.Path(path_type=Path))


@click.command(
    epilog=example("quorate backup quorate.backup", "quorate backup /backups/$(date +%F)")
)
@file_argument
def backup(file: Path) -> int:
    """Write the embedded database to FILE, while runs go on; FILE is replaced by a whole backup or left alone.

    Anyone who has it can read everything that was asked and answered. With servers of your own, use pg_dump.
    """
    from orchestrator.application.backup import back_up

    size = back_up(os.environ, file)
    Terminal.of(os.environ).result(
        [sentence_line(Sentence("{file}: {n:,} bytes", file=str(file), n=size))]
    )
    return ExitCode.OK


@click.command(
    epilog=example("quorate down", "QUORATE_INSTANCE=restored quorate restore quorate.backup")
)
@file_argument
def restore(file: Path) -> int:
    """Put a backup into this instance, which must have no runs and no workers running.

    Runs that were under way go on with `quorate up`. Exit code 2 where there are runs already.
    """
    from orchestrator.application.backup import restore as put_back

    runs = put_back(os.environ, file)
    terminal = Terminal.of(os.environ)
    terminal.result([sentence_line(Sentence("restored: runs {n:,}", n=runs))])
    terminal.talk([sentence_line(Sentence("`quorate up` lets those go on that were under way."))])
    return ExitCode.OK

"""`quorate resume`: look at a blocked run again."""

from __future__ import annotations

import os

import click

from orchestrator.cli.installations import id_to_change, installation
from orchestrator.cli.options import example, named_run_argument
from orchestrator.cli.reader import sentence_line
from orchestrator.presentation.terminal import Terminal
from shared.sentences import Sentence


@click.command(epilog=example("quorate resume r3k && quorate watch r3k"))
@named_run_argument
def resume(run: str) -> int:
    """Continue a blocked run once what blocked it is fixed. Running and waiting runs need no help."""
    terminal = Terminal.of(os.environ)
    with installation(os.environ) as place:
        name = place.resume(id_to_change(place, run, terminal))
    terminal.result([sentence_line(Sentence("{run} goes on: quorate watch {run}", run=name))])
    return 0

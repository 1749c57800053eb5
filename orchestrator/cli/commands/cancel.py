"""`quorate cancel`: end a run."""

from __future__ import annotations

import os

import click

from orchestrator.cli.installations import id_to_change, installation
from orchestrator.cli.options import example, named_run_argument
from orchestrator.cli.reader import sentence_line
from orchestrator.cli.watching import actor
from orchestrator.presentation.terminal import Terminal
from shared.sentences import Sentence


@click.command(epilog=example("quorate cancel r3k"))
@named_run_argument
def cancel(run: str) -> int:
    """End a run: no further step starts, and running calls are dropped within seconds."""
    terminal = Terminal.of(os.environ)
    with installation(os.environ, workers=False) as place:
        name = place.cancel(id_to_change(place, run, terminal), actor())
    terminal.result([sentence_line(Sentence("{run} cancelled", run=name))])
    return 0

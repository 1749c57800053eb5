"""`quorate cancel`: end a run."""

from __future__ import annotations

import os

import click

from orchestrator.cli.installations import installation
from orchestrator.cli.options import example
from orchestrator.cli.watching import actor
from orchestrator.core.document import line
from orchestrator.presentation.terminal import Terminal


@click.command(epilog=example("quorate cancel r3k"))
@click.argument("run", metavar="RUN")
def cancel(run: str) -> int:
    """End a run: no further step starts, and running calls are dropped within seconds."""
    with installation(os.environ, workers=False) as place:
        name = place.cancel(run, actor())
    Terminal.of(os.environ).result([line(f"{name} cancelled")])
    return 0

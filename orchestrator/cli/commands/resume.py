"""`quorate resume`: look at a blocked run again."""

from __future__ import annotations

import os

import click

from orchestrator.cli.installations import installation
from orchestrator.cli.options import example
from orchestrator.core.document import line
from orchestrator.presentation.terminal import Terminal


@click.command(epilog=example("quorate resume r3k && quorate watch r3k"))
@click.argument("run", metavar="RUN")
def resume(run: str) -> int:
    """Continue a blocked run once what blocked it is fixed. Running and waiting runs need no help."""
    with installation(os.environ) as place:
        name = place.resume(run)
    Terminal.of(os.environ).result([line(f"{name} goes on: quorate watch {name}")])
    return 0

"""`quorate tally`: how many runs there are."""

from __future__ import annotations

import os
from collections import Counter

import click

from orchestrator.application import listings
from orchestrator.application.backend import connected
from orchestrator.cli.options import example
from orchestrator.core.lines import line
from orchestrator.presentation.terminal import Terminal


@click.command(epilog=example("quorate tally"))
def tally() -> int:
    """How many runs there are in each state."""
    with connected(os.environ, workers=False) as backend:
        listed = listings.runs(backend, limit=10_000)
    states = Counter(run.status for run in listed.tree())
    Terminal.of(os.environ).result([line(f"{state} {count}") for state, count in states.items()])
    return 0

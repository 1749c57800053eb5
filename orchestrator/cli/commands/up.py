"""`quorate up`: servers and workers, now."""

from __future__ import annotations

import os

import click

from orchestrator.application.backend import connected
from orchestrator.cli.options import example
from orchestrator.core.lines import line
from orchestrator.presentation.terminal import Terminal


@click.command(epilog=example("quorate up"))
def up() -> int:
    """Start the embedded servers and the workers, and bring the schema up to date. Other commands do it too."""
    with connected(os.environ) as backend:
        settings = backend.settings
        if settings.external is not None:
            text = "external servers answer and the schema is current; nothing is started for them"
        else:
            text = f"instance {settings.instance.name} is up"
    Terminal.of(os.environ).result([line(text)])
    return 0

"""`quorate up`: servers and workers, now."""

from __future__ import annotations

import os

import click

from orchestrator.application.backend import connected
from orchestrator.cli.options import example
from orchestrator.cli.reader import sentence_line
from orchestrator.presentation.terminal import Terminal
from shared.sentences import Sentence


@click.command(epilog=example("quorate up"))
def up() -> int:
    """Start the embedded servers and the workers, and bring the schema up to date. Other commands do it too."""
    with connected(os.environ) as backend:
        settings = backend.settings
        if settings.external is not None:
            text = Sentence(
                "external servers answer and the schema is current; nothing is started for them"
            )
        else:
            text = Sentence("instance {name} is up", name=settings.instance.name)
    Terminal.of(os.environ).result([sentence_line(text)])
    return 0

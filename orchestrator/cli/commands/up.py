"""`quorate up`: servers and workers, now."""

from __future__ import annotations

import os

import click

from orchestrator.cli.options import example


@click.command(epilog=example("quorate up"))
def up() -> int:
    """Start the embedded servers and the workers, and bring the schema up to date. Other commands do it too."""
    from orchestrator.cli.machine import start

    return start(os.environ)

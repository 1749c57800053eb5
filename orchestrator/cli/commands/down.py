"""`quorate down`: stop what `up` starts."""

from __future__ import annotations

import os

import click

from orchestrator.cli.options import example


@click.command(epilog=example("quorate down"))
def down() -> int:
    """Stop the workers and the embedded servers. Nothing is lost: runs go on after the next start."""
    from orchestrator.cli.machine import stop_all

    return stop_all(os.environ)

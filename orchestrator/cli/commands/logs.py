"""`quorate logs`: what the background processes wrote."""

from __future__ import annotations

import os

import click

from orchestrator.cli.options import example


@click.command(epilog=example("quorate logs", "quorate logs turns -n 200"))
@click.argument("name", required=False)
@click.option("-n", "count", type=click.IntRange(1), default=20, help="Lines of each (20).")
def logs(name: str | None, count: int) -> int:
    """The ends of the embedded instance's logs; NAME is one of those that are listed."""
    from orchestrator.cli.machine import show_logs

    return show_logs(os.environ, name, count)

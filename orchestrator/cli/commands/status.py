"""`quorate status`: what runs."""

from __future__ import annotations

import os

import click

from orchestrator.cli.options import example, json_option


@click.command(epilog=example("quorate status", "quorate status --json"))
@json_option
def status(as_json: bool) -> int:
    """Servers, processes and runs at a glance. Starts nothing; exit code 5 when the database does not answer."""
    from orchestrator.cli.machine import show_status

    return show_status(os.environ, as_json=as_json)

"""`quorate doctor`: check this machine."""

from __future__ import annotations

import os

import click

from orchestrator.cli.options import example, json_option


@click.command(epilog=example("quorate doctor", "quorate doctor --json"))
@json_option
def doctor(as_json: bool) -> int:
    """Check everything that a review needs and say how to mend what is missing. Starts nothing; exit code 5 if so."""
    from orchestrator.cli.examination import examine

    return examine(os.environ, as_json=as_json)

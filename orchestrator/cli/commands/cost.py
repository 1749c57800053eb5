"""`quorate cost`: what was spent."""

from __future__ import annotations

import os

import click

from orchestrator.cli.options import example, json_option, language_option

GROUPINGS = ("participant", "run", "day", "provider", "model", "turn", "batch")


@click.command(
    epilog=example("quorate cost --by day --since 4w", "quorate cost --run last --by turn --json")
)
@click.option(
    "--by", type=click.Choice(GROUPINGS), default="participant", help="Sum by this (participant)."
)
@click.option("--since", metavar="DURATION", help="Only the last 12h, 7d, 4w, ...")
@click.option("--run", metavar="RUN", help="Only this run: an id, its beginning, or `last`.")
@json_option
@language_option
def cost(by: str, since: str | None, run: str | None, as_json: bool, language: str | None) -> int:
    """What was spent, the dearest first (days: the newest first, in UTC).

    A call whose price nobody knows is counted as such and not in the sums: unknown is never zero.
    """
    from orchestrator.cli.costing import run_cost

    return run_cost(by, since, run, os.environ, as_json=as_json, language=language)

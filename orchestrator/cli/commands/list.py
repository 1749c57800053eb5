"""`quorate list`: the runs."""

from __future__ import annotations

import os

import click

from orchestrator.application import listings
from orchestrator.application.backend import connected
from orchestrator.cli.options import example, json_option, language_option
from orchestrator.presentation.json_rows import SCHEMA_VERSION, dumps, run_tree
from orchestrator.presentation.listings import runs
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.terminal import Terminal
from shared.models.outcomes import RunStatus


@click.command(
    "list", epilog=example("quorate list --status waiting", "quorate list -n 100 --json")
)
@click.option(
    "-n",
    "limit",
    type=click.IntRange(1, 10_000),
    default=20,
    metavar="N",
    help="How many (20); at most 10,000.",
)
@click.option("--status", type=click.Choice([one.value for one in RunStatus]), help="Only these.")
@json_option
@language_option
def list_(limit: int, status: str | None, as_json: bool, language: str | None) -> int:
    """The runs, newest first."""
    with connected(os.environ, workers=False) as backend:
        listed = listings.runs(backend, limit=limit, status=status)
    terminal = Terminal.of(os.environ)
    if as_json:
        terminal.result(dumps({"schema_version": SCHEMA_VERSION, "runs": run_tree(listed)}))
    else:
        terminal.result(runs(listed, Translator(language or "en"), terminal.columns))
    return 0

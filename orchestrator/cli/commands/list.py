"""`quorate list`: the runs."""

from __future__ import annotations

import os
from typing import Any

import click

from orchestrator.cli.options import example, json_option, language_option, repository_option
from orchestrator.cli.reader import words_in
from orchestrator.cli.run_lists import run_lists
from orchestrator.cli.since import since_option
from orchestrator.presentation.json_rows import SCHEMA_VERSION, dumps, run_tree
from orchestrator.presentation.listings import runs
from orchestrator.presentation.terminal import Terminal
from orchestrator.workflows import ROWS
from shared.models.outcomes import RunStatus
from shared.store.run_filter import RunFilter


@click.command(
    "list",
    epilog=example(
        "quorate list --status waiting",
        "quorate list --repository . --since 7d",
        "quorate list -n 100 --json",
    ),
)
@click.option(
    "-n",
    "limit",
    type=click.IntRange(1, 10_000),
    default=20,
    metavar="N",
    help="How many (20); at most 10,000.",
)
@click.option(
    "--status", type=click.Choice([status.value for status in RunStatus]), help="Only these."
)
@click.option(
    "--workflow",
    type=click.Choice(sorted(row.name for row in ROWS)),
    help="Only those of this workflow.",
)
@repository_option
@click.option("--batch", metavar="NAME", help="Only those of this batch.")
@since_option()
@json_option
@language_option
def list_(
    limit: int, since: float | None, as_json: bool, language: str | None, **typed: Any
) -> int:
    """The runs, newest first."""
    wanted = RunFilter(since_s=since, **typed)
    with run_lists(os.environ, workers=False) as place:
        listed = place.listed(limit, wanted)
    terminal = Terminal.of(os.environ)
    if as_json:
        terminal.result(dumps({"schema_version": SCHEMA_VERSION, "runs": run_tree(listed)}))
    else:
        terminal.result(runs(listed, words_in(language), terminal.columns))
    return 0

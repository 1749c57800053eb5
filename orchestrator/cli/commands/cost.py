"""`quorate cost`: what was spent."""

from __future__ import annotations

import dataclasses
import os

import click

from orchestrator.cli.options import example, json_option, language_option, run_name
from orchestrator.cli.reader import words_in
from orchestrator.cli.run_lists import run_lists
from orchestrator.cli.since import since_option
from orchestrator.core.lines import Span, Style, line
from orchestrator.presentation.json_rows import SCHEMA_VERSION, dumps
from orchestrator.presentation.money import spending_table
from orchestrator.presentation.terminal import Terminal
from shared.store.spending import Grouping

GROUPINGS = ("participant", "run", "day", "provider", "model", "turn", "workflow", "batch")


@click.command(
    epilog=example("quorate cost --by day --since 4w", "quorate cost --run last --by turn --json")
)
@click.option(
    "--by", type=click.Choice(GROUPINGS), default="participant", help="Sum by this (participant)."
)
@since_option("Only the last 12h, 7d, 4w, ... (by run, turn, workflow or batch: 7d).")
@click.option(
    "--run",
    metavar="RUN",
    callback=run_name,
    help="Only this run: an id, its beginning, or `last`.",
)
@json_option
@language_option
def cost(by: str, since: float | None, run: str | None, as_json: bool, language: str | None) -> int:
    """What was spent, most expensive first (days: newest first, in UTC).

    A call of unknown price is counted separately, not in the sums: unknown is never zero.
    """
    with run_lists(os.environ, workers=False) as place:
        found = place.spent(Grouping(by), run=run, since_s=since)
    terminal = Terminal.of(os.environ)
    if not as_json:
        words = words_in(language)
        lately = line(Span(words.message("spent_lately"), Style.DIM))
        noted = [lately] if since != found.since_s else []
        terminal.result(
            [*spending_table(by, found.rows, found.total, words, terminal.columns), *noted]
        )
        return 0
    whole = {
        "schema_version": SCHEMA_VERSION,
        "by": by,
        "run": found.run,
        "since_s": found.since_s,
        "spending": [dataclasses.asdict(row) for row in found.rows],
        "total": None if found.total is None else dataclasses.asdict(found.total),
    }
    terminal.result(dumps(whole))
    return 0

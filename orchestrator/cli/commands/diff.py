"""`quorate diff`: what differs between two runs."""

from __future__ import annotations

import os

import click

from orchestrator.application.backend import connected
from orchestrator.application.replay import RunComparison, compare_runs
from orchestrator.cli.options import example, json_option, language_option, run_name
from orchestrator.cli.reader import words_for
from orchestrator.presentation.comparison import comparison_json, comparison_lines
from orchestrator.presentation.exit_code import ExitCode
from orchestrator.presentation.json_rows import dumps
from orchestrator.presentation.terminal import Terminal

DIFFERENT = 1


@click.command(
    epilog=example(
        "quorate diff r3k last", "quorate diff r3k r7m --json | jq '.findings[].changed'"
    )
)
@click.argument("first", metavar="A", callback=run_name)
@click.argument("second", metavar="[B]", default="last", callback=run_name)
@json_option
@language_option
def diff(first: str, second: str, as_json: bool, language: str | None) -> int:
    """What differs between the runs A and B (default: the newest): options, rounds, findings, verdict, cost.

    The same defect in both is one row. Exit code 1 when verdict or findings differ, 0 when not.
    """
    with connected(os.environ, workers=False) as backend:
        both = compare_runs(backend, first, second)
    terminal = Terminal.of(os.environ)
    if as_json:
        terminal.result(dumps(comparison_json(both.first, both.second, both.comparison)))
    else:
        words = words_for(language, _shared_language(both))
        terminal.result(comparison_lines(both.first, both.second, both.comparison, words))
    return ExitCode.OK if both.comparison.same else DIFFERENT


def _shared_language(both: RunComparison) -> str:
    """The language of both runs; English where they speak two."""
    spoken = {side.recording.spec.language for side in (both.first, both.second)}
    return spoken.pop() if len(spoken) == 1 else "en"

"""`quorate panel`: debaters with perspectives, a moderator, a judge."""

from __future__ import annotations

from typing import Any

import click

from orchestrator.cli.commands.ask import put_question
from orchestrator.cli.options import example, question_options, watch_limit_option
from orchestrator.cli.setting_options import (
    cast_options,
    setting_options,
    submission_options,
)


@click.command(
    epilog=example(
        'quorate panel "Postgres or a queue of our own?" --preset decision',
        'quorate panel --strategy delphi --rounds 4 -p claude,gemini,codex --judge gpt "..."',
        "quorate panel --strategy quick --file question.md --json",
    )
)
@question_options
@setting_options("panel")
@click.option("--judge", metavar="NAME", help="Who gives the verdict; nobody of the debate.")
@click.option("--moderator", metavar="NAME|none", help="Who gives a second opinion each round.")
@watch_limit_option
@cast_options
@submission_options
def panel(**typed: Any) -> int:
    """Let debaters argue about a question; a judge gives the verdict.

    Presets: code_review, qa_accuracy, decision. The verdict is given whether or not the debaters agree; the
    ending says which. Exit code 3 means that there is no verdict; with --require-consensus 1 means that they
    do not agree on it.
    """
    nobody = (typed["moderator"] or "none").strip().lower() == "none"
    if typed["strategy"] == "quick" and not nobody:
        raise click.UsageError("--moderator: a quick panel is one round, and nobody moderates it")
    return put_question("panel", typed)

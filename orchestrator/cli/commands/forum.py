"""`quorate forum`: they discuss a question, one speaks at a time."""

from __future__ import annotations

from typing import Any

import click

from orchestrator.cli.commands.ask import forum_options, put_question
from orchestrator.cli.options import example, question_options
from orchestrator.cli.setting_options import (
    cast_options,
    submission_options,
)


@click.command(
    epilog=example(
        'quorate forum "How should this service be built?"',
        'quorate forum --orchestrator gemini --max-rounds 6 --timeout 600 "..."',
        "quorate -d --file question.md         (the same)",
    )
)
@question_options
@forum_options
@cast_options
@submission_options
def forum(**typed: Any) -> int:
    """Let a panel discuss a question until it agrees, goes in circles, or its time is over.

    Everybody may ask for the floor, an orchestrator gives it, all hear who speaks; at the end they vote in secret on
    the conclusion. Exit code 0 means that they agree, 3 that they do not.
    """
    return put_question("forum", typed)

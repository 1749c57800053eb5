"""`quorate show`: one run."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from orchestrator.cli.options import example, json_option, language_option, run_argument


@click.command(
    epilog=example(
        "quorate show last --all",
        "quorate show last --json | jq .findings",
        "quorate show r3k --prompt critique/1/claude",
        "quorate show last -o review.md",
    )
)
@run_argument
@click.option("--prompt", "step", metavar="STEP", help="What a step was asked, to the letter.")
@click.option("--rounds", is_flag=True, help="Everything that was said, step by step.")
@click.option("--events", is_flag=True, help="The event log.")
@click.option("--patch", is_flag=True, help="The exact patch, alone: `... --patch | git apply`.")
@click.option("--markdown", is_flag=True, help="As Markdown.")
@click.option(
    "--all", "everything", is_flag=True, help="All findings; of a discussion also what was said."
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write it: .json, .md, .txt.")
@json_option
@language_option
def show(run: str, **typed: Any) -> int:
    """A run's result. RUN is an id, its beginning, or `last`; STEP is a key that --rounds shows."""
    from orchestrator.cli.commands.review import check_output
    from orchestrator.cli.showing import Options, run_show

    check_output(typed["output"])
    return run_show(run, Options(**typed), os.environ)

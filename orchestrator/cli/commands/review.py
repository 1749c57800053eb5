"""`quorate review`: capture a change, submit it, see it through."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from orchestrator.cli.options import (
    cast_options,
    check_estimate,
    check_output,
    example,
    fail_on_option,
    findings_options,
    submission_options,
    take,
    watch_limit_option,
)

__all__ = ["check_output", "review"]


@click.command(
    epilog=example(
        "quorate review                         (staged, else uncommitted, else the branch)",
        "quorate review HEAD~3..HEAD --strategy red-team --rounds 5",
        "quorate review --estimate              (what it would cost; nothing is started)",
        "quorate review --max-cost 0.50 --max-calls 40 --reuse",
        "git diff main | quorate review --diff - --fail-on major --decide skip --json",
    )
)
@click.argument("target", required=False, metavar="[PATH|REV|REV..REV]")
@click.option("--staged", is_flag=True, help="Review what is staged.")
@click.option("--base", metavar="REF", help="Review everything since REF's merge base.")
@click.option("--diff", metavar="FILE|-", help="Review a bare unified diff.")
@click.option("--strategy", metavar="NAME", help="review or red-team.")
@click.option(
    "--rounds", type=click.IntRange(1, 20), metavar="N", help="Rounds at most (default 3)."
)
@cast_options
@fail_on_option
@click.option(
    "--decide",
    type=click.Choice(["ask", "skip", "apply_fix", "later"]),
    help="The decision: ask here (default), take an answer at once, or leave it open.",
)
@click.option(
    "--apply", type=click.Choice(["branch", "in-place"]), help="Where an approved fix goes."
)
@findings_options
@watch_limit_option
@submission_options
def review(**typed: Any) -> int:
    """Review a change with a panel; a person decides what is applied.

    Without arguments: what is staged, else what is not committed, else what the branch adds. Results go
    to stdout, progress to stderr. For CI give --decide skip: an open decision ends with exit code 8.
    """
    from orchestrator.application.capture import ChangeInput
    from orchestrator.cli.results import OutputOptions
    from orchestrator.cli.reviewing import Options, run_review
    from orchestrator.cli.submission import SubmissionOptions

    check_estimate(typed["output"], estimate=typed["estimate"])
    change, options = take(ChangeInput, typed), take(SubmissionOptions, typed)
    output = take(OutputOptions, typed)
    return run_review(change, Options(**typed), options, output, os.environ, Path.cwd())

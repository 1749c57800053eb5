"""`quorate review`: capture a change, submit it, see it through."""

from __future__ import annotations

from typing import Any

import click

from orchestrator.application.capture import ChangeInput
from orchestrator.cli.commands.ask import submit_typed
from orchestrator.cli.options import (
    example,
    findings_options,
    take,
    watch_limit_option,
)
from orchestrator.cli.setting_options import (
    cast_options,
    decide_option,
    key_option,
    setting_options,
    submission_options,
)


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
@setting_options("review")
@cast_options
@key_option("gate.fail_on")
@decide_option("review")
@findings_options
@watch_limit_option
@submission_options
def review(**typed: Any) -> int:
    """Review a change with a panel; a person decides what is applied.

    Without arguments: what is staged, else what is not committed, else what the branch adds. Results go
    to stdout, progress to stderr. For CI give --decide skip: an open decision ends with exit code 8.
    """
    return submit_typed("review", take(ChangeInput, typed), typed)

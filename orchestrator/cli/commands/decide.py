"""`quorate decide`: a person's answer."""

from __future__ import annotations

import os
from typing import Any

import click

from orchestrator.cli.options import example, json_option, language_option, quiet_option


@click.command(
    epilog=example(
        'quorate decide last apply_fix -m "looks right"',
        "quorate decide r3k apply_fix --only F1,F3",
        "quorate decide r3k skip",
        'quorate decide last revise -m "keep the old server for a week"',
    )
)
@click.argument("run", metavar="RUN")
@click.argument("choice", metavar="CHOICE")
@click.option("-m", "--message", default="", metavar="TEXT", help="Why; kept with the answer.")
@click.option("--only", metavar="F1,F3", help="Apply the fixes of these findings alone.")
@click.option("--except", "without", metavar="F2", help="Apply all but these.")
@click.option(
    "--shown", metavar="SHA256", help="Refuse unless exactly this was shown (from --json)."
)
@click.option("--no-wait", is_flag=True, help="Record the answer and return.")
@click.option(
    "--timeout", type=click.FloatRange(0, min_open=True), metavar="S", help="Watch S seconds."
)
@json_option
@language_option
@quiet_option
def decide(run: str, choice: str, **typed: Any) -> int:
    """Answer a decision, bound to what was shown.

    CHOICE is one of the options that the decision offers: apply_fix or skip in a review, revise or accept for a
    plan. The same answer again changes nothing; another one is refused (exit code 6). Then the run is followed to
    its end or to its next decision, and the exit code is that of the run.
    """
    from orchestrator.cli.deciding import Options, run_decide

    return run_decide(run, Options(choice=choice, **typed), os.environ)

"""`quorate fork`: continue a run another way."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from orchestrator.cli.options import (
    check_output,
    example,
    json_option,
    quiet_option,
    run_argument,
)
from orchestrator.cli.rule_options import rule_options, rules_typed


@click.command(
    epilog=example(
        "quorate fork last --from round:2 --rounds 5",
        "quorate fork r3k --from critique/2/claude          (only this turn anew, and what follows)",
        "quorate fork r3k --from synthesis --participants chair=codex",
        "quorate fork r3k --from round:3 --participants claude=codex --max-cost 0.50",
        "quorate fork r3k --from decision --dry-run",
    )
)
@run_argument
@click.option(
    "--from",
    "at",
    metavar="STEP",
    required=True,
    help="A step's key, round:N, a stage (synthesis, ballot, ...) or decision.",
)
@rule_options
@click.option(
    "--participants",
    multiple=True,
    metavar="SEATS",
    help="Who sits there from STEP on: chair=NAME, author=NAME, OLD=NEW.",
)
@click.option(
    "--decide",
    type=click.Choice(["ask", "skip", "apply_fix", "revise", "accept", "later"]),
    help="The decision, as in `quorate review`.",
)
@click.option(
    "--max-cost", type=click.FloatRange(0), metavar="USD", help="Of the fork's own calls."
)
@click.option("--max-calls", type=click.IntRange(0), metavar="N", help="Of the fork's own calls.")
@click.option("--reuse", is_flag=True, help="Take stored answers for turns that are identical.")
@click.option("--batch", metavar="NAME", help="Count the fork's costs under a name.")
@click.option("--dry-run", is_flag=True, help="Say what would be copied and asked; start nothing.")
@click.option(
    "--timeout", type=click.FloatRange(0, min_open=True), metavar="S", help="Watch S seconds."
)
@click.option("--config", type=click.Path(path_type=Path), help="This configuration file.")
@click.option("--no-wait", is_flag=True, help="Submit, print the run's id, exit 0.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Result file: .json, .md, .txt."
)
@click.option("--lang", "language", type=click.Choice(["en", "ko"]), help="Language from STEP on.")
@json_option
@quiet_option
def fork(run: str, output: Path | None, **typed: Any) -> int:
    """Continue RUN another way: a new run that begins with a copy of what RUN recorded before STEP.

    What is copied is not asked and not paid again. A fork never copies an applied fix or its approval.
    """
    from orchestrator.cli.forking import Options, run_fork
    from orchestrator.cli.rule_options import NAMES

    check_output(output)
    rules = rules_typed(typed)
    others = {name: value for name, value in typed.items() if name not in NAMES}
    return run_fork(run, Options(rules=rules, output=output, **others), os.environ, Path.cwd())

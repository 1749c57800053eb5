"""`quorate review`: capture a change, submit it, see it through."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from orchestrator.cli.options import example, json_option, language_option, quiet_option

SEVERITIES = click.Choice(["critical", "major", "minor", "info", "none"], case_sensitive=False)
ENDINGS = (".json", ".md", ".markdown", ".txt")


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
@click.option("--rounds", type=int, metavar="N", help="Rounds at most (default 3).")
@click.option(
    "--panel", multiple=True, metavar="NAMES", help="Participants, with commas or repeated."
)
@click.option("--fail-on", type=SEVERITIES, help="Exit 1 when a finding this bad stands.")
@click.option(
    "--decide",
    type=click.Choice(["ask", "skip", "apply_fix", "later"]),
    help="The decision: ask here (default), take an answer at once, or leave it open.",
)
@click.option(
    "--apply", type=click.Choice(["branch", "in-place"]), help="Where an approved fix goes."
)
@click.option("--estimate", is_flag=True, help="Print the expected calls and cost; start nothing.")
@click.option(
    "--max-cost", type=click.FloatRange(0), metavar="USD", help="Make no call beyond this cost."
)
@click.option("--max-calls", type=click.IntRange(0), metavar="N", help="Make N calls at most.")
@click.option("--batch", metavar="NAME", help="Count this run's costs under a name.")
@click.option("--reuse", is_flag=True, help="Take stored answers for turns that are identical.")
@click.option(
    "--max-findings", type=click.IntRange(1), metavar="N", help="Findings in the text (5)."
)
@click.option("--all", "everything", is_flag=True, help="All findings in the text.")
@click.option(
    "--timeout", type=click.FloatRange(0, min_open=True), metavar="S", help="Watch S seconds."
)
@click.option("--config", type=click.Path(path_type=Path), help="This configuration file.")
@click.option("--trust-project", is_flag=True, help="Let the repository's own file set everything.")
@click.option("--no-wait", is_flag=True, help="Submit, print the run's id, exit 0.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Result file: .json, .md, .txt."
)
@json_option
@language_option
@quiet_option
def review(target: str | None, output: Path | None, **typed: Any) -> int:
    """Review a change with a panel; a person decides what is applied.

    Without arguments: what is staged, else what is not committed, else what the branch adds. Results go
    to stdout, progress to stderr. For CI give --decide skip: an open decision ends with exit code 8.
    """
    from orchestrator.cli.reviewing import Options, run_review

    check_output(output)
    if output is not None and typed["estimate"]:
        raise click.UsageError("-o holds a run's result; --estimate makes none (use --json)")
    chosen = Options(target=target, output=output, **typed)
    return run_review(chosen, os.environ, Path.cwd())


def check_output(output: Path | None) -> None:
    """Refuse a result file of an unknown format, or in no folder, before anything is started."""
    if output is None:
        return
    if output.suffix.lower() not in ENDINGS:
        raise click.UsageError(
            f"-o {output}: the ending says the format, one of {', '.join(ENDINGS)}"
        )
    if not output.parent.is_dir():
        raise click.UsageError(f"-o {output}: there is no folder {output.parent}")

"""`quorate answer`: a person takes their turn."""

from __future__ import annotations

import os
from pathlib import Path

import click

from orchestrator.cli.options import example


@click.command(
    epilog=example(
        'quorate answer last -m "NEEDS_FIX: the eval runs what a caller sends"',
        "quorate answer r3k critique/1/me --file answer.json",
        "quorate show r3k --prompt critique/1/me   # what is asked, to the letter",
    )
)
@click.argument("run", metavar="RUN")
@click.argument("step", metavar="[STEP]", required=False)
@click.option("-m", "--message", metavar="TEXT", help="The answer.")
@click.option("--file", type=click.Path(path_type=Path), help="The answer; - is standard input.")
def answer(run: str, step: str | None, message: str | None, file: Path | None) -> int:
    """Answer a turn that waits for a person (`quorate inbox` shows them).

    Plain words do where the turn asks for words; a critique begins with APPROVED or NEEDS_FIX. STEP may be left out
    when the run waits for one answer alone.
    """
    from orchestrator.cli.people import run_answer

    return run_answer(run, step, message, file, os.environ)

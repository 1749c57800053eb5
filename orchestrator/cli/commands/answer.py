"""`quorate answer`: a person takes their turn."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from orchestrator.application.decide import TurnAnswer
from orchestrator.cli.installations import id_to_change, installation
from orchestrator.cli.options import example, named_run_argument
from orchestrator.cli.reader import sentence_line
from orchestrator.cli.watching import actor
from orchestrator.presentation.terminal import Terminal
from shared.errors import UserError
from shared.sentences import Sentence

MAX_ANSWER_CHARS = 1_000_000


@click.command(
    epilog=example(
        'quorate answer last -m "NEEDS_FIX: the eval runs what a caller sends"',
        "quorate answer r3k critique/1/me --file answer.json",
        "quorate show r3k --prompt critique/1/me   # exactly what is asked",
    )
)
@named_run_argument
@click.argument("step", metavar="[STEP]", required=False)
@click.option("-m", "--message", metavar="TEXT", help="The answer.")
@click.option("--file", type=click.Path(path_type=Path), help="The answer; - is standard input.")
def answer(run: str, step: str | None, message: str | None, file: Path | None) -> int:
    """Answer a turn that waits for a person (`quorate inbox` shows them).

    Plain text will do where the turn asks for text; a critique begins with APPROVED or NEEDS_FIX. STEP may be left out
    when the run waits for only one answer.
    """
    text, terminal = _text(message, file), Terminal.of(os.environ)
    with installation(os.environ) as place:
        found = id_to_change(place, run, terminal)
        name, key = place.take_turn(TurnAnswer(run=found, text=text, actor=actor(), step=step))
    terminal.result([sentence_line(Sentence("{run}: {step} is answered", run=name, step=key))])
    return 0


def _text(message: str | None, file: Path | None) -> str:
    if (message is None) == (file is None):
        raise UserError("give the answer with -m TEXT or with --file FILE (- is standard input)")
    if message is not None:
        return message
    try:
        if str(file) == "-":
            text = sys.stdin.read(MAX_ANSWER_CHARS + 1)
        else:
            with Path(str(file)).open(encoding="utf-8") as stream:
                text = stream.read(MAX_ANSWER_CHARS + 1)
    except (OSError, UnicodeError) as error:
        raise UserError(
            "the answer in {file} cannot be read: {error}", file=file, error=error
        ) from None
    if len(text) > MAX_ANSWER_CHARS:
        raise UserError(
            "the answer is longer than {most} characters",
            most=MAX_ANSWER_CHARS,
        )
    return text

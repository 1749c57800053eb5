"""The flow of `quorate answer`, and what the inbox shows of turns that wait for a person."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from orchestrator.application.backend import connected
from orchestrator.application.decide import actor
from orchestrator.cli.terminal import Terminal
from orchestrator.core.discussion.spoken import form_of, reply_of
from orchestrator.core.document import Line, Span, Style, line
from orchestrator.presentation.listings import heads
from orchestrator.presentation.locale.words import say
from orchestrator.presentation.tables import table
from shared.errors import DecisionConflict, UserError
from shared.store.database import Connection
from shared.store.people import WaitingTurn, answer_turn, waiting_turns
from shared.store.views import find_run

MAX_ANSWER_CHARS = 1_000_000


def run_answer(
    run: str, step: str | None, message: str | None, file: Path | None, environ: Mapping[str, str]
) -> int:
    """Store the answer and wake the run; the exit code."""
    text = _text(message, file)
    with connected(environ) as backend:
        found = backend.read(lambda connection: find_run(connection, run))
        turn = backend.read(lambda connection: _chosen(connection, found.id, step))
        # The step's own name reaches the transaction, which says why it cannot be answered (any more).
        key = turn.step if turn is not None else str(step)
        reply = text if turn is None else reply_of(text, turn.reply_model)
        backend.write(lambda connection: answer_turn(connection, found.id, key, reply, actor()))
        backend.signals.send(found.id)
    Terminal.of(environ).result([line(f"{found.id}: {key} is answered")])
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
        raise UserError(f"the answer in {file} cannot be read: {error}") from None
    if len(text) > MAX_ANSWER_CHARS:
        raise UserError(f"the answer is longer than {MAX_ANSWER_CHARS} characters")
    return text


def _chosen(connection: Connection, run: str, step: str | None) -> WaitingTurn | None:
    waiting = waiting_turns(connection, run=run)
    if step is not None:
        return next((turn for turn in waiting if turn.step == step), None)
    if len(waiting) == 1:
        return waiting[0]
    if not waiting:
        raise DecisionConflict(f"run {run} waits for no person's turn: `quorate inbox` shows them")
    named = ", ".join(turn.step for turn in waiting)
    raise UserError(f"run {run} waits for several answers, name one: {named}")


def turn_json(turn: WaitingTurn) -> dict[str, Any]:
    """A waiting turn in the inbox's JSON."""
    return {
        "run": turn.run_id,
        "step": turn.step,
        "participant": turn.participant,
        "role": turn.role,
        "round": turn.round,
        "form": form_of(turn.reply_model),
        "asked_at": turn.asked_at,
        "answer_by": turn.answer_by,
        "deadline_at": turn.deadline_at,
        "title": turn.title,
        "unusable_answers": turn.answers,
    }


def _until(turn: WaitingTurn, language: str) -> str:
    """The turn's own deadline; else the run's, which ends it too."""
    if turn.answer_by is not None:
        return f"{turn.answer_by:%Y-%m-%d %H:%M}"
    if turn.deadline_at is None:
        return "-"
    return say("run_ends", language, when=f"{turn.deadline_at:%Y-%m-%d %H:%M}")


def turns_table(turns: Sequence[WaitingTurn], language: str = "en") -> list[Line]:
    """The waiting turns as a table; nothing when there are none."""
    if not turns:
        return []
    lines = table(
        heads(("run", "turn", "asked", "answer_by", "how", "title"), language),
        [
            (
                turn.run_id,
                turn.step,
                f"{turn.asked_at:%Y-%m-%d %H:%M}",
                _until(turn, language),
                form_of(turn.reply_model),
                turn.title,
            )
            for turn in turns
        ],
    )
    return [*lines, line(Span(say("answer_hint", language), Style.DIM))]

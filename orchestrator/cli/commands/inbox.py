"""`quorate inbox`: the open decisions, and the turns that wait for a person."""

from __future__ import annotations

import os
from collections.abc import Sequence

import click

from orchestrator.application.listings import WaitingFilter
from orchestrator.cli.options import example, json_option, language_option, repository_option
from orchestrator.cli.reader import words_in
from orchestrator.cli.run_lists import run_lists
from orchestrator.core.lines import Line
from orchestrator.presentation.inbox_json import inbox_json
from orchestrator.presentation.json_rows import dumps
from orchestrator.presentation.listings import decisions, heads, hint
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.tables import table
from orchestrator.presentation.terminal import Terminal
from shared.store.waiting_turns import WaitingTurn


@click.command(
    epilog=example(
        "quorate inbox",
        "quorate inbox --repository .",
        "quorate inbox --batch reviews-1a2b3c4d",
        "quorate inbox --json",
    )
)
@repository_option
@click.option("--batch", metavar="NAME", help="Only what waits in this batch.")
@json_option
@language_option
def inbox(repository: str | None, batch: str | None, as_json: bool, language: str | None) -> int:
    """The decisions and turns that wait for a person, oldest first."""
    with run_lists(os.environ) as place:
        waiting = place.inbox(WaitingFilter(repository, batch))
    terminal = Terminal.of(os.environ)
    if as_json:
        terminal.result(dumps(inbox_json(waiting.decisions, waiting.turns, _form_of)))
        return 0
    words = words_in(language)
    rows = (
        decisions(waiting.decisions, words, terminal.columns)
        if waiting.decisions or not waiting.turns
        else []
    )
    terminal.result([*rows, *_turns_table(waiting.turns, words, terminal.columns)])
    return 0


def _until(turn: WaitingTurn, words: Translator) -> str:
    """The turn's own deadline; else the run's, which ends it too."""
    if turn.answer_by is not None:
        return f"{turn.answer_by:%Y-%m-%d %H:%M}"
    if turn.deadline_at is None:
        return "-"
    return words.message("run_ends", when=f"{turn.deadline_at:%Y-%m-%d %H:%M}")


def _turns_table(turns: Sequence[WaitingTurn], words: Translator, width: int | None) -> list[Line]:
    """The waiting turns as a table; nothing when there are none."""
    if not turns:
        return []
    named = ("repository",) if len({turn.repository for turn in turns}) > 1 else ()
    lines = table(
        heads(("run", "turn", "asked", "answer_by", "how", *named, "title"), words),
        [
            (
                turn.run_id,
                turn.step,
                f"{turn.asked_at:%Y-%m-%d %H:%M}",
                _until(turn, words),
                _form_of(turn.reply_model),
                *([turn.repository or "-"] if named else []),
                words.run_title(turn.title, turn.workflow),
            )
            for turn in turns
        ],
        width,
        spare=(2, 3),
    )
    return [*lines, *hint(words.message("answer_hint"), width)]


def _form_of(reply_model: str) -> str:
    # It loads the models of all replies, and hardly any inbox has a turn.
    from orchestrator.core.discussion.spoken import form_of

    return form_of(reply_model)

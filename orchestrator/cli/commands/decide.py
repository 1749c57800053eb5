"""`quorate decide`: a person's answer to what is shown, then the run's end or its next question."""

from __future__ import annotations

import os
from typing import Any

import click

from orchestrator.application.backend import connected
from orchestrator.application.decide import DecisionRequest
from orchestrator.application.decide import decide as record_decision
from orchestrator.application.report import report_of
from orchestrator.application.watch import announce_watcher
from orchestrator.cli.options import (
    example,
    json_option,
    language_option,
    quiet_option,
    take,
    watch_limit_option,
)
from orchestrator.cli.results import OutputOptions
from orchestrator.cli.watching import actor, or_detach, watch_until_done, watched_s
from orchestrator.core.document import line
from orchestrator.presentation.json_rows import SCHEMA_VERSION, decision_json, dumps
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.terminal import Terminal
from shared.models.decision import DecisionAnswer
from shared.models.rows import DecisionRow


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
@click.option("--only", metavar="F1,F3", help="Apply only the fixes of these findings.")
@click.option("--except", "without", metavar="F2", help="Apply all but these.")
@click.option(
    "--shown",
    "shown_sha256",
    metavar="SHA256",
    help="Refuse unless exactly this was shown (from --json).",
)
@click.option("--no-wait", is_flag=True, help="Record the answer and return.")
@watch_limit_option
@json_option
@language_option
@quiet_option
def decide(run: str, only: str | None, without: str | None, **typed: Any) -> int:
    """Answer a decision, bound to what was shown.

    CHOICE is one of the options that the decision offers: apply_fix or skip in a review, revise or accept for a
    plan. The same answer again changes nothing; another one is refused (exit code 6). Then the run is followed to
    its end or to its next decision, and the exit code is that of the run.
    """
    options = take(OutputOptions, typed)
    terminal = Terminal.of(os.environ, quiet=options.quiet)
    with connected(os.environ) as backend:
        report = report_of(backend, run)
        name, words = report.run.id, options.words(report.spec)
        request = DecisionRequest(
            run=name,
            actor=actor(),
            channel="cli",
            only=_names(only) or None,
            without=_names(without),
            **typed,
        )
        announce_watcher(backend, name, watched_s(terminal, waits=not options.no_wait))
        row = record_decision(backend, request)
        if options.no_wait:
            _print_recorded(row, terminal, words, as_json=options.as_json)
            return 0
        return or_detach(
            name,
            terminal,
            words,
            lambda: watch_until_done(backend, name, terminal, options, words, from_now=True),
        )


def _print_recorded(
    row: DecisionRow, terminal: Terminal, words: Translator, *, as_json: bool
) -> None:
    if as_json:
        whole = {"schema_version": SCHEMA_VERSION, "run": row.run_id, **decision_json(row)}
        terminal.result(dumps(whole))
        return
    given = DecisionAnswer.model_validate(row.answer)
    text = words.message("decided", choice=given.choice, actor=given.actor, channel=given.channel)
    terminal.result([line(f"{row.run_id}: {text}")])


def _names(text: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())

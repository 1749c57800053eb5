"""`quorate decide`: a person's answer to what is shown, then the run's end or its next question."""

from __future__ import annotations

import os
from typing import Any

import click

from orchestrator.application.decide import DecisionRequest
from orchestrator.cli.installations import installation, run_to_change
from orchestrator.cli.options import (
    example,
    json_option,
    language_option,
    named_run_argument,
    quiet_option,
    take,
)
from orchestrator.cli.reader import words_in
from orchestrator.cli.results import OutputOptions
from orchestrator.cli.watching import actor, or_detach, watch_until_done, watched_s
from orchestrator.cli.work_options import watch_limit_option
from orchestrator.core.lines import line
from orchestrator.presentation.json_rows import SCHEMA_VERSION, decision_json, dumps
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.report import RunReport
from orchestrator.presentation.terminal import Terminal
from shared.models.decision import DecisionAnswer
from shared.models.rows import DecisionRow
from shared.sentences import Sentence


@click.command(
    epilog=example(
        'quorate decide last apply_fix -m "looks right"',
        "quorate decide r3k apply_fix --only F1,F3",
        "quorate decide r3k skip",
        "quorate decide --all skip",
        'quorate decide last revise --only F2 -m "quote the chart"',
        'quorate decide last revise -m "keep the old server for a week"',
    )
)
@named_run_argument
@click.argument("choice", metavar="CHOICE", required=False)
@click.option(
    "--all", "everything", is_flag=True, help="Answer everything that waits; without RUN."
)
@click.option("--batch", metavar="NAME", help="With --all: only what this batch asks.")
@click.option("-m", "--message", default="", metavar="TEXT", help="Why; kept with the answer.")
@click.option(
    "--only", metavar="F1,F3", help="Only these findings: fixes to apply, points to revise."
)
@click.option("--except", "without", metavar="F2", help="All but these.")
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
def decide(
    run: str,
    choice: str | None,
    *,
    everything: bool,
    batch: str | None,
    only: str | None,
    without: str | None,
    **typed: Any,
) -> int:
    """Answer a decision, bound to what was shown.

    CHOICE is one of the options that the decision offers: apply_fix or skip in a review, revise or accept for a
    plan. The same answer again changes nothing; another one is refused (exit code 6). Then the run is followed to
    its end or to its next decision, and the exit code is that of the run.
    """
    options = take(OutputOptions, typed)
    terminal = Terminal.of(os.environ, quiet=options.quiet)
    if everything:
        picks = choice or only or without or typed["shown_sha256"]
        if picks:
            raise click.UsageError(
                Sentence("--all takes one CHOICE and nothing else: quorate decide --all skip")
            )
        return _answer_all(run, typed["message"], batch, terminal, options)
    if batch is not None:
        raise click.UsageError(
            Sentence("--batch goes with --all: quorate decide --all skip --batch NAME")
        )
    with installation(os.environ) as place:
        report = run_to_change(place, run, terminal, options.language)
        name, words = report.run.id, options.words(report.spec)
        if choice is None:
            raise click.UsageError(_without_choice(report))
        request = DecisionRequest(
            run=name,
            choice=choice,
            actor=actor(),
            channel="cli",
            only=_names(only) or None,
            without=_names(without),
            **typed,
        )
        place.announce(name, watched_s(terminal, waits=not options.no_wait))
        row = place.decide(request)
        if options.no_wait:
            _print_recorded(row, terminal, words, as_json=options.as_json)
            return 0
        return or_detach(
            place,
            name,
            terminal,
            words,
            lambda: watch_until_done(place, name, terminal, options, words, from_now=True),
        )


def _without_choice(report: RunReport) -> str:
    """What can be answered."""
    asked = report.open_decision
    if asked is None:
        return Sentence(
            "CHOICE is missing, and run {run} asks nothing now: `quorate inbox` lists what waits.",
            run=report.run.id,
        )
    options = "|".join(asked.question.get("options") or ())
    return Sentence(
        "CHOICE is missing: quorate decide {run} {options}", run=report.run.id, options=options
    )


def _answer_all(
    choice: str, message: str, batch: str | None, terminal: Terminal, options: OutputOptions
) -> int:
    """Answer what waits, without following any run; the exit code."""
    words = words_in(options.language)
    with installation(os.environ) as place:
        bulk = place.decide_all(choice, actor(), message, batch)
    if options.as_json:
        answered, left = ([_stored(row) for row in rows] for rows in (bulk.answered, bulk.left))
        whole = {"schema_version": SCHEMA_VERSION, "answered": answered, "left": left}
        terminal.result(dumps(whole))
        return 0
    recorded = [_recorded(row, words) for row in bulk.answered]
    terminal.result([line(text) for text in recorded or [words.message("none_open")]])
    for row in bulk.left:
        offered = "|".join(row.question.get("options") or ())
        text = words.message("left_undecided", run=row.run_id, choice=choice, options=offered)
        terminal.warn([line(text)])
    return 0


def _stored(row: DecisionRow) -> dict[str, Any]:
    return {"run": row.run_id, **decision_json(row)}


def _print_recorded(
    row: DecisionRow, terminal: Terminal, words: Translator, *, as_json: bool
) -> None:
    if as_json:
        terminal.result(dumps({"schema_version": SCHEMA_VERSION, **_stored(row)}))
        return
    terminal.result([line(_recorded(row, words))])


def _recorded(row: DecisionRow, words: Translator) -> str:
    given = DecisionAnswer.model_validate(row.answer)
    text = words.message("decided", choice=given.choice, actor=given.actor, channel=given.channel)
    return f"{row.run_id}: {text}"


def _names(text: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())

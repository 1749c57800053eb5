"""`quorate hold`: keep runs from every purge."""

from __future__ import annotations

import os

import click

from orchestrator.application import retention
from orchestrator.application.backend import connected
from orchestrator.cli.listing import Listing, show_list
from orchestrator.cli.options import example, json_option, run_name
from orchestrator.cli.reader import sentence_line
from orchestrator.cli.watching import actor
from orchestrator.presentation.exit_code import ExitCode
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.terminal import Terminal
from shared.sentences import Sentence
from shared.store.holds import Hold

run_argument = click.argument("run", metavar="[RUN]", required=False, callback=run_name)
batch_option = click.option(
    "--batch", metavar="NAME", help="All runs of this batch, later ones too."
)


@click.group(epilog=example('quorate hold add last --reason "audit of 2026"', "quorate hold list"))
def hold() -> None:
    """Keep runs from every purge: those that an audit, a claim or a law needs."""


@hold.command(
    "add",
    epilog=example(
        'quorate hold add r3k --reason "audit of 2026"',
        'quorate hold add --batch nightly --reason "claim 4711"',
    ),
)
@run_argument
@batch_option
@click.option("--reason", metavar="TEXT", required=True, help="Why; it is shown with the hold.")
def add(run: str | None, batch: str | None, reason: str) -> int:
    """Hold RUN, with the run that started it and all their child runs, or the runs of a batch."""
    with connected(os.environ, workers=False) as backend:
        subject = retention.hold(backend, run=run, batch=batch, reason=reason, actor=actor())
    Terminal.of(os.environ).result(
        [sentence_line(Sentence("{subject} is held: no purge removes it", subject=subject))]
    )
    return ExitCode.OK


@hold.command("list", epilog=example("quorate hold list --json"))
@json_option
def list_(as_json: bool) -> int:
    """What is held, since when, by whom and why."""
    with connected(os.environ, workers=False) as backend:
        listed = retention.holds(backend)
    return show_list(HOLDS, listed, os.environ, as_json=as_json)


@hold.command("rm", epilog=example("quorate hold rm r3k"))
@run_argument
@batch_option
def rm(run: str | None, batch: str | None) -> int:
    """Let RUN or a batch go: the next purge removes it when it is old enough."""
    with connected(os.environ, workers=False) as backend:
        released = retention.release(backend, run=run, batch=batch)
    Terminal.of(os.environ).result(
        [sentence_line(Sentence("{subject} is not held any more", subject=released))]
    )
    return ExitCode.OK


def _row(hold: Hold, _words: Translator) -> tuple[str, ...]:
    since = f"{hold.created_at.astimezone():%Y-%m-%d %H:%M}"
    return hold.run_id or "", hold.batch or "", since, hold.actor, hold.reason


HOLDS = Listing(
    "holds", ("run", "batch", "since", "by", "reason"), _row, Sentence("Nothing is held.")
)

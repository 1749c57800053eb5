"""`quorate participants list`: the panel, who else is here, what is missing, who is held up."""

from __future__ import annotations

import os
from pathlib import Path

import click

from orchestrator.application.participants import (
    UNKNOWN,
    ParticipantListing,
    list_participants,
    listing_json,
)
from orchestrator.cli.notices import cast_lines
from orchestrator.cli.options import config_option, example, json_option, language_option
from orchestrator.cli.reader import words_in
from orchestrator.core.lines import Line, Span, Style, line
from orchestrator.presentation.json_rows import dumps
from orchestrator.presentation.listings import heads
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.tables import table
from orchestrator.presentation.terminal import Terminal
from shared.models.panel import Participant
from shared.providers.locality import leaves_machine


@click.command("list", epilog=example("quorate participants list --json"))
@click.option(
    "--panel", "names", multiple=True, metavar="NAMES", help="As in `quorate review --panel`."
)
@config_option
@json_option
@language_option
def list_(names: tuple[str, ...], config: Path | None, as_json: bool, language: str | None) -> int:
    """The panel that a review from this directory would have, who else is here, and what is missing.

    Nothing is started and nobody is called.
    """
    return print_listing(names, config, as_json=as_json, words=words_in(language))


def print_listing(
    names: tuple[str, ...], config: Path | None, *, as_json: bool, words: Translator
) -> int:
    """Print the listing; the exit code."""
    listing = list_participants(names, config, os.environ, Path.cwd())
    terminal = Terminal.of(os.environ)
    if as_json:
        terminal.result(dumps(listing_json(listing)))
        return 0
    terminal.result(_panel_table(listing, words, terminal.columns))
    if listing.others:
        also = Span(words.message("also_here"), Style.STRONG)
        terminal.result([line(""), line(also), *_others_table(listing, words, terminal.columns)])
    if listing.missing:
        terminal.talk([line(Span(words.message("not_here"), Style.DIM))])
        terminal.talk(
            [
                line(Span(f"  {words.sentence(participant)}: {words.sentence(todo)}", Style.DIM))
                for participant, todo in listing.missing
            ]
        )
    _, *notes = cast_lines(listing.cast.report, words, refers=False)
    terminal.talk([line(text) for text in notes])
    return 0


TEXTS = (1, 3, 6)  # how somebody was found, the model, the state
SPARE = (4, 5, 2)  # family, reached, provider


def _panel_table(listing: ParticipantListing, words: Translator, width: int | None) -> list[Line]:
    panel = listing.cast.panel
    parts = [("critic", participant) for participant in panel.critics]
    parts += [("author", panel.author), ("chair", panel.chair)]
    rows = [
        (
            participant.name,
            words.message(f"part_{part}"),
            *_columns(participant, words),
            words.sentence(listing.held.state_of(participant)),
        )
        for part, participant in parts
    ]
    names = ("name", "part", "provider", "model", "family", "reached", "state")
    return table(heads(names, words), rows, width, texts=TEXTS, spare=SPARE)


def _others_table(listing: ParticipantListing, words: Translator, width: int | None) -> list[Line]:
    rows = [
        (
            participant.name,
            words.sentence(how),
            *_columns(participant, words),
            words.sentence(listing.held.state_of(participant)),
        )
        for participant, how in listing.others
    ]
    names = ("name", "found", "provider", "model", "family", "reached", "state")
    return table(heads(names, words), rows, width, texts=TEXTS, spare=SPARE)


def _columns(participant: Participant, words: Translator) -> tuple[str, str, str, str]:
    reached = words.message("reached_external" if leaves_machine(participant) else "reached_local")
    return (
        participant.provider,
        participant.model or participant.tool or UNKNOWN,
        participant.family,
        reached,
    )

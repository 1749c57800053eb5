"""`quorate participants models`: which model a name means here, and what it costs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import click
from pydantic import JsonValue

from orchestrator.application.participants import list_participants
from orchestrator.cli.options import config_option, example, json_option
from orchestrator.cli.reader import words_in
from orchestrator.core.lines import Span, Style, line
from orchestrator.presentation.json_rows import SCHEMA_VERSION, dumps
from orchestrator.presentation.listings import heads
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.tables import table
from orchestrator.presentation.terminal import Terminal
from shared.models.panel import Participant
from shared.providers.catalogue import services
from shared.providers.prices import expected_usd
from shared.sentences import Sentence

_MILLION = 1_000_000


@click.command("models", epilog=example("quorate participants models"))
@config_option
@json_option
def models(config: Path | None, as_json: bool) -> int:
    """Which model a name means here, and what it costs. Nobody is asked."""
    listing = list_participants((), config, os.environ, Path.cwd())
    here = [*listing.cast.everybody.values(), *(participant for participant, _ in listing.others)]
    rows = [(participant, True) for participant in here if participant.model is not None]
    names = {participant.name for participant, _ in rows}
    rows += [
        (participant, False) for participant in default_models() if participant.name not in names
    ]
    terminal = Terminal.of(os.environ)
    if as_json:
        listed = [_fields(participant, is_here) for participant, is_here in rows]
        terminal.result(dumps({"schema_version": SCHEMA_VERSION, "models": listed}))
        return 0
    words = words_in()
    columns = heads(("name", "model", "provider", "here", "usd_in", "usd_out"), words)
    shown = [_row(participant, words, is_here=is_here) for participant, is_here in rows]
    terminal.result(table(columns, shown, terminal.columns, texts=(1,), spare=(2, 3)))
    note = Sentence(
        "default models as of 2026-11-21; `providers:` in your configuration names others"
    )
    terminal.talk([line(Span(words.sentence(note), Style.DIM))])
    return 0


def default_models() -> Iterator[Participant]:
    """Who would take part with every key of the catalogue."""
    for row, service in services():
        options: dict[str, JsonValue] = {"base_url": service.base_url} if service.base_url else {}
        yield Participant(
            name=service.name, provider=row.name, model=service.model, options=options
        )


def _fields(participant: Participant, is_here: bool) -> dict[str, object]:
    return {
        "name": participant.name,
        "provider": participant.provider,
        "model": participant.model,
        "here": is_here,
        "usd_per_million_input": expected_usd(participant, _MILLION, 0),
        "usd_per_million_output": expected_usd(participant, 0, _MILLION),
    }


def _row(participant: Participant, words: Translator, *, is_here: bool) -> tuple[str, ...]:
    prices = (expected_usd(participant, _MILLION, 0), expected_usd(participant, 0, _MILLION))
    shown = (words.message("trial_unknown") if price is None else f"{price:g}" for price in prices)
    return (
        participant.name,
        str(participant.model),
        participant.provider,
        words.message("server_runs_yes" if is_here else "server_runs_no"),
        *shown,
    )

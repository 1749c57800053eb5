"""`quorate inbox`: the open decisions."""

from __future__ import annotations

import os

import click

from orchestrator.cli.options import example, json_option, language_option


@click.command(epilog=example("quorate inbox", "quorate inbox --json"))
@json_option
@language_option
def inbox(as_json: bool, language: str | None) -> int:
    """The decisions and the turns that wait for a person, the oldest first."""
    from orchestrator.application.backend import connected
    from orchestrator.cli.people import turn_json, turns_table
    from orchestrator.cli.terminal import Terminal
    from orchestrator.presentation.formats.json import SCHEMA_VERSION, decision_json, dumps
    from orchestrator.presentation.listings import decisions
    from shared.store.decisions import list_decisions
    from shared.store.people import waiting_turns

    with connected(os.environ) as backend:
        rows = backend.read(list_decisions)
        turns = backend.read(waiting_turns)
    terminal = Terminal.of(os.environ)
    if as_json:
        listed = [{"run": row.run_id, "title": row.title, **decision_json(row)} for row in rows]
        waiting = [turn_json(turn) for turn in turns]
        whole = {"schema_version": SCHEMA_VERSION, "decisions": listed, "turns": waiting}
        terminal.result(dumps(whole))
    else:
        spoken = language or "en"
        listed_rows = decisions(rows, spoken) if rows or not turns else []
        terminal.result([*listed_rows, *turns_table(turns, spoken)])
    return 0

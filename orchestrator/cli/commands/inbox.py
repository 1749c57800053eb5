"""`quorate inbox`: the open decisions."""

from __future__ import annotations

import os

import click

from orchestrator.cli.options import example, json_option


@click.command(epilog=example("quorate inbox", "quorate inbox --json"))
@json_option
def inbox(as_json: bool) -> int:
    """The decisions that wait for a person, the oldest first."""
    from orchestrator.cli.backend import connected
    from orchestrator.cli.terminal import Terminal
    from orchestrator.views.json_report import SCHEMA_VERSION, decision_json, dumps
    from orchestrator.views.listings import decisions
    from shared.store.decisions import list_decisions

    with connected(os.environ) as backend:
        rows = backend.read(list_decisions)
    terminal = Terminal.of(os.environ)
    if as_json:
        listed = [{"run": row.run_id, "title": row.title, **decision_json(row)} for row in rows]
        terminal.result(dumps({"schema_version": SCHEMA_VERSION, "decisions": listed}))
    else:
        terminal.result(decisions(rows))
    return 0

"""The flow of `quorate cost`: what the usage rows of the store add up to."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from pydantic import TypeAdapter, ValidationError

from orchestrator.application.backend import connected
from orchestrator.cli.terminal import Terminal
from orchestrator.presentation.formats.json import SCHEMA_VERSION, dumps
from orchestrator.presentation.money import spending_table
from shared.configuration import LONGEST_S, Duration
from shared.errors import UserError
from shared.store.database import Connection
from shared.store.spending import Grouping, Spending, spending
from shared.store.views import find_run


def run_cost(
    by: str,
    since: str | None,
    run: str | None,
    environ: Mapping[str, str],
    *,
    as_json: bool,
    language: str | None = None,
) -> int:
    """Print what was spent; the exit code. Raises UserError for a bad duration, UnknownRun."""
    grouping, since_s = Grouping(by), None if since is None else _seconds(since)

    def read(connection: Connection) -> tuple[str | None, list[Spending], list[Spending]]:
        name = None if run is None else find_run(connection, run).id
        rows = spending(connection, grouping, run=name, since_s=since_s)
        return name, rows, spending(connection, Grouping.TOTAL, run=name, since_s=since_s)

    with connected(environ, workers=False) as backend:
        name, rows, totals = backend.read(read)
    terminal = Terminal.of(environ)
    if not as_json:
        total = totals[0] if totals else None
        terminal.result(spending_table(by, rows, total, language or "en"))
        return 0
    found = {
        "schema_version": SCHEMA_VERSION,
        "by": by,
        "run": name,
        "since_s": since_s,
        "spending": [dataclasses.asdict(row) for row in rows],
        "total": dataclasses.asdict(totals[0]) if totals else None,
    }
    terminal.result(dumps(found))
    return 0


def _seconds(text: str) -> float:
    try:
        return min(TypeAdapter[float](Duration).validate_python(text), LONGEST_S)
    except ValidationError:
        raise UserError(f"--since {text}: expected a duration like 90s, 12h, 7d or 4w") from None

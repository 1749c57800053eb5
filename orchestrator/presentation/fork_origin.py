"""Which run a result is of, and where a fork or an imported run comes from."""

from __future__ import annotations

from typing import Any

from orchestrator.core.lines import Line, Span, Style, line
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.report import RunReport
from shared.models.rows import REPOSITORY
from shared.models.run_file import Imported


def heading(report: RunReport, words: Translator) -> Line:
    """Which run this is: its id, workflow, title, repository and when it was submitted."""
    run = report.run
    repository = str(report.spec.labels.get(REPOSITORY, ""))
    at = f"{run.created_at:%Y-%m-%d %H:%M %Z}"
    title = words.run_title(run.title, run.workflow)
    parts = (run.id, run.workflow, title, repository, at)
    return line(Span(" · ".join(filter(None, parts)), Style.DIM))


def origin(report: RunReport, words: Translator, imported: Imported | None = None) -> list[Line]:
    """Where a run comes from that was not submitted here as a whole."""
    labels = report.spec.labels
    elsewhere = [] if imported is None else [_elsewhere(imported, words)]
    if "forked_from" not in labels:
        return elsewhere
    text = words.message(
        "fork_of",
        origin=labels["forked_from"],
        at=labels.get("forked_at"),
        n=labels.get("copied_steps", 0),
    )
    seats = [words.message("seat", seat=seat, who=name) for seat, name in seats_of(labels)]
    return [*elsewhere, *(line(Span(shown, Style.DIM)) for shown in (text, *seats))]


def _elsewhere(imported: Imported, words: Translator) -> Line:
    text = words.message(
        "imported_from",
        origin=imported.origin or "?",
        at=f"{imported.exported_at:%Y-%m-%d}",
        status=imported.status,
    )
    return line(Span(text, Style.DIM))


def seats_of(labels: Any) -> list[tuple[str, str]]:
    """Who speaks instead of whom, from a run's labels."""
    seats = labels.get("seats")
    return (
        [(str(seat), str(name)) for seat, name in seats.items()] if isinstance(seats, dict) else []
    )

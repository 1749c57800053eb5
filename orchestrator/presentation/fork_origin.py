"""Where a fork comes from, as its result says it."""

from __future__ import annotations

from typing import Any

from orchestrator.core.document import Line, Span, Style, line
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.report import RunReport


def origin(report: RunReport, words: Translator) -> list[Line]:
    """Where a fork comes from; nothing for a run that is not a fork."""
    labels = report.spec.labels
    if "forked_from" not in labels:
        return []
    text = words.message(
        "fork_of",
        origin=labels["forked_from"],
        at=labels.get("forked_at"),
        n=labels.get("copied_steps", 0),
    )
    seats = [words.message("seat", seat=seat, who=name) for seat, name in seats_of(labels)]
    return [line(Span(shown, Style.DIM)) for shown in (text, *seats)]


def seats_of(labels: Any) -> list[tuple[str, str]]:
    """Who speaks instead of whom, from a run's labels."""
    seats = labels.get("seats")
    return (
        [(str(seat), str(name)) for seat, name in seats.items()] if isinstance(seats, dict) else []
    )

"""What happened in a run: its rounds and its event log."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from orchestrator.core.wording import reply_text
from orchestrator.views.lines import Line, Span, Style, block, line
from orchestrator.views.report import RunReport
from orchestrator.views.tables import table


def rounds(report: RunReport) -> list[Line]:
    """Every step with what was said, under its round's figures."""
    lines: list[Line] = []
    for step in report.steps:
        took = "" if step.finished_at_s is None else f", {step.finished_at_s:.2f} s"
        head = f"{step.key}: {step.status}{took}"
        note = f" {step.note}" if step.note else ""
        lines.append(line(Span(head, Style.STRONG), Span(note, Style.DIM)))
        if step.failure_kind is not None:
            why = f"  ⚠ {step.failure_kind}: {step.failure_message}"
            lines.append(line(Span(why, Style.WARNING)))
        if step.reply is not None:
            lines += block(reply_text(step.reply), indent="  ")
    for recorded in report.assessments:
        figures = recorded.figures
        stability = figures.metrics.avg_stability
        lines.append(
            line(
                Span(f"{recorded.key}: ", Style.STRONG),
                f"agreement {figures.metrics.agreement_ratio:.2f}, "
                f"stability {'-' if stability is None else f'{stability:.2f}'}, "
                f"score {figures.metrics.overall_score:.2f}, {figures.metrics.recommendation}, "
                f"{figures.answered}/{figures.expected} answered. {figures.reason}",
            )
        )
    return lines


def events(log: Sequence[tuple[int, str, Any]]) -> list[Line]:
    """The append-only log, one line an event."""
    rows = [(str(number), kind, json.dumps(body, ensure_ascii=False)) for number, kind, body in log]
    return table(("#", "event", "what"), rows)

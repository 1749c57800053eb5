"""What happened in a run: its rounds, its event log, and the prompt of one step."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from orchestrator.core.wording import reply_text
from orchestrator.views.lines import Line, Span, Style, block, line
from orchestrator.views.report import RunReport
from orchestrator.views.tables import table
from shared.models.steps import PromptPart, ToolRequest, TurnRequest

Resolve = Callable[[str], bytes]


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


def prompt(request: dict[str, Any], kind: str, resolve: Resolve) -> list[Line]:
    """What a step asked of its worker, with its documents in place."""
    if kind == "tool":
        asked = ToolRequest.model_validate(request)
        shown = json.dumps(asked.inputs, ensure_ascii=False, indent=2)
        return [line(Span(f"tool {asked.tool}", Style.STRONG)), *block(shown)]
    turn = TurnRequest.model_validate(request)
    lines = [line(Span(f"{turn.participant.name}: {turn.role} → {turn.reply_model}", Style.STRONG))]
    for title, parts in (("system", turn.system), ("user", turn.prompt)):
        lines.append(line(Span(f"--- {title}", Style.DIM)))
        for part in parts:
            lines += _part(part, turn.marker, resolve)
    if turn.brief:
        lines.append(line(Span("--- brief", Style.DIM)))
        lines += block(json.dumps(turn.brief, ensure_ascii=False, indent=2))
    return lines


def _part(part: PromptPart, marker: str, resolve: Resolve) -> list[Line]:
    text = part.text
    if text is None:
        text = resolve(part.document or "").decode("utf-8", "replace")
    if part.fence is None:
        return block(text)
    begin, end = f"<<<BEGIN {marker} {part.fence}>>>", f"<<<END {marker} {part.fence}>>>"
    return [line(Span(begin, Style.DIM)), *block(text), line(Span(end, Style.DIM))]

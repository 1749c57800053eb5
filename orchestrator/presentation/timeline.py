"""What happened in a run: its rounds and its event log."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from orchestrator.core.lines import Line, Span, Style, block, line
from orchestrator.core.views.context import failure_of, took_s
from orchestrator.core.wording import lines_of
from orchestrator.presentation.locale.translator import ENGLISH, Translator
from orchestrator.presentation.report import RunReport
from orchestrator.presentation.result import record_text
from orchestrator.presentation.tables import table
from shared.models.assessment import RecordedAssessment
from shared.models.rows import StepRow
from shared.patterns import regex

_ADDRESS = regex(r"[0-9a-f]{64}")
"""Of a document, by its content."""


def rounds(report: RunReport, words: Translator = ENGLISH) -> list[Line]:
    """Every step with what was said, and below them each round's figures."""
    lines: list[Line] = []
    for step in report.steps:
        spent_s = took_s(step)
        took = "" if spent_s is None else f", {words.message('seconds', s=spent_s)}"
        head = f"{words.message(f'turn_{step.status}')}{took}"
        note = f" {words.column(step.note)}" if step.note else ""
        lines.append(line(Span(f"{step.key}: {head}", Style.STRONG), Span(note, Style.DIM)))
        if step.failure_kind is not None:
            why = f"  ⚠ {words.translate(failure_of(step))}"
            lines.append(line(Span(why, Style.WARNING)))
        if step.reply is not None and (text := _reply_text(own_reply(step, step.reply), words)):
            lines += block(text, indent="  ")
    lines += [_figures(recorded, words) for recorded in report.assessments]
    for row in report.records:
        lines.append(line(Span(f"{row.key}: ", Style.STRONG), record_text(row, words)))
    return lines


def own_reply(step: StepRow, reply: Mapping[str, Any]) -> Mapping[str, Any]:
    """The reply without what is not for reading: addresses of documents, and a child run's whole result, which
    `quorate show` has under the child's id.
    """
    return {
        name: value
        for name, value in reply.items()
        if not (step.kind == "run" and name == "outcome") and not _is_address(value)
    }


def _is_address(value: object) -> bool:
    return isinstance(value, str) and _ADDRESS.fullmatch(value) is not None


def _reply_text(reply: Mapping[str, Any], words: Translator) -> str:
    """A reply field by field: texts below their headings, numbers beside them."""
    parts = []
    for name, value in reply.items():
        word = words.field(name)
        if isinstance(value, bool | int | float):
            parts.append(f"{word}: {json.dumps(value)}")
        elif lines := list(section_lines(value)):
            parts.append(f"## {word}\n" + "\n".join(lines))
    return "\n\n".join(parts)


def section_lines(value: Any) -> Iterator[str]:
    """As `lines_of`; lists in a section follow their names, a fix's patch its findings, source and explanation."""
    match value:
        case [{"findings": _, "patch": _}, *_]:
            for fix in value:
                parts = (fix.get("source"), fix.get("explanation"), fix.get("problem"))
                yield " — ".join(["- " + ", ".join(fix["findings"]), *filter(None, parts)])
                yield from (f"  {row}" for row in (fix["patch"] or "").splitlines())
        case {**fields} if any(isinstance(part, list) for part in fields.values()):
            for name, part in fields.items():
                entries = part if isinstance(part, list) else [part]
                if listed := ", ".join(map(_in_a_line, entries)):
                    yield f"- {str(name).replace('_', ' ')}: {listed}"
        case _:
            yield from lines_of(value)


def _in_a_line(entry: Any) -> str:
    parts = entry.values() if isinstance(entry, Mapping) else [entry]
    return " — ".join(str(part) for part in parts if part not in (None, "", [], {}))


def _figures(recorded: RecordedAssessment, words: Translator) -> Line:
    figures = recorded.figures
    metrics = figures.metrics
    stability = "-" if metrics.avg_stability is None else f"{metrics.avg_stability:.2f}"
    text = words.message(
        "round_figures",
        agreement=metrics.agreement_ratio,
        stability=stability,
        score=metrics.overall_score,
        how=words.message(f"how_{metrics.recommendation.value}"),
        answered=figures.answered,
        expected=figures.expected,
        why=words.translate(figures.reason),
    )
    return line(Span(f"{recorded.key}: ", Style.STRONG), text.rstrip())


def events(log: Sequence[tuple[int, str, Any, datetime]]) -> list[Line]:
    """The append-only log, one line an event with its time."""
    rows = [
        (str(number), f"{at.astimezone():%H:%M:%S}", kind, json.dumps(body, ensure_ascii=False))
        for number, kind, body, at in log
    ]
    return table(("#", "time", "event", "what"), rows)

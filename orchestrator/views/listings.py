"""Lists of runs, decisions and participants as tables."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.views.lines import Line, Span, Style, line
from orchestrator.views.tables import table
from shared.models.panel import Panel, Participant
from shared.store.decisions import DecisionRow
from shared.store.views import RunRow


def runs(rows: Sequence[RunRow]) -> list[Line]:
    """One line a run."""
    if not rows:
        return [line(Span("no runs", Style.DIM))]
    return table(
        ("run", "status", "verdict", "ending", "started", "took", "title"),
        [
            (
                run.id,
                run.status.value,
                run.verdict or "-",
                run.ending or "-",
                f"{run.created_at:%Y-%m-%d %H:%M}",
                f"{run.elapsed_s:.1f} s",
                run.title,
            )
            for run in rows
        ],
    )


def decisions(rows: Sequence[DecisionRow]) -> list[Line]:
    """One line a decision, and how to answer."""
    if not rows:
        return [line(Span("no decision waits", Style.DIM))]
    lines = table(
        ("run", "asked", "until", "options", "question", "title"),
        [
            (
                row.run_id,
                f"{row.opened_at:%Y-%m-%d %H:%M}",
                "-" if row.deadline_at is None else f"{row.deadline_at:%Y-%m-%d %H:%M}",
                "|".join(row.question.get("options") or ()),
                str(row.question.get("prompt", "")),
                row.title,
            )
            for row in rows
        ],
    )
    hint = "quorate show RUN shows what is asked, quorate decide RUN CHOICE answers it"
    return [*lines, line(Span(hint, Style.DIM))]


def participants(panel: Panel) -> list[Line]:
    """One line for each part of a panel."""
    parts: list[tuple[str, Participant]] = [("critic", critic) for critic in panel.critics]
    parts += [("author", panel.author), ("chair", panel.chair)]
    return table(
        ("name", "part", "provider", "model", "family", "kind"),
        [
            (
                who.name,
                part,
                who.provider,
                who.model or who.tool or "-",
                who.family,
                "rule-based" if who.rule_based else "model",
            )
            for part, who in parts
        ],
    )

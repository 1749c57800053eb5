"""The list of runs, as values: a line each, and what the list can be narrowed to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator.presentation.durations import duration
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.run_pages.stations import Badge, run_badge, verdict_badge
from orchestrator.workflows.registry import WORKFLOWS
from shared.models.outcomes import RunStatus, Verdict
from shared.models.rows import ListedRun
from shared.text.amounts import dollars

DAY_S = 86_400.0
AGES_D = (1, 7, 30, 90)
"""How many days back a list can be asked to reach."""


@dataclass(frozen=True)
class RunLine:
    """A run of the list; `taken_back`: its fix no longer holds."""

    run: ListedRun
    badge: Badge
    verdict: Badge | None
    took: str
    cost: str
    taken_back: bool


def run_lines(rows: Sequence[ListedRun], words: Translator) -> tuple[RunLine, ...]:
    """The runs as the list shows them."""
    taken_back = {row.took_back_from for row in rows if row.took_back_from}
    return tuple(
        RunLine(
            run=row,
            badge=run_badge(row.status, row.phase, words),
            verdict=verdict_badge(row.verdict, words),
            took=duration(row.worked_s, words),
            cost="" if row.cost_usd is None else dollars(row.cost_usd),
            taken_back=row.id in taken_back,
        )
        for row in rows
    )


@dataclass(frozen=True)
class ListChoice:
    """What a list can be narrowed to: a value of its address, in words."""

    value: str
    text: str


def list_choices(words: Translator) -> dict[str, tuple[ListChoice, ...]]:
    """The values that each filter offers."""
    statuses = ((status.value, words.message(f"run_is_{status.value}")) for status in RunStatus)
    verdicts = ((v.value, words.message(f"verdict_is_{v.value}")) for v in Verdict)
    workflows = ((name, name) for name in WORKFLOWS)
    ages = ((str(days), words.message("runs_since_days", n=days)) for days in AGES_D)
    choices = {"status": statuses, "workflow": workflows, "verdict": verdicts, "days": ages}
    return {name: tuple(ListChoice(*each) for each in pairs) for name, pairs in choices.items()}

"""Schedules as values for their page: when each is due next, in its own time zone, and what came of its last times."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from orchestrator.core.timetable import Timetable
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.run_pages.stations import Badge, run_badge, verdict_badge
from shared.models.outcomes import RunStatus
from shared.store.schedules import Firing, FiringState, Schedule

NEXT = 3
"""How many of the times to come are shown."""
_FIRINGS = {
    FiringState.DUE: ("working", "schedules"),
    FiringState.SUBMITTED: ("good", "check"),
    FiringState.NOTHING: ("", "check"),
    FiringState.FAILED: ("bad", "cross"),
    FiringState.MISSED: ("warning", "alert"),
}


@dataclass(frozen=True)
class NextTime:
    """A time to come, and the same as the schedule's own time zone has it."""

    when: datetime
    local: str


@dataclass(frozen=True)
class FiringLine:
    """A firing: what became of it, and how its run stands where it started one."""

    firing: Firing
    badge: Badge
    run: Badge | None
    verdict: Badge | None


@dataclass(frozen=True)
class ScheduleCard:
    """A schedule as its page shows it."""

    schedule: Schedule
    badge: Badge
    command: str
    next_times: tuple[NextTime, ...]
    firings: tuple[FiringLine, ...]


def schedule_card(
    schedule: Schedule, table: Timetable, firings: Sequence[Firing], words: Translator
) -> ScheduleCard:
    """A schedule with its times and its newest firings."""
    tone, icon = ("warning", "schedules") if schedule.paused else ("good", "check")
    state = "paused" if schedule.paused else "on"
    return ScheduleCard(
        schedule=schedule,
        badge=Badge(words.message(f"schedule_is_{state}"), tone, icon),
        command=f"quorate {shlex.join(schedule.command)}",
        next_times=() if schedule.paused else _next_times(schedule, table),
        firings=tuple(_line(firing, words) for firing in firings),
    )


def _next_times(schedule: Schedule, table: Timetable) -> tuple[NextTime, ...]:
    found: list[NextTime] = []
    due = schedule.due_at
    while due is not None and len(found) < NEXT:
        start = table.start_of(due)
        local = start.astimezone(ZoneInfo(schedule.timezone))
        found.append(NextTime(start, f"{local:%Y-%m-%d %H:%M %Z}"))
        due = table.next_due(due)
    return tuple(found)


def _line(firing: Firing, words: Translator) -> FiringLine:
    tone, icon = _FIRINGS[firing.state]
    run = None if firing.status is None else run_badge(RunStatus(firing.status), "", words)
    return FiringLine(
        firing,
        Badge(words.message(f"firing_is_{firing.state}"), tone, icon),
        run,
        verdict_badge(firing.verdict, words),
    )

"""Where a run stands: its badge, and the stations of its way with what it has passed, left out and has before it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from orchestrator.core.lines import Style
from orchestrator.core.views.live import Station
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.report import RunReport
from orchestrator.presentation.result import VERDICT_STYLES
from orchestrator.workflows.display import display_of
from orchestrator.workflows.registry import workflow_named
from shared.models.outcomes import RunStatus, StepStatus, Verdict

# The colours are those of the first description of this product: quorate.css has them.
_TONES = {
    "Reviewing": "reviewing",
    "Debating": "debating",
    "WaitingForReviewDecision": "awaiting",
    "WaitingForDebateDecision": "awaiting",
    "Synthesizing": "synthesizing",
}
_ICONS = {"reviewing": "split", "debating": "split", "awaiting": "question", "synthesizing": "run"}
_STATUS_TONES = {
    RunStatus.QUEUED: ("", "schedules"),
    RunStatus.RUNNING: ("working", "run"),
    RunStatus.WAITING: ("awaiting", "question"),
    RunStatus.BLOCKED: ("bad", "alert"),
    RunStatus.COMPLETED: ("", "check"),
    RunStatus.FAILED: ("bad", "cross"),
    RunStatus.CANCELLED: ("", "cross"),
    RunStatus.EXPIRED: ("warning", "schedules"),
}
_STYLES = {
    Style.GOOD: ("good", "check"),
    Style.BAD: ("bad", "alert"),
    Style.WARNING: ("warning", "question"),
}


@dataclass(frozen=True)
class Badge:
    """A word with its colour (`tone`, a class of the style sheet) and its picture: never the colour alone."""

    text: str
    tone: str
    icon: str


def run_badge(status: RunStatus, phase: str, words: Translator) -> Badge:
    """What a run does now, by its phase while it goes on."""
    going = status in (RunStatus.RUNNING, RunStatus.WAITING)
    if going and phase in _TONES:
        tone = _TONES[phase]
        return Badge(words.message(f"station_{phase}"), tone, _ICONS[tone])
    tone, icon = _STATUS_TONES[status]
    return Badge(words.message(f"run_is_{status.value}"), tone, icon)


def verdict_badge(verdict: str | None, words: Translator) -> Badge | None:
    """What a run came to; None while it came to nothing."""
    if verdict is None:
        return None
    known = next((each for each in Verdict if each.value == verdict), None)
    style = VERDICT_STYLES.get(known) if known is not None else None
    tone, icon = _STYLES.get(style, ("", "check")) if style is not None else ("", "check")
    return Badge(words.word(f"verdict_is_{verdict}", verdict), tone, icon)


class StationProgress(StrEnum):
    """How a station stands to a run."""

    PASSED = "passed"
    HERE = "here"
    AHEAD = "ahead"
    LEFT_OUT = "left-out"


@dataclass(frozen=True)
class ShownStation:
    """A station: its name, how it stands to the run, in words too, and its colour."""

    name: str
    progress: StationProgress
    wording: str
    tone: str


def stations(report: RunReport, words: Translator) -> tuple[ShownStation, ...]:
    """The stations of the run's workflow; nothing where every run goes its own way."""
    course = display_of(workflow_named(report.run.workflow)).live.course
    here = _here(report, course)
    reached = [number == here or _was_at(report, each) for number, each in enumerate(course)]
    return tuple(
        _shown(each, _progress(report, number, here, reached), words)
        for number, each in enumerate(course)
    )


def _here(report: RunReport, course: tuple[Station, ...]) -> int | None:
    """Which station the run is at now; None where it is at none of them, or over."""
    if report.run.status.final:
        return None
    phase = report.run.phase
    return next((n for n, each in enumerate(course) if phase in each.phases), None)


def _was_at(report: RunReport, station: Station) -> bool:
    if station.decides:
        return bool(report.decisions)
    return any(
        step.role in station.roles and step.status != StepStatus.CANCELLED for step in report.steps
    )


def _progress(
    report: RunReport, number: int, here: int | None, reached: list[bool]
) -> StationProgress:
    if number == here:
        return StationProgress.HERE
    later = here is None or number > here
    if reached[number] and not (later and here is not None):
        return StationProgress.PASSED
    if report.run.status.final or not later:
        return StationProgress.LEFT_OUT
    return StationProgress.AHEAD


def _shown(station: Station, progress: StationProgress, words: Translator) -> ShownStation:
    phase = station.phases[0]
    name = words.word(f"station_{phase}", words.word(f"phase_{phase}", phase))
    wording = words.message(f"station_is_{progress.value.replace('-', '_')}")
    return ShownStation(name, progress, wording, _TONES.get(phase, "working"))

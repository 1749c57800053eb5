"""What changed between two looks at a run, as lines for people who watch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pydantic import ValidationError

from orchestrator.views.lines import Line, Span, Style, line
from orchestrator.views.report import RecordedAssessment
from orchestrator.views.text import raised_line
from orchestrator.views.words import count, say
from shared.models.findings import RaisedFinding
from shared.models.outcomes import RunStatus, StepStatus
from shared.store.views import StepRow

FINAL = frozenset({StepStatus.DONE, StepStatus.FAILED, StepStatus.CANCELLED})


@dataclass(frozen=True)
class Look:
    """A run as it was seen at one moment."""

    run: str
    status: RunStatus
    phase: str
    elapsed_s: float
    steps: tuple[StepRow, ...] = ()
    assessments: tuple[RecordedAssessment, ...] = ()
    characters: Mapping[str, int] = field(default_factory=dict)

    @property
    def open_steps(self) -> tuple[StepRow, ...]:
        """The steps that somebody works on, or that wait for somebody."""
        return tuple(step for step in self.steps if step.status not in FINAL)


def changes(before: Look | None, after: Look, language: str) -> list[Line]:
    """One line for each thing that happened in between, in the order in which it happened."""
    known = {step.key for step in before.steps} if before else set()
    ended = {step.key for step in before.steps if step.status in FINAL} if before else set()
    assessed = {one.key for one in before.assessments} if before else set()
    told: list[tuple[float, list[Line]]] = []
    if after.phase and after.phase != (before.phase if before else ""):
        phase = line(Span(say("phase", language, phase=after.phase), Style.DIM))
        told.append((_phase_began_s(known, after), [phase]))
    told += [
        (group[0].queued_at_s, [_started(group, language)])
        for group in _groups(step for step in after.steps if step.key not in known)
    ]
    told += [
        (step.finished_at_s or 0.0, _finished(step, language))
        for step in after.steps
        if step.status in FINAL and step.key not in ended
    ]
    told += [
        (_ended_s(recorded, after), [_assessed(recorded, language)])
        for recorded in after.assessments
        if recorded.key not in assessed
    ]
    return [one for _, lines in sorted(told, key=lambda pair: pair[0]) for one in lines]


def _phase_began_s(known: set[str], look: Look) -> float:
    """Phases are told before the steps that they bring."""
    new = [step.queued_at_s for step in look.steps if step.key not in known]
    return max(new) - 1e-6 if new else look.elapsed_s


def _ended_s(recorded: RecordedAssessment, look: Look) -> float:
    """When the last contribution to a round came; a round is assessed right after it."""
    review = recorded.key.rpartition("round/")[0]
    number = recorded.figures.round
    ends = [
        step.finished_at_s or 0.0
        for step in look.steps
        if step.key.startswith((f"{review}critique/{number}/", f"{review}rebuttal/{number}/"))
    ]
    return max(ends, default=look.elapsed_s) + 1e-6


def still_waiting(look: Look, language: str) -> list[Line]:
    """Who is being waited for, and for how long; nothing when nobody is."""
    waiting = look.open_steps
    if not waiting:
        return []
    longest = max(look.elapsed_s - (step.leased_at_s or step.queued_at_s) for step in waiting)
    who = ", ".join(dict.fromkeys(step.participant for step in waiting))
    return [line(Span(say("waiting_for", language, who=who, s=longest), Style.DIM))]


def stage(step: StepRow) -> str:
    """What steps of one parallel group share: their key without the participant."""
    return step.key.removesuffix(f"/{step.participant}")


def _groups(steps: Iterable[StepRow]) -> list[list[StepRow]]:
    groups: dict[str, list[StepRow]] = {}
    for step in steps:
        groups.setdefault(stage(step), []).append(step)
    return list(groups.values())


def _started(group: list[StepRow], language: str) -> Line:
    who = ", ".join(step.participant for step in group)
    first = group[0]
    text = (
        say("round_starts", language, n=first.round, role=first.role, who=who)
        if first.role in ("critique", "rebuttal")
        else say("starts", language, role=first.role, who=who)
    )
    return line(Span(text, Style.STRONG))


def _finished(step: StepRow, language: str) -> list[Line]:
    if step.status != StepStatus.DONE:
        why = f"{step.failure_kind}: {step.failure_message}" if step.failure_kind else step.status
        text = say("step_failed", language, key=step.key, why=why)
        return [line(Span(f"⚠ {text}", Style.WARNING))]
    raised = _raised(step)
    what = count("with_findings", language, len(raised)) if raised else ""
    took = (step.finished_at_s or 0.0) - (step.leased_at_s or step.queued_at_s)
    said = say("answered", language, who=step.participant, what=what, s=took)
    note = f" ({step.note})" if step.note else ""
    return [
        line(said, Span(note, Style.DIM)),
        *(raised_line(one, step.participant) for one in raised),
    ]


def _raised(step: StepRow) -> list[RaisedFinding]:
    found = (step.reply or {}).get("findings") or []
    try:
        return [RaisedFinding.model_validate(one) for one in found]
    except ValidationError:
        return []


def _assessed(recorded: RecordedAssessment, language: str) -> Line:
    figures = recorded.figures
    how = figures.ending or figures.metrics.recommendation
    text = say(
        "assessed",
        language,
        n=figures.round,
        score=figures.metrics.overall_score,
        recommendation=how.value,
    )
    reason = f" — {figures.reason}" if figures.reason else ""
    return line(Span(text, Style.STRONG), Span(reason, Style.DIM))

"""What changed between two looks at a run, as lines for people who watch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from orchestrator.core.document import Line, Span, Style, line
from orchestrator.presentation.live.happenings import (
    Manner,
    Moment,
    all_bids,
    assessed,
    began,
    ended,
    says_when_it_starts,
)
from orchestrator.presentation.locale.words import say, told
from orchestrator.presentation.report import ASSESSED_ROLES, RecordedAssessment
from orchestrator.presentation.stages import stage_of
from orchestrator.workflows.registry import is_conversation, workflow_of
from shared.models.outcomes import RunStatus, StepStatus
from shared.models.panel import Role
from shared.models.rows import RunRow, StepRow, UsageRow
from shared.models.run import RunSpec
from shared.text.unfinished import SoFar

FINAL = frozenset({StepStatus.DONE, StepStatus.FAILED, StepStatus.CANCELLED})


@dataclass(frozen=True)
class Setting:
    """What stays the same while a run goes on. `most_rounds` is None where nothing goes round."""

    workflow: str = "review"
    title: str = ""
    critics: tuple[str, ...] = ()
    author: str = ""
    chair: str = ""
    most_rounds: int | None = None

    @classmethod
    def of(cls, run: RunRow, spec: RunSpec) -> Setting:
        """The setting of a stored run."""
        return cls(
            workflow=spec.workflow,
            title=run.title,
            critics=tuple(critic.name for critic in spec.panel.critics),
            author=spec.panel.author.name,
            chair=spec.panel.chair.name,
            most_rounds=workflow_of(spec).rounds_of(spec),
        )


@dataclass(frozen=True)
class Look:
    """A run as it was seen at one moment. `live` is what its streaming turns have said so far, by step."""

    run: str
    status: RunStatus
    phase: str
    elapsed_s: float
    steps: tuple[StepRow, ...] = ()
    assessments: tuple[RecordedAssessment, ...] = ()
    usage: UsageRow | None = None
    setting: Setting = Setting()
    live: Mapping[str, SoFar] = field(default_factory=dict)

    @property
    def open_steps(self) -> tuple[StepRow, ...]:
        """The steps that somebody works on, or that wait for somebody."""
        return tuple(step for step in self.steps if step.status not in FINAL)

    @property
    def round(self) -> int:
        """The latest round of the discussion; 0 before the first."""
        return max((step.round for step in self.steps), default=0)


def changes(
    before: Look | None, after: Look, language: str, manner: Manner = Manner.LINES
) -> list[Line]:
    """One line for each thing that happened in between, in the order in which it happened."""
    setting = after.setting
    moment = Moment(setting.most_rounds, after.steps, language, manner, setting.critics)
    known = {step.key for step in before.steps} if before else set()
    finished = {step.key for step in before.steps if step.status in FINAL} if before else set()
    told = [
        *_phases(before, after, known, language),
        *_starts(after, known, moment),
        *_ends(after, finished, moment),
        *_assessments(before, after, moment),
    ]
    return [one for _, lines in sorted(told, key=_when) for one in lines]


_Told = tuple[float, list[Line]]


def _when(told: _Told) -> float:
    return told[0]


def _phases(before: Look | None, after: Look, known: set[str], language: str) -> list[_Told]:
    changed = after.phase and after.phase != (before.phase if before else "")
    if not changed or is_conversation(after.setting.workflow):
        return []
    phase = line(Span(say("phase", language, phase=after.phase), Style.DIM))
    return [(_phase_began_s(known, after), [phase])]


def _phase_began_s(known: set[str], look: Look) -> float:
    """Phases are told before the steps that they bring."""
    new = [step.queued_at_s for step in look.steps if step.key not in known]
    return max(new) - 1e-6 if new else look.elapsed_s


def _starts(after: Look, known: set[str], moment: Moment) -> list[_Told]:
    """A line a stage; who joins a stage that has begun is not announced again, unless it takes the floor."""
    begun = {stage(step) for step in after.steps if step.key in known}
    groups = _groups(step for step in after.steps if step.key not in known)
    return [
        (group[0].queued_at_s, began(group, moment))
        for group in groups
        if stage(group[0]) not in begun or says_when_it_starts(group[0])
    ]


def _ends(after: Look, finished: set[str], moment: Moment) -> list[_Told]:
    new = [step for step in after.steps if step.status in FINAL and step.key not in finished]
    aggregated = moment.manner is Manner.LIVE
    told = [
        (step.finished_at_s or 0.0, ended(step, moment))
        for step in new
        if not (aggregated and step.role == Role.BID)
    ]
    if aggregated:
        told += _bids(after, {stage(step) for step in new if step.role == Role.BID}, moment)
    return told


def _bids(after: Look, stages: set[str], moment: Moment) -> list[_Told]:
    """All floor requests of a round in one line, once the last one is there."""
    told = []
    for name in sorted(stages):
        bids = [step for step in after.steps if stage(step) == name]
        if all(step.status in FINAL for step in bids):
            last = max(step.finished_at_s or 0.0 for step in bids)
            told.append((last, all_bids(bids[0].round, moment)))
    return told


def _assessments(before: Look | None, after: Look, moment: Moment) -> list[_Told]:
    known = {one.key for one in before.assessments} if before else set()
    return [
        (_ended_s(recorded, after), [assessed(recorded, moment)])
        for recorded in after.assessments
        if recorded.key not in known
    ]


def _ended_s(recorded: RecordedAssessment, look: Look) -> float:
    """When the last contribution to a round came; a round is assessed right after it."""
    prefix, _, _ = recorded.key.rpartition("round/")
    number = recorded.figures.round
    ends = [
        step.finished_at_s or 0.0
        for step in look.steps
        if step.role in ASSESSED_ROLES and step.key.startswith(f"{prefix}{step.role}/{number}")
    ]
    if "round/" not in recorded.key or not ends:
        return look.elapsed_s + 1e-6
    return max(ends) + 1e-6


def still_waiting(look: Look, language: str) -> list[Line]:
    """Who is being waited for, for how long and, where a worker knows, why; nothing when nobody is."""
    waiting = look.open_steps
    if not waiting:
        return []
    longest = max(look.elapsed_s - step.queued_at_s for step in waiting)
    who = ", ".join(dict.fromkeys(step.participant for step in waiting))
    return [
        line(Span(say("waiting_for", language, who=who, s=longest), Style.DIM)),
        *held_up(waiting, language),
    ]


def held_up(steps: Iterable[StepRow], language: str) -> list[Line]:
    """What turns wait for that a worker has handed back: a limit, a pause, a breaker, another try."""
    whys = dict.fromkeys(s.note for s in steps if s.status == StepStatus.PENDING and s.note)
    return [
        line(Span(say("held_up", language, why=told(why, language)), Style.WARNING)) for why in whys
    ]


def stage(step: StepRow) -> str:
    """What steps of one parallel group share."""
    return stage_of(step.key, step.participant)


def _groups(steps: Iterable[StepRow]) -> list[list[StepRow]]:
    groups: dict[str, list[StepRow]] = {}
    for step in steps:
        groups.setdefault(stage(step), []).append(step)
    return list(groups.values())

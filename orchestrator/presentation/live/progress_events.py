"""What changed between two snapshots of a run, as lines for people who watch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from orchestrator.core.lines import Line, Span, Style, line
from orchestrator.core.views.live import (
    LiveView,
    OutputMode,
    RenderContext,
    headed,
    in_cycle,
    render_finished,
    render_started,
)
from orchestrator.presentation.convergence import shortened_names
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.stages import assessed_roles, stage_of
from orchestrator.workflows.display import display_of
from orchestrator.workflows.registry import is_conversation, workflow_named, workflow_of
from shared.models.assessment import RecordedAssessment
from shared.models.notices import of_column
from shared.models.outcomes import RunStatus, StepStatus
from shared.models.rows import RunRow, StepRow, UsageRow
from shared.models.run import RunSpec
from shared.text.unfinished import SoFar

FINAL = frozenset({StepStatus.DONE, StepStatus.FAILED, StepStatus.CANCELLED})


@dataclass(frozen=True)
class RunHeader:
    """What stays the same while a run goes on: `leads` is the part that `leader` has, whose word the others wait for.

    `most_rounds` is None where nothing goes round.
    """

    workflow: str
    title: str = ""
    critics: tuple[str, ...] = ()
    leads: str = ""
    leader: str = ""
    most_rounds: int | None = None
    by_rules: bool = False

    @classmethod
    def of(cls, run: RunRow, spec: RunSpec) -> RunHeader:
        """The header of a stored run."""
        parts = workflow_of(spec).parts_of(spec)
        leading = ((part.title, holder.name) for part, holder in parts if part.leads)
        leads, leader = next(leading, ("", ""))
        return cls(
            workflow=spec.workflow,
            title=run.title,
            critics=tuple(critic.name for critic in spec.panel.critics),
            leads=leads,
            leader=leader,
            most_rounds=workflow_of(spec).rounds_of(spec),
            by_rules=workflow_of(spec).finds and spec.panel.by_rules,
        )


@dataclass(frozen=True)
class RunSnapshot:
    """A run as it was seen at one moment. `live` is what its streaming turns have said so far, by step."""

    run: str
    status: RunStatus
    phase: str
    elapsed_s: float
    header: RunHeader
    steps: tuple[StepRow, ...] = ()
    assessments: tuple[RecordedAssessment, ...] = ()
    usage: UsageRow | None = None
    children: tuple[RunRow, ...] = ()
    live: Mapping[str, SoFar] = field(default_factory=dict)

    @property
    def open_steps(self) -> tuple[StepRow, ...]:
        """The steps that somebody works on, or that wait for somebody."""
        return tuple(step for step in self.steps if step.status not in FINAL)

    def child_of(self, step: StepRow) -> RunRow | None:
        """The run that a step waits for; None for a turn or a tool run."""
        return next((run for run in self.children if run.parent_step == step.key), None)

    @property
    def round(self) -> int:
        """The latest round of the discussion; 0 before the first."""
        return max((step.round for step in self.steps), default=0)


def changes(
    before: RunSnapshot | None,
    after: RunSnapshot,
    words: Translator,
    mode: OutputMode = OutputMode.LINES,
) -> list[Line]:
    """One line for each thing that happened in between, in the order in which it happened."""
    header = after.header
    if header.by_rules:
        before, after = before and _without_debate(before), _without_debate(after)
    view = display_of(workflow_named(header.workflow)).live
    context = RenderContext(
        most_rounds=header.most_rounds,
        steps=after.steps,
        words=words,
        mode=mode,
        critics=header.critics,
        by_rules=header.by_rules,
    )
    known = {step.key for step in before.steps} if before else set()
    finished = {step.key for step in before.steps if step.status in FINAL} if before else set()
    events = [
        *_phases(before, after, known, words),
        *_starts(view, after, known, context),
        *_children(before, after, words),
        *_ends(view, after, finished, context),
        *_assessments(before, after, context),
        *_handed_back(before, after, words, mode),
    ]
    return [shown for _, lines in sorted(events, key=_when) for shown in lines]


# What a turn waits for that nobody who watches expects, and the shortest wait that is told (s). The live picture shows
# all of them anyway; people are asked for their own turns elsewhere.
_TOLD_AT_ONCE = frozenset(
    {"waits_asked", "waits_failing", "waits_limit", "waits_paused", "waits_probing", "asked_again"}
)
_LEAST_TOLD_S = 5.0


def _handed_back(
    before: RunSnapshot | None, after: RunSnapshot, words: Translator, mode: OutputMode
) -> list[_TimedLines]:
    """Turns that a worker gave back since the last look: why, until when, what can be done. A reason is told once."""
    news = _news(before, after) if mode is OutputMode.LINES else []
    lines = held_up(news, words)
    if any(_code(step) == "waits_failing" for step in news):
        choices = words.message("held_up_choices", run=after.run)
        lines.append(line(Span(choices, Style.DIM)))
    return [(after.elapsed_s, lines)] if lines else []


def _news(before: RunSnapshot | None, after: RunSnapshot) -> list[StepRow]:
    codes = {step.key: _code(step) for step in before.steps} if before else {}
    news = (step for step in after.open_steps if _is_news(step, after.elapsed_s))
    return [step for step in news if codes.get(step.key) != _code(step)]


def _is_news(step: StepRow, now_s: float) -> bool:
    waits = step.status == StepStatus.PENDING and _code(step) in _TOLD_AT_ONCE
    return waits and (step.again_at_s or 0.0) - now_s >= _LEAST_TOLD_S


def _code(step: StepRow) -> str:
    noted = of_column(step.note)
    return "" if noted is None else noted.code


def _without_debate(snapshot: RunSnapshot) -> RunSnapshot:
    """What rules alone do: they look once. What they would say in rounds is computed from that, and tells nothing."""
    steps = (step for step in snapshot.steps if step.status == StepStatus.FAILED or _looks(step))
    return replace(snapshot, steps=tuple(steps), assessments=(), phase="")


def _looks(step: StepRow) -> bool:
    return step.role != "synthesis" and (step.role not in assessed_roles() or step.round <= 1)


_TimedLines = tuple[float, list[Line]]


def _when(event: _TimedLines) -> float:
    return event[0]


def _phases(
    before: RunSnapshot | None, after: RunSnapshot, known: set[str], words: Translator
) -> list[_TimedLines]:
    if before is None and after.status is RunStatus.QUEUED:
        return [(0.0, [line(Span(words.message("status_queued"), Style.DIM))])]
    changed = after.phase and after.phase != (before.phase if before else "")
    if not changed or is_conversation(after.header.workflow):
        return []
    named = words.word(f"phase_{after.phase}", after.phase)
    phase = line(Span(words.message("phase", phase=named), Style.DIM))
    return [(_phase_began_s(known, after), [phase])]


def _phase_began_s(known: set[str], snapshot: RunSnapshot) -> float:
    """Phases are told before the steps that they bring."""
    new = [step.queued_at_s for step in snapshot.steps if step.key not in known]
    return max(new) - 1e-6 if new else snapshot.elapsed_s


def _children(
    before: RunSnapshot | None, after: RunSnapshot, words: Translator
) -> list[_TimedLines]:
    """A line for each run that was started, and for each that waits for a person from now on."""
    known = {run.id: run.status for run in before.children} if before else {}
    began = {step.key: step.queued_at_s for step in after.steps}
    events: list[_TimedLines] = []
    for run in after.children:
        if run.id not in known:
            events.append(
                (
                    began.get(run.parent_step or "", after.elapsed_s),
                    headed(
                        words.message(
                            "child_started",
                            run=run.id,
                            workflow=run.workflow,
                            title=words.run_title(run.title, run.workflow),
                        )
                    ),
                )
            )
        waits = run.status is RunStatus.WAITING
        if waits and known.get(run.id) is not run.status:
            text = words.message("child_waits", run=run.id)
            events.append((after.elapsed_s, [line(Span(text, Style.WARNING))]))
    return events


def _starts(
    view: LiveView, after: RunSnapshot, known: set[str], context: RenderContext
) -> list[_TimedLines]:
    """A line a stage; those who join a stage that has begun are not announced again, unless the view wants it."""
    begun = {stage(step) for step in after.steps if step.key in known}
    groups = _groups(
        step for step in after.steps if step.key not in known and after.child_of(step) is None
    )
    return [
        (group[0].queued_at_s, render_started(view, group, context))
        for group in groups
        if stage(group[0]) not in begun or group[0].role in view.announced
    ]


def _ends(
    view: LiveView, after: RunSnapshot, finished: set[str], context: RenderContext
) -> list[_TimedLines]:
    new = [step for step in after.steps if step.status in FINAL and step.key not in finished]
    told_together = view.gathered if context.live else {}
    events = [
        (_ended_at_s(step), render_finished(view, step, context))
        for step in new
        if step.role not in told_together
    ]
    stages = {stage(step) for step in new if step.role in told_together}
    return [*events, *_together(view, stages, after, context)]


def _together(
    view: LiveView, stages: set[str], after: RunSnapshot, context: RenderContext
) -> list[_TimedLines]:
    """A stage in one line, once its last step has ended."""
    return [
        (
            max(map(_ended_at_s, group)),
            list(view.gathered[group[0].role](group[0].round, context)),
        )
        for group in _groups(step for step in after.steps if stage(step) in stages)
        if all(step.status in FINAL for step in group)
    ]


def _ended_at_s(step: StepRow) -> float:
    return step.finished_at_s or 0.0


def _assessments(
    before: RunSnapshot | None, after: RunSnapshot, context: RenderContext
) -> list[_TimedLines]:
    known = {recorded.key for recorded in before.assessments} if before else set()
    return [
        (_ended_s(recorded, after), [assessed(recorded, context)])
        for recorded in after.assessments
        if recorded.key not in known
    ]


# What the figures of an ending rest on where votes were counted.
_COUNTED = frozenset({"ballots", "positions"})


def assessed(recorded: RecordedAssessment, context: RenderContext) -> Line:
    """A round's figures, or how the discussion ended."""
    figures = recorded.figures
    how = figures.ending or figures.metrics.recommendation
    if recorded.is_of_round:
        word = "assessed"
    else:  # without a vote the last round's figures stand, which are no support
        word = "ended_as" if figures.metrics.detector in _COUNTED else "ended_without_vote"
    text = context.message(
        word,
        n=figures.round,
        score=figures.metrics.overall_score,
        recommendation=context.message(f"how_{how.value}"),
    )
    why = shortened_names(figures.reason) if figures.reason else None
    reason = f" — {context.translate(why)}" if why else ""
    return line(Span(in_cycle(recorded.key, text, context), Style.STRONG), Span(reason, Style.DIM))


def _ended_s(recorded: RecordedAssessment, snapshot: RunSnapshot) -> float:
    """When the last contribution to a round came; a round is assessed right after it."""
    prefix, _, _ = recorded.key.rpartition("round/")
    number = recorded.figures.round
    ends = [
        _ended_at_s(step)
        for step in snapshot.steps
        if step.role in assessed_roles() and step.key.startswith(f"{prefix}{step.role}/{number}")
    ]
    if "round/" not in recorded.key or not ends:
        return snapshot.elapsed_s + 1e-6
    return max(ends) + 1e-6


def still_waiting(snapshot: RunSnapshot, words: Translator) -> list[Line]:
    """Who is being waited for, for how long and, where a worker knows, why; nothing when nobody is."""
    waiting = snapshot.open_steps
    if not waiting:
        return []
    longest = max(snapshot.elapsed_s - step.queued_at_s for step in waiting)
    names = ", ".join(dict.fromkeys(step.participant for step in waiting))
    return [
        line(Span(words.message("waiting_for", who=names, s=longest), Style.DIM)),
        *held_up(waiting, words),
    ]


def held_up(steps: Iterable[StepRow], words: Translator) -> list[Line]:
    """What turns wait for that a worker has handed back: a limit, a pause, a breaker, another try."""
    whys = dict.fromkeys(s.note for s in steps if s.status == StepStatus.PENDING and s.note)
    return [
        line(Span(words.message("held_up", why=words.column(why)), Style.WARNING)) for why in whys
    ]


def stage(step: StepRow) -> str:
    """What steps of one parallel group share."""
    return stage_of(step.key, step.participant)


def _groups(steps: Iterable[StepRow]) -> list[list[StepRow]]:
    groups: dict[str, list[StepRow]] = {}
    for step in steps:
        groups.setdefault(stage(step), []).append(step)
    return list(groups.values())

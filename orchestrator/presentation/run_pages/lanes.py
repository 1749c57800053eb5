"""Who did what when in a run: a lane each, with queue, limits, models, tools and people entries apart.

Hours in which only people are waited for are folded, so that seconds of work stay visible.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from orchestrator.core.document import Drawing, Grid
from orchestrator.core.pictures import AxisMark, Lanes, Spell, TimeLane
from orchestrator.presentation.durations import duration
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.report import RunReport
from orchestrator.presentation.run_pages.time_axis import Axis
from shared.models.outcomes import StepStatus
from shared.models.rows import DecisionRow, StepRow


class Went(StrEnum):
    """What time went to: waiting for a worker, being held back, or being worked on by somebody."""

    QUEUE = "queue"
    HELD = "held"
    MODEL = "model"
    TOOL = "tool"
    CHILD = "child"
    PERSON = "person"
    FAILED = "failed"


_AT_WORK = frozenset(Went) - {Went.QUEUE, Went.HELD}


@dataclass(frozen=True)
class Stretch:
    """Seconds of a run that went to one thing."""

    begin_s: float
    end_s: float
    went: Went

    @property
    def length_s(self) -> float:
        """How long it was."""
        return max(self.end_s - self.begin_s, 0.0)


def stretches(step: StepRow, now_s: float, *, by_person: bool = False) -> tuple[Stretch, ...]:
    """What the time of a step went to, up to now where it goes on.

    It is held back from the first time that a worker gave it back until it was taken for the last time.
    """
    end_s = step.finished_at_s if step.finished_at_s is not None else now_s
    cuts = _cuts(step, end_s, by_person=by_person)
    begins = (step.queued_at_s, *(moment for moment, _ in cuts))
    parts = (Stretch(begin, end, went) for begin, (end, went) in zip(begins, cuts, strict=False))
    return tuple(part for part in parts if part.end_s > part.begin_s)


def _cuts(step: StepRow, end_s: float, *, by_person: bool) -> list[tuple[float, Went]]:
    """Until when its time went to what."""
    held_s, taken_s = step.held_back_at_s, step.leased_at_s
    if step.kind == "run":
        return [(end_s, Went.CHILD)]
    if held_s is None:
        return [(end_s if taken_s is None else taken_s, Went.QUEUE), (end_s, _work(step))]
    if by_person:
        return [(held_s, Went.QUEUE), (end_s, Went.PERSON)]
    again_s = taken_s if taken_s is not None and taken_s > held_s else end_s
    return [(held_s, Went.QUEUE), (again_s, Went.HELD), (end_s, _work(step))]


def _work(step: StepRow) -> Went:
    if step.status == StepStatus.FAILED:
        return Went.FAILED
    return Went.TOOL if step.kind == "tool" else Went.MODEL


@dataclass(frozen=True)
class _LaneEntry:
    """What is drawn and listed: whose it is, what it was, how it ended, and what its time went to."""

    lane: str
    what: str
    outcome: str
    parts: tuple[Stretch, ...]


def timeline(report: RunReport, words: Translator) -> Drawing | None:
    """The run's lanes with their table; None before its first step."""
    if not report.steps:
        return None
    entries = [*_steps(report, words), *_decisions(report, words)]
    return Drawing(_picture(report, entries, words), _table(entries, words))


def _picture(report: RunReport, entries: Sequence[_LaneEntry], words: Translator) -> Lanes:
    every = [part for each in entries for part in each.parts]
    busy = [(part.begin_s, part.end_s) for part in every if part.went is not Went.PERSON]
    now_s = report.run.elapsed_s
    axis = Axis.of(busy, max((part.end_s for part in every), default=now_s))
    lanes = _lanes(entries, axis, words)
    return Lanes(
        name=words.message("lanes_name", n=len(lanes), took=duration(now_s, words)),
        lanes=lanes,
        marks=tuple(AxisMark(share, duration(s, words)) for s, share in axis.marks()),
        folds=tuple(AxisMark(share, _folded(seconds, words)) for share, seconds in axis.folds()),
        kinds=_kinds({part.went for part in every}, words),
    )


def _folded(seconds: float, words: Translator) -> str:
    return words.message("lanes_folded", took=duration(seconds, words))


def _steps(report: RunReport, words: Translator) -> Iterator[_LaneEntry]:
    parts = report.workflow.parts_of(report.spec)
    people = {holder.name for _part, holder in parts if holder.provider == "person"}
    for step in report.steps:
        went = stretches(step, report.run.elapsed_s, by_person=step.participant in people)
        outcome = words.message(f"turn_{step.status}")
        yield _LaneEntry(step.participant, _named(step, words), outcome, went)


def _decisions(report: RunReport, words: Translator) -> Iterator[_LaneEntry]:
    for decision in report.decisions:
        yield _LaneEntry(
            words.message("lane_decisions"),
            decision.key,
            words.message(f"decision_is_{decision.state.value}"),
            (_waited(report, decision),),
        )


def _lanes(entries: Sequence[_LaneEntry], axis: Axis, words: Translator) -> tuple[TimeLane, ...]:
    lanes: dict[str, list[Spell]] = {}
    for each in entries:
        spells = (_spell(part, axis, each.what, words) for part in each.parts)
        lanes.setdefault(each.lane, []).extend(spells)
    return tuple(TimeLane(name, tuple(spells)) for name, spells in lanes.items())


def _kinds(seen: Collection[Went], words: Translator) -> tuple[tuple[str, str], ...]:
    return tuple((went.value, words.message(f"went_{went.value}")) for went in Went if went in seen)


def _named(step: StepRow, words: Translator) -> str:
    role = words.role(step.role)
    return words.message("lane_round", role=role, n=step.round) if step.round else role


def _waited(report: RunReport, decision: DecisionRow) -> Stretch:
    """How long a person was waited for."""
    began = (decision.opened_at - report.run.created_at).total_seconds()
    if decision.answered_at is not None:
        return Stretch(
            began, (decision.answered_at - report.run.created_at).total_seconds(), Went.PERSON
        )
    return Stretch(began, max(report.run.elapsed_s, began), Went.PERSON)


def _spell(part: Stretch, axis: Axis, name: str, words: Translator) -> Spell:
    went = words.message(f"went_{part.went.value}")
    text = f"{name}: {went}, {duration(part.length_s, words)}"
    return Spell(axis.at(part.begin_s), axis.at(part.end_s), part.went.value, text)


def _table(entries: Sequence[_LaneEntry], words: Translator) -> Grid:
    heads = ("who", "what", "began", "queue", "held", "work", "outcome")
    rows = (
        (
            each.lane,
            each.what,
            duration(each.parts[0].begin_s, words) if each.parts else "-",
            _sum(each.parts, words, Went.QUEUE),
            _sum(each.parts, words, Went.HELD),
            _sum(each.parts, words, *_AT_WORK),
            each.outcome,
        )
        for each in entries
    )
    return Grid(tuple(words.message(f"lanes_{head}") for head in heads), tuple(rows))


def _sum(parts: Sequence[Stretch], words: Translator, *went: Went) -> str:
    lengths = [part.length_s for part in parts if part.went in went]
    return duration(sum(lengths), words) if lengths else "-"

"""Who reads a change under `depth: adaptive`: a cheap reviewer and the analysers, then the panel where that is needed.

What the first ones answered counts in the panel's blind round, too: nobody is asked twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from orchestrator.core.discussion.depth import (
    Depth,
    DepthRecord,
    asked_first,
    risks,
)
from orchestrator.core.discussion.doubts import doubts
from orchestrator.core.discussion.loop import History, PlannedStep, TakenStep, read_round
from orchestrator.core.findings.coverage import cover
from orchestrator.core.replay.commands import Effect, record, together
from orchestrator.workflows.review.context import ReviewContext, readings
from orchestrator.workflows.review.discussion import ReviewDiscussion
from shared.models.notices import Notice, notice
from shared.models.panel import Participant
from shared.models.steps import StepResult


@dataclass(frozen=True)
class Readership:
    """Whose review it is (`context`), what was answered before that was known, and what it rests on."""

    context: ReviewContext
    answered: Mapping[str, StepResult] = field(default_factory=dict)
    record: DepthRecord | None = None

    @property
    def is_shallow(self) -> bool:
        """Whether the first reviewer was enough."""
        return self.record is not None and not self.record.deepens


def readership(context: ReviewContext) -> Effect[Readership]:
    """Ask the first reviewer, unless the change is for the panel anyway, and decide who reads on."""
    options, panel = context.options, context.spec.panel
    names = [critic.name for critic in panel.critics]
    if options.depth != Depth.ADAPTIVE or options.first_reviewer not in names:
        return Readership(context)
    first = asked_first(panel, options.first_reviewer)
    key = context.cycle.key("depth")
    beforehand = tuple(_beforehand(context, first))
    if beforehand:
        made = DepthRecord(first=(), reasons=beforehand)
        written = yield from record(key, DepthRecord, lambda: made)
        return Readership(context, record=written)
    planned = _opening(context, first)
    results = yield from together(each.step for each in planned)
    steps = [
        TakenStep(each.speaker, each.step, each.shown, result=result)
        for each, result in zip(planned, results, strict=True)
    ]
    written = yield from record(key, DepthRecord, partial(_judged, context, first, steps))
    answered = {step.step.key: step.result for step in steps}
    if written.deepens:
        return Readership(context, answered, written)
    return Readership(
        replace(context, spec=context.spec.with_panel(critics=first)), answered, written
    )


def _beforehand(context: ReviewContext, first: Sequence[Participant]) -> Iterator[Notice]:
    quorum = context.options.quorum
    if quorum is not None and quorum > len(first):
        yield notice("deeper_quorum", n=quorum)
    yield from risks(context.subject, context.options.risky, mends=context.cycle.number > 1)


def _opening(context: ReviewContext, first: Sequence[Participant]) -> list[PlannedStep]:
    """What the first ones are asked in the blind round, as the panel would be."""
    panel, names = context.spec.panel, {participant.name for participant in first}
    speakers = context.strategy.cast(1).speakers(panel.critics, panel.author)
    planned = ReviewDiscussion(context).steps(
        [speaker for speaker in speakers if speaker.participant.name in names], 1, History()
    )
    return list(planned)


def _judged(
    context: ReviewContext, first: Sequence[Participant], steps: Sequence[TakenStep]
) -> DepthRecord:
    """Who was asked, and what keeps that from being enough."""
    reasons = tuple(dict.fromkeys(each.model_dump_json() for each in _reasons(context, steps)))
    names = tuple(participant.name for participant in first)
    return DepthRecord(first=names, reasons=tuple(map(Notice.model_validate_json, reasons)))


def _reasons(context: ReviewContext, steps: Sequence[TakenStep]) -> Iterator[Notice]:
    yield from doubts(steps)
    read = readings(context.subject, read_round(1, steps[0].speaker.role.name, steps))
    covered = cover(context.subject, read)
    if covered is not None and not covered.reviewed:
        paths = [file.path for file in (*covered.left_to_rules, *covered.unread)]
        yield notice("deeper_unread", files=notice("names", names=paths))

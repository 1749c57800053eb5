"""What an advance writes: pure functions from what a replay came to, and from why it came to nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import ValidationError

from orchestrator.core.replay.replay import Progress
from orchestrator.engine.staging import Stage, new_decision, outcome_json
from shared.errors import ReplayMismatch, UnknownRun
from shared.models.outcomes import RunStatus
from shared.store.events import Event
from shared.store.journal import JournalRow
from shared.store.runs import Changes, LockedRun


def changes_of(
    run: LockedRun, rows: Sequence[JournalRow], known: int, progress: Progress, stage: Stage
) -> Changes | None:
    """What an advance writes; None when there is nothing new, as when a trigger came twice or too early.

    `rows` are the steps that are new to it, `known` more had ended before.
    """
    opened = sum(row.is_open for row in rows)
    ended = known + len(rows) - opened
    if _idle(progress, run, ended, stage):
        return None
    for key, record in progress.records:
        stage.record(key, record)
    outcome = progress.outcome
    unseen: Sequence[Event | None] = [None] * (ended - run.noted_steps)
    return Changes(
        status=_status(progress),
        phase=progress.phase,
        noted_steps=ended + sum(step.status == "failed" for step in stage.steps),
        open_steps=opened + sum(step.status == "pending" for step in stage.steps),
        steps=tuple(stage.steps),
        children=tuple(stage.children),
        decisions=() if progress.ask is None else (new_decision(progress.ask),),
        records=tuple(stage.records),
        consumed_decisions=progress.consumed,
        documents=stage.documents,
        events=(*unseen, *stage.events, *_events(run, progress, stage)),
        outcome=None if outcome is None else outcome_json(outcome),
        verdict=None if outcome is None else outcome.verdict,
        ending=None if outcome is None else outcome.ending,
    )


def blocked(
    run: LockedRun, rows: Sequence[JournalRow], reason: str, events: Sequence[Event | None] = ()
) -> Changes:
    """Park a run whose journal, spec or documents this code cannot make sense of; nothing recorded is lost."""
    return Changes(
        status=RunStatus.BLOCKED,
        phase=run.phase,
        noted_steps=run.noted_steps,
        open_steps=sum(row.is_open for row in rows),
        blocked_reason=reason,
        events=(*events, ("run.blocked", {"reason": reason})),
    )


def why_blocked(mismatch: ReplayMismatch | UnknownRun | ValidationError) -> str:
    """What a person reads when this code cannot make sense of what is stored."""
    if not isinstance(mismatch, ValidationError):
        return str(mismatch)
    first = mismatch.errors(include_input=False, include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return (
        f"what is recorded does not fit this version's {mismatch.title} ({place}: {first['msg']}): "
        "the code changed under the run"
    )


def _idle(progress: Progress, run: LockedRun, ended: int, stage: Stage) -> bool:
    return (
        ended == run.noted_steps
        and not stage.steps
        and not stage.events
        and progress.ask is None
        and progress.outcome is None
        and not progress.records
        and run.phase == progress.phase
        and (run.status is RunStatus.WAITING) == (progress.waiting_for is not None)
    )


def _events(run: LockedRun, progress: Progress, stage: Stage) -> Iterator[Event | None]:
    """What this advance does; the steps that it schedules and the run's completion tell that themselves."""
    if progress.phase != run.phase:
        yield "run.phase", {"phase": progress.phase}
    yield from (None for _ in stage.steps)
    if progress.ask is not None:
        yield "decision.opened", {"key": progress.ask.key}
    if progress.outcome is not None:
        yield None


def _status(progress: Progress) -> RunStatus:
    if progress.outcome is not None:
        return RunStatus.COMPLETED
    return RunStatus.RUNNING if progress.waiting_for is None else RunStatus.WAITING

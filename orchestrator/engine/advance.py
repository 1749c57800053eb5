"""Load, replay, save: a run is advanced in one transaction, and what is to be published is returned.

Nothing here publishes. The caller sends what `advance` returns after the commit; if it dies before that, the sweeper
finds the rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any
from uuid import uuid4

from pydantic import ValidationError

from orchestrator.core.replay.commands import (
    Step,
    Turn,
)
from orchestrator.core.replay.materials import Materials
from orchestrator.core.replay.replay import Entry, Journal, Progress, Replay, fingerprint
from orchestrator.engine.children import new_run_id
from orchestrator.engine.kept import MOST_BYTES, KeptReplay, KeptReplays, weight
from orchestrator.engine.recorded import journal_of
from orchestrator.engine.staging import Scheduled, Stage, new_decision, outcome_json, refusal
from orchestrator.workflows.descriptor import WorkflowType
from orchestrator.workflows.registry import WORKFLOWS, start_workflow
from shared.errors import ReplayMismatch, UnknownRun
from shared.faults import failpoint
from shared.models.outcomes import FailureKind, RunStatus
from shared.models.run import RunSpec
from shared.models.steps import Failure, StepKind, StepResult
from shared.store.database import Connection, Database
from shared.store.documents import get_documents
from shared.store.runs import (
    Changes,
    JournalRow,
    LockedRun,
    StoredJournal,
    cancel_run,
    create_run,
    load_journal,
    load_spec,
    lock_run,
    lock_with_journal,
)
from shared.store.saving import save
from shared.store.steps import fail_open_steps

KEPT_SPECS = 512
Event = tuple[str, dict[str, Any]]
# What is to be published, and the replay to go on with.
Advanced = tuple[Scheduled | None, KeptReplay | None]


class Engine:
    """Submits and advances runs. Safe to share between threads."""

    def __init__(
        self,
        database: Database,
        workflows: Mapping[str, WorkflowType[Any]] = WORKFLOWS,
        kept_bytes: int = MOST_BYTES,
    ) -> None:
        """`database` should have patience: an advance is repeated when the server was away.

        `kept_bytes`: how much memory replays may take between advances.
        """
        self.database = database
        self._workflows = workflows
        self._document = lru_cache(maxsize=256)(self._fetch)
        self._specs: dict[str, RunSpec] = {}
        self._kept = KeptReplays(kept_bytes)

    def submit(
        self,
        spec: RunSpec,
        title: str,
        documents: Mapping[str, bytes],
        *,
        idempotency_key: str | None = None,
    ) -> str:
        """Store a run, durable when this returns; its id. The same key gives the run that has it already."""
        run = new_run_id()
        return self.database.run(
            lambda connection: create_run(
                connection,
                run=run,
                title=title,
                spec=spec,
                root_task=str(uuid4()),
                documents=documents,
                idempotency_key=idempotency_key,
            ),
            atomic=True,
        )

    def advance(self, run: str, *, wait: bool = True) -> Scheduled | None:
        """Replay a run and commit what follows. None when there is nothing to do (or no such run).

        `wait=False` leaves a run alone whose row is locked: somebody else is at it.
        """
        scheduled, kept = self.database.run(
            lambda connection: self._advance(connection, run, wait=wait), pipelined=True
        )
        if kept is not None:
            self._kept.keep(run, kept)
        failpoint("advance-committed")
        if scheduled is not None and scheduled.children:
            failpoint("child-committed")
        if scheduled is not None and scheduled.parent is not None:
            failpoint("child-ended")
        return scheduled

    def park(self, run: str, bug: Exception) -> None:
        """Block a run whose workflow fails for a reason that is ours; `quorate resume` looks at it again."""
        reason = (
            f"an internal error stops this run ({type(bug).__name__}: {bug}); the orchestrator's log says where. "
            "Nothing recorded is lost: resume it with a version that fixes this"
        )
        self.database.run(lambda connection: _park(connection, run, reason), atomic=True)

    def _advance(self, connection: Connection, run_id: str, *, wait: bool) -> Advanced:
        loaded = self._load(connection, run_id, wait)
        if loaded is None:
            return None, None
        run, stored, kept = loaded
        events: list[Event] = []
        if run.overdue:
            stored = _end_calls(connection, run, events)
        try:
            spec = self._spec(connection, run.id)
            following = kept or self._begin(run, spec, stored)
            stage = Stage(
                spec=spec, position=following.steps, written=following.records, events=events
            )
            progress = self._follow(connection, run, following, stored, stage)
        except (ReplayMismatch, UnknownRun, ValidationError) as mismatch:
            blocked = _blocked(run, stored.steps, why_blocked(mismatch), events)
            parent = save(connection, run, blocked)
            return (Scheduled(run.id, run.root_task, parent=parent) if parent else None), None
        following.read.extend(weight(row.reply) for row in stored.steps)
        return _written(connection, run, following, stored.steps, progress, stage)

    def _load(
        self, connection: Connection, run_id: str, wait: bool
    ) -> tuple[LockedRun, StoredJournal, KeptReplay | None] | None:
        """The run, locked, with its kept replay and what is new to that, or with its whole journal."""
        kept = self._kept.take(run_id)
        awaited = None if kept is None else kept.awaited
        found = lock_with_journal(connection, run_id, wait=wait, awaited=awaited)
        if found is None or _stands_still(connection, found[0]):
            return None
        run, stored = found
        if kept is None or (kept.advances == run.advances and not run.overdue):
            return run, stored, kept
        return run, load_journal(connection, run), None

    def _spec(self, connection: Connection, run: str) -> RunSpec:
        spec = self._specs.get(run)
        if spec is None:
            spec = self._specs[run] = load_spec(connection, run)
            while len(self._specs) > KEPT_SPECS:
                self._specs.pop(next(iter(self._specs)), None)
        return spec

    def _begin(self, run: LockedRun, spec: RunSpec, stored: StoredJournal) -> KeptReplay:
        read: list[int] = []

        def document(name: str) -> bytes:
            content = self._document(name)
            read.append(len(content))
            return content

        start = start_workflow(spec, Materials(document, run.id), self._workflows)
        return KeptReplay(Replay(start()), len(stored.steps), len(stored.records), read)

    def _follow(
        self,
        connection: Connection,
        run: LockedRun,
        following: KeptReplay,
        stored: StoredJournal,
        stage: Stage,
    ) -> Progress:
        """Replay; where all new work is refused (deadline, budget) record the refusals and replay on."""
        journal = journal_of(stored, self._workflows[stage.spec.workflow].records)
        progress = following.replay.follow(journal)
        if following.advances and self._kept.is_compared():
            progress = self._compared(connection, run, following, stage.spec, progress)
        calls_left = run.calls_left
        while True:
            refusals = []
            for step in progress.schedule:
                refused = refusal(step, run, calls_left)
                if refused is None and isinstance(step, Turn) and calls_left is not None:
                    calls_left -= not step.participant.rule_based
                refusals.append(refused)
                stage.add(run, step, refused)
            if not progress.schedule or None in refusals:
                return progress
            progress = following.replay.follow(_refused(progress.schedule, refusals))

    def _compared(
        self,
        connection: Connection,
        run: LockedRun,
        following: KeptReplay,
        spec: RunSpec,
        progress: Progress,
    ) -> Progress:
        stored = load_journal(connection, run)
        whole = self._begin(run, spec, stored).replay
        expected = whole.follow(journal_of(stored, self._workflows[spec.workflow].records))
        return following.require_same(run.id, progress, whole, expected)

    def _fetch(self, name: str) -> bytes:
        return self.database.run(lambda connection: get_documents(connection, [name]))[name]


def _written(
    connection: Connection,
    run: LockedRun,
    following: KeptReplay,
    rows: Sequence[JournalRow],
    progress: Progress,
    stage: Stage,
) -> Advanced:
    """Write what an advance came to, unless that is nothing; `rows` are those that were new to it."""
    if _idle(progress, run, following.ended + _ended(rows), stage):
        following.settle(0, 0, run.advances)
        return None, following
    parent = save(connection, run, _changes(run, rows, following.ended, progress, stage))
    failpoint("advance-uncommitted")
    scheduled = Scheduled(
        run=run.id,
        root_task=run.root_task,
        steps=tuple(stage.scheduled),
        soon=stage.spec.watched or following.steps > 0,
        children=tuple(child.run for child in stage.children),
        parent=parent,
    )
    following.settle(len(stage.steps), len(stage.records), run.advances + 1)
    return scheduled, (following if progress.outcome is None else None)


def _stands_still(connection: Connection, run: LockedRun) -> bool:
    """Whether there is nothing to advance. A child run that nobody waits for any more is cancelled here."""
    if run.orphaned and not run.status.final:
        cancel_run(connection, run.id, f"its parent {run.parent_run}")
        return True
    return run.status.final or run.status is RunStatus.BLOCKED


def _end_calls(connection: Connection, run: LockedRun, events: list[Event]) -> StoredJournal:
    """Fail what is open past the deadline; the journal after that."""
    failed = fail_open_steps(
        connection, run.id, FailureKind.DEADLINE, "the run's deadline has passed"
    )
    stored = load_journal(connection, run)
    waited = any(row.kind == StepKind.RUN for row in stored.steps)
    if failed or not waited:  # child runs end by themselves
        events.append(("run.overdue", {"failed": list(failed)}))
    return stored


def _refused(steps: tuple[Step, ...], refusals: list[Failure | None]) -> Journal:
    return Journal(
        {
            step.key: Entry(fingerprint(step), StepResult(failure=failure))
            for step, failure in zip(steps, refusals, strict=True)
        }
    )


def _idle(progress: Progress, run: LockedRun, ended: int, stage: Stage) -> bool:
    """True when a trigger came twice or too early: nothing new to write."""
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


def _changes(
    run: LockedRun, rows: Sequence[JournalRow], known: int, progress: Progress, stage: Stage
) -> Changes:
    """What an advance writes; `rows` are those that are new to it, `known` more had ended before."""
    for key, record in progress.records:
        stage.record(key, record)
    outcome = progress.outcome
    events = (*_news(run, rows, known), *stage.events, *_events(run, progress, stage))
    return Changes(
        status=_status(progress),
        phase=progress.phase,
        noted_steps=known + _ended(rows) + sum(step.status == "failed" for step in stage.steps),
        open_steps=_open(rows) + sum(step.status == "pending" for step in stage.steps),
        steps=tuple(stage.steps),
        children=tuple(stage.children),
        decisions=() if progress.ask is None else (new_decision(progress.ask),),
        records=tuple(stage.records),
        consumed_decisions=progress.consumed,
        documents=stage.documents,
        events=events,
        outcome=None if outcome is None else outcome_json(outcome),
        verdict=None if outcome is None else outcome.verdict,
        ending=None if outcome is None else outcome.ending,
    )


def _news(run: LockedRun, rows: Sequence[JournalRow], known: int) -> Iterator[Event]:
    """The ends of steps that the run's log does not know yet."""
    ended = sorted((row for row in rows if not row.is_open), key=lambda row: row.elapsed_s)
    for row in ended[run.noted_steps - known :]:
        body = {"key": row.key, "participant": row.participant, "failure": row.failure_kind}
        yield f"step.{row.status}", body


def _events(run: LockedRun, progress: Progress, stage: Stage) -> Iterator[Event]:
    """What this advance does."""
    if progress.phase != run.phase:
        yield "run.phase", {"phase": progress.phase}
    for step in stage.steps:
        yield "step.scheduled", {"key": step.key, "queue": step.queue, "status": step.status}
    if progress.ask is not None:
        yield "decision.opened", {"key": progress.ask.key}
    if (outcome := progress.outcome) is not None:
        yield "run.completed", {"verdict": outcome.verdict, "ending": outcome.ending}


def _status(progress: Progress) -> RunStatus:
    if progress.outcome is not None:
        return RunStatus.COMPLETED
    return RunStatus.RUNNING if progress.waiting_for is None else RunStatus.WAITING


def _open(rows: Sequence[JournalRow]) -> int:
    return sum(row.is_open for row in rows)


def _ended(rows: Sequence[JournalRow]) -> int:
    return len(rows) - _open(rows)


def _park(connection: Connection, run_id: str, reason: str) -> None:
    run = lock_run(connection, run_id)
    if run is not None and not run.status.final:
        save(connection, run, _blocked(run, load_journal(connection, run).steps, reason, ()))


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


def _blocked(
    run: LockedRun,
    rows: Sequence[JournalRow],
    reason: str,
    events: Sequence[Event],
) -> Changes:
    """Park a run whose journal, spec or documents this code cannot make sense of; nothing recorded is lost."""
    return Changes(
        status=RunStatus.BLOCKED,
        phase=run.phase,
        noted_steps=run.noted_steps,
        open_steps=_open(rows),
        blocked_reason=reason,
        events=(*events, ("run.blocked", {"reason": reason})),
    )

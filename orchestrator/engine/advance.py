"""Load, replay, save: runs are advanced in one transaction, and what is to be published is returned.

Nothing here publishes. The caller sends what it is given after the commit; if it dies before that, the sweeper finds
the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import uuid4

from pydantic import ValidationError

from orchestrator.core.replay.commands import Step, Turn
from orchestrator.core.replay.materials import Materials
from orchestrator.core.replay.replay import Entry, Journal, Progress, Replay, fingerprint
from orchestrator.engine.changes import blocked, changes_of, why_blocked
from orchestrator.engine.children import new_run_id
from orchestrator.engine.kept import MOST_BYTES, KeptReplay, KeptReplays, weight
from orchestrator.engine.recorded import journal_of
from orchestrator.engine.staging import Scheduled, Stage, refusal
from orchestrator.workflows.descriptor import WorkflowType
from orchestrator.workflows.registry import WORKFLOWS, start_workflow
from shared.errors import EnvironmentFault, ReplayMismatch, UnknownRun
from shared.faults import failpoint
from shared.logger import LazyLogger
from shared.models.outcomes import FailureKind, RunStatus
from shared.models.priority import priority_of
from shared.models.run import RunSpec
from shared.models.steps import Failure, StepKind, StepResult
from shared.store.database import Connection, Database
from shared.store.documents import get_documents
from shared.store.events import Event
from shared.store.journal import (
    StoredJournal,
    Wanted,
    load_journal,
    load_journals,
    lock_with_journals,
)
from shared.store.runs import Changes, LockedRun, cancel_run, create_run, lock_run
from shared.store.saving import save
from shared.store.steps import fail_open_steps
from shared.text.bounded_cache import RUNS_S, BoundedCache

SPECS_BYTES = DOCUMENTS_BYTES = 32_000_000
# What a spec takes in memory for each byte of its JSON, about.
SPEC_FACTOR = 8
# How many runs are advanced in one transaction: their rows stay locked until it ends.
MOST_AT_ONCE = 16

log = LazyLogger(__name__)


@dataclass
class _Locked:
    """A run that is advanced, and what of its journal is new to its replay: all of it if none was kept."""

    run: LockedRun
    journal: StoredJournal
    spec: RunSpec | str
    kept: KeptReplay | None
    events: list[Event | None] = field(default_factory=list)

    @property
    def has_missed_something(self) -> bool:
        """Whether somebody else advanced the run since its replay was kept."""
        return self.kept is not None and self.kept.advances != self.run.advances


@dataclass(frozen=True)
class _Advanced:
    """What an advance came to: what it writes and has published, if anything, and the replay to go on with."""

    run: str
    changes: Changes | None = None
    scheduled: Scheduled | None = None
    kept: KeptReplay | None = None


class Engine:
    """Submits and advances runs. Safe to share between threads."""

    def __init__(
        self,
        database: Database,
        workflows: Mapping[str, WorkflowType[Any]] = WORKFLOWS,
        kept_bytes: int = MOST_BYTES,
        freed: Callable[[], object] = bool,
    ) -> None:
        """`database` should have patience: an advance is repeated when the server was away.

        `kept_bytes`: how much memory replays may take between advances. `freed` is called when a run may have given up
        its place or is still queued, so that whoever admits runs looks at once.
        """
        self._freed = freed
        self.database = database
        self._workflows = workflows
        self._documents: BoundedCache[str, bytes] = BoundedCache(DOCUMENTS_BYTES, most_s=RUNS_S)
        self._specs: BoundedCache[str, RunSpec] = BoundedCache(SPECS_BYTES, most_s=RUNS_S)
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
        scheduled = [advanced.scheduled for advanced in self._commit([run], wait=wait)]
        return scheduled[0] if scheduled else None

    def advance_all(self, runs: Iterable[str]) -> Iterator[list[Scheduled]]:
        """Advance many runs, each once. What is to be published comes in portions: publish one, then ask for the next.

        As many as are free are advanced in one transaction. A child run (its end locks its parent) and a run that
        somebody else is at follow one by one, and so do all of a transaction that failed: a run that cannot be advanced
        is logged, and keeps nobody from it. Raises EnvironmentFault when the database is away.
        """
        wanted = list(dict.fromkeys(runs))
        alone: list[str] = []
        for first in range(0, len(wanted), MOST_AT_ONCE):
            together = wanted[first : first + MOST_AT_ONCE]
            advanced = self._commit_together(together)
            yield [result.scheduled for result in advanced if result.scheduled is not None]
            done = {result.run for result in advanced}
            alone += [run for run in together if run not in done]
        for run in alone:
            yield self._advance_apart(run)

    def _commit_together(self, runs: Sequence[str]) -> list[_Advanced]:
        if len(runs) == 1:
            return []
        try:
            return self._commit(runs, wait=False)
        except EnvironmentFault:
            raise
        except Exception:
            log.exception("advance.apart", runs=runs)
            return []

    def _advance_apart(self, run: str) -> list[Scheduled]:
        try:
            scheduled = self.advance(run)
        except EnvironmentFault:
            raise
        except Exception:
            log.exception("advance.bug", run=run)  # the sweeper tries it again, and parks it
            return []
        return [] if scheduled is None else [scheduled]

    def park(self, run: str, bug: Exception) -> None:
        """Block a run whose workflow fails for a reason that is ours; `quorate resume` looks at it again."""
        reason = (
            f"an internal error stops this run ({type(bug).__name__}: {bug}); the orchestrator's log says where. "
            "Nothing recorded is lost: resume it with a version that fixes this"
        )
        self.database.run(lambda connection: _park(connection, run, reason), atomic=True)

    def _commit(self, runs: Sequence[str], *, wait: bool) -> list[_Advanced]:
        """Advance those runs in one transaction that can be locked; what each of them came to."""
        advanced = self.database.run(
            lambda connection: self._advance(connection, runs, wait=wait), pipelined=True
        )
        for result in advanced:
            if result.kept is not None:
                self._kept.keep(result.run, result.kept)
        for result in advanced:
            failpoint("advance-committed")
            _log_end(result)
            if result.scheduled is not None and result.scheduled.children:
                failpoint("child-committed")
            if result.scheduled is not None and result.scheduled.parent is not None:
                failpoint("child-ended")
            if result.scheduled is None or not result.scheduled.steps:
                failpoint("place-freed")
                self._freed()
        return advanced

    def _advance(
        self, connection: Connection, runs: Sequence[str], *, wait: bool
    ) -> list[_Advanced]:
        locked_runs = self._load(connection, runs, wait)
        moving = [locked for locked in locked_runs if not _stands_still(connection, locked.run)]
        _catch_up(connection, moving)
        advanced = {locked.run.id: _Advanced(locked.run.id) for locked in locked_runs}
        written = []
        for locked in moving:
            came_to = advanced[locked.run.id] = self._replay(connection, locked)
            if came_to.changes is not None:
                written.append((locked.run, came_to.changes))
        parents = save(connection, written)
        for run, _ in written:
            failpoint("advance-uncommitted")
            if run.id in parents:
                advanced[run.id] = _with_parent(advanced[run.id], run, parents[run.id])
        return list(advanced.values())

    def _load(self, connection: Connection, runs: Sequence[str], wait: bool) -> list[_Locked]:
        """The runs that can be locked, each with its kept replay and what is new to that, or its whole journal."""
        kept = {run: replay for run in runs if (replay := self._kept.take(run)) is not None}
        specs = {run: spec for run in runs if (spec := self._specs.get(run)) is not None}
        wanted = [_wanted(run, kept.get(run), spec=run not in specs) for run in runs]
        loaded_runs = lock_with_journals(connection, wanted, wait=wait)
        locked = [
            _Locked(
                loaded.run,
                loaded.journal,
                specs.get(loaded.run.id) or loaded.spec or "",
                kept.pop(loaded.run.id, None),
            )
            for loaded in loaded_runs
        ]
        for run, untouched in kept.items():
            self._kept.keep(run, untouched)
        return locked

    def _replay(self, connection: Connection, locked: _Locked) -> _Advanced:
        run, rows = locked.run, locked.journal.steps
        try:
            spec = self._spec(run.id, locked.spec)
            following = locked.kept or self._begin(run, spec, locked.journal)
            stage = Stage(
                spec=spec, position=following.steps, written=following.records, events=locked.events
            )
            progress = self._follow(connection, run, following, locked.journal, stage)
        except (ReplayMismatch, UnknownRun, ValidationError) as mismatch:
            return _Advanced(run.id, blocked(run, rows, why_blocked(mismatch), locked.events))
        following.read.extend(weight(row.reply) for row in rows)
        changes = changes_of(run, rows, following.ended, progress, stage)
        if changes is None:
            following.settle(0, 0, run.advances)
            return _Advanced(run.id, kept=following)
        scheduled = Scheduled(
            run=run.id,
            root_task=run.root_task,
            steps=tuple(stage.scheduled),
            priority=priority_of(is_watched=spec.watched, has_begun=following.steps > 0),
            children=tuple(child.run for child in stage.children),
        )
        following.settle(len(stage.steps), len(stage.records), run.advances + 1)
        kept = following if progress.outcome is None else None
        return _Advanced(run.id, changes, scheduled, kept)

    def _spec(self, run: str, captured: RunSpec | str) -> RunSpec:
        if isinstance(captured, RunSpec):
            return captured
        spec = RunSpec.model_validate_json(captured)
        return self._specs.keep(run, spec, SPEC_FACTOR * len(captured))

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
        stored = load_journal(connection, run.id)
        whole = self._begin(run, spec, stored).replay
        expected = whole.follow(journal_of(stored, self._workflows[spec.workflow].records))
        return following.require_same(run.id, progress, whole, expected)

    def _document(self, name: str) -> bytes:
        if (kept := self._documents.get(name)) is not None:
            return kept
        content = self.database.run(lambda connection: get_documents(connection, [name]))[name]
        return self._documents.keep(name, content, len(content))


def _wanted(run: str, kept: KeptReplay | None, *, spec: bool) -> Wanted:
    if kept is None:
        return Wanted(run, spec=spec)
    return Wanted(run, False, kept.replay.open_steps, kept.replay.waiting_for, spec=spec)


def _with_parent(advanced: _Advanced, run: LockedRun, parent: str) -> _Advanced:
    """That its end was the last thing that its parent waited for."""
    scheduled = advanced.scheduled or Scheduled(run.id, run.root_task)
    return replace(advanced, scheduled=replace(scheduled, parent=parent))


def _stands_still(connection: Connection, run: LockedRun) -> bool:
    """Whether there is nothing to advance. A child run that nobody waits for any more is cancelled here."""
    if run.orphaned and not run.status.final:
        cancel_run(connection, run.id, f"its parent {run.parent_run}")
        return True
    return run.status.final or run.status in (RunStatus.BLOCKED, RunStatus.QUEUED)


def _catch_up(connection: Connection, moving: Sequence[_Locked]) -> None:
    """Load the whole journal where a kept replay missed something, and where the deadline ends what is open."""
    failed = {
        locked.run.id: fail_open_steps(
            connection, locked.run.id, FailureKind.DEADLINE, "the run's deadline has passed"
        )
        for locked in moving
        if locked.run.overdue
    }
    late = [locked for locked in moving if locked.run.overdue or locked.has_missed_something]
    journals = load_journals(connection, [locked.run.id for locked in late]) if late else {}
    for locked in late:
        locked.journal, locked.kept = journals[locked.run.id], None
        if locked.run.overdue:
            locked.events += _overdue(failed[locked.run.id], locked.journal)


def _overdue(failed: Sequence[str], journal: StoredJournal) -> Iterator[Event]:
    waited = any(row.kind == StepKind.RUN for row in journal.steps)
    if failed or not waited:  # child runs end by themselves
        yield "run.overdue", {"failed": list(failed)}


def _refused(steps: tuple[Step, ...], refusals: list[Failure | None]) -> Journal:
    return Journal(
        {
            step.key: Entry(fingerprint(step), StepResult(failure=failure))
            for step, failure in zip(steps, refusals, strict=True)
        }
    )


def _log_end(result: _Advanced) -> None:
    changes = result.changes
    if changes is not None and changes.status.final:
        log.info("run.ended", run=result.run, status=changes.status, ending=changes.ending or "")


def _park(connection: Connection, run_id: str, reason: str) -> None:
    run = lock_run(connection, run_id)
    if run is not None and not run.status.final:
        save(connection, [(run, blocked(run, load_journal(connection, run_id).steps, reason))])

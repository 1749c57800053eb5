"""A stored run as what-if computations read it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from pydantic import ValidationError

from orchestrator.core.replay.commands import Workflow
from orchestrator.core.replay.materials import Materials
from orchestrator.core.replay.recomputation import Recomputed, recompute
from orchestrator.core.replay.replay import Journal
from orchestrator.engine.changes import why_blocked
from orchestrator.engine.recorded import journal_of
from orchestrator.workflows.registry import WORKFLOWS, start_workflow
from shared.errors import ReplayMismatch, UserError
from shared.models.notices import Notice, notice
from shared.models.outcomes import StepStatus
from shared.models.rows import RunRow
from shared.models.run import RunSpec
from shared.store.journal import JournalRow, StoredJournal


@dataclass(frozen=True)
class Recording:
    """A run's row and everything recorded of it; `document` gives a stored document by its hash."""

    run: RunRow
    stored: StoredJournal
    document: Callable[[str], bytes]

    @cached_property
    def spec(self) -> RunSpec:
        """What was captured at submission."""
        return RunSpec.model_validate(self.run.spec)

    @cached_property
    def journal(self) -> Journal:
        """What a replay reads. Steps that were cancelled brought nothing: they are as good as not asked."""
        ended = tuple(row for row in self.stored.steps if row.status != StepStatus.CANCELLED)
        types = WORKFLOWS[self.spec.workflow].records
        return journal_of(replace(self.stored, steps=ended), types)

    @cached_property
    def rows(self) -> Mapping[str, JournalRow]:
        """The steps by key, in the order in which they were scheduled."""
        return {row.key: row for row in self.stored.steps}

    @property
    def other_version(self) -> Notice | None:
        """What is to be said when another version of the workflow recorded the run; None for this one."""
        current = WORKFLOWS[self.spec.workflow].version
        if current == self.spec.workflow_version:
            return None
        return notice(
            "recorded_with_version",
            recorded=self.spec.workflow_version,
            workflow=self.spec.workflow,
            current=current,
        )

    def follow(
        self, spec: RunSpec, *, anew: bool = True, journal: Journal | None = None
    ) -> Recomputed:
        """The workflow of this version of the code on the recorded results, under `spec`.

        Raises ReplayMismatch where this version cannot read them.
        """
        start = starter(spec, Materials(self.document, self.run.id))
        try:
            return recompute(start, self.journal if journal is None else journal, anew=anew)
        except ValidationError as mismatch:
            raise ReplayMismatch(f"run {self.run.id}: {why_blocked(mismatch)}") from mismatch


def make_recording(
    run: RunRow, stored: StoredJournal, document: Callable[[str], bytes]
) -> Recording:
    """The recording of a run. Raises ReplayMismatch where this version cannot read it, UserError without rounds."""
    recording = Recording(run, stored, document)
    try:
        workflow = recording.spec.workflow
        if workflow not in WORKFLOWS:
            raise UserError(
                "run {run}: this version of Quorate has no workflow {workflow!r}",
                run=run.id,
                workflow=workflow,
            )
        _ = recording.journal
    except (ValidationError, ReplayMismatch) as mismatch:
        raise ReplayMismatch(f"run {run.id}: {why_blocked(mismatch)}") from mismatch
    return recording


def starter(spec: RunSpec, materials: Materials) -> Callable[[], Workflow]:
    """Start the workflow as this version of the code has it, whatever version the run was recorded with."""
    current = WORKFLOWS[spec.workflow].version
    return start_workflow(spec.model_copy(update={"workflow_version": current}), materials)


def without_records(journal: Journal, steps: frozenset[str], answers: frozenset[str]) -> Journal:
    """The part of a journal that a copy takes over: these steps and answers, and no record."""
    return replace(
        journal,
        steps={key: entry for key, entry in journal.steps.items() if key in steps},
        records={},
        asked=answers,
        answers={key: answer for key, answer in journal.answers.items() if key in answers},
    )

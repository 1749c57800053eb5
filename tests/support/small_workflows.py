"""Workflows that only tests have, as rows for an engine: one writes facts of its own kinds."""

from __future__ import annotations

from typing import ClassVar

from orchestrator.core.replay.commands import Outcome, RecordBody, Workflow, record, single
from orchestrator.core.replay.materials import Materials
from orchestrator.workflows.descriptor import SubjectKind, WorkflowType
from orchestrator.workflows.registry import WORKFLOWS
from shared.models.outcomes import Verdict
from shared.models.run import RunSpec
from shared.models.wire import ForeignWire
from tests.support.programs import turn
from tests.support.review_panel import Submission, submission


class Transition(RecordBody):
    """A machine went from one mode to another."""

    kind: ClassVar[str] = "transition"

    before: str
    after: str


def machine(_spec: RunSpec, _materials: Materials) -> Workflow:
    """Three modes with a turn between them."""
    path = ["idle"]
    for mode in ("planning", "coding"):
        written = yield from record(
            f"mode/{mode}", Transition, lambda mode=mode: Transition(before=path[-1], after=mode)
        )
        path.append(written.after)
        yield from single(turn(mode))
    return Outcome(Verdict.DONE, None, " > ".join(path))


class NoOptions(ForeignWire):
    """Nothing can be chosen."""


MACHINE: WorkflowType[NoOptions] = WorkflowType(
    name="machine",
    version=1,
    options=NoOptions,
    start=machine,
    subject=SubjectKind.CHANGE,
    parts=(),
    records=(Transition,),
)
SMALL_WORKFLOWS = {**WORKFLOWS, "machine": MACHINE}


def small(workflow: str) -> Submission:
    """A run of one of them."""
    wanted = submission()
    changes = {"workflow": workflow, "workflow_version": 1}
    return Submission(wanted.spec.model_copy(update=changes), wanted.documents)

"""Take back what a run applied: one tool run, because only tool workers touch repositories."""

from __future__ import annotations

from orchestrator.core.discussion.turn_results import failure_notice
from orchestrator.core.parts import TOOLS_ONLY
from orchestrator.core.replay.commands import Outcome, ToolRun, Workflow, phase, single
from orchestrator.core.replay.materials import Materials
from orchestrator.workflows.descriptor import SubjectKind, WorkflowLogic, WorkflowType
from shared.models.outcomes import Verdict
from shared.models.review_replies import Undone
from shared.models.run import RunSpec
from shared.models.wire import ForeignWire
from shared.tools.inputs import UndoInput

VERSION = 1


def undo(spec: RunSpec, _materials: Materials) -> Workflow:
    """Undo `spec.labels["applied"]`, the reply of the tool `apply`; what cannot be undone is left as it is."""
    yield from phase("Undoing")
    result = yield from single(
        ToolRun(
            key="undo",
            tool="undo",
            participant="git",
            role="undo",
            round=0,
            reply_model="undone",
            inputs=lambda: UndoInput.model_validate({"applied": spec.labels["applied"]}),
        )
    )
    if result.failure is not None:
        return Outcome(Verdict.INCONCLUSIVE, None, failure_notice(result.failure))
    undone = Undone.model_validate(result.reply)
    return Outcome(Verdict.DONE, None, undone.notice or undone.message)


class UndoOptions(ForeignWire):
    """Nothing can be chosen. What earlier versions stored here, the options of the review, is read over."""


WORKFLOW: WorkflowType[UndoOptions] = WorkflowType(
    name="undo",
    version=VERSION,
    options=UndoOptions,
    logic=WorkflowLogic(undo),
    subject=SubjectKind.CHANGE,
    parts=TOOLS_ONLY,  # the panel is that of the run whose fix is taken back
    finds=True,
    display="orchestrator.workflows.display:WHOLE",
)

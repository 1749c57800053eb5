"""Take back what a run applied: one tool run, because only tool workers touch repositories."""

from __future__ import annotations

from orchestrator.core.replay.commands import Outcome, ToolRun, Workflow, phase, single
from orchestrator.core.replay.materials import Materials
from shared.models.outcomes import Verdict
from shared.models.replies import Undone
from shared.models.run import RunSpec

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
            inputs=lambda: {"applied": spec.labels["applied"]},
        )
    )
    if result.reply is None:
        assert result.failure is not None
        return Outcome(Verdict.INCONCLUSIVE, None, result.failure.message)
    return Outcome(Verdict.DONE, None, Undone.model_validate(result.reply).message)

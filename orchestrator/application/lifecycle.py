"""Cancel a run, look at a blocked one again."""

from __future__ import annotations

from orchestrator.application.backend import Backend
from shared.errors import UserError
from shared.models.outcomes import RunStatus
from shared.store.runs import cancel_run, unblock_run
from shared.store.views import find_run


def cancel(backend: Backend, name: str, actor: str) -> str:
    """End a run: nothing of it starts any more; its id. Raises UserError when it has ended already."""
    run = backend.read(lambda connection: find_run(connection, name)).id
    before = backend.write(lambda connection: cancel_run(connection, run, actor))
    if before is not None and before.final and before is not RunStatus.CANCELLED:
        raise UserError(
            "run {run} is {status} already; nothing was changed", run=run, status=before.value
        )
    return run


def resume(backend: Backend, name: str) -> str:
    """Continue a blocked run once what blocked it is fixed; its id. Raises UserError when it is not blocked."""
    run = backend.read(lambda connection: find_run(connection, name))
    if not backend.write(lambda connection: unblock_run(connection, run.id)):
        raise UserError("run {run} is {status}, not blocked", run=run.id, status=run.status.value)
    backend.wake(run.id)
    return run.id

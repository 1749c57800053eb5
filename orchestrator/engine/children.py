"""What a run gives the runs that it starts: its budget, deadline, priority, promises and place in Flower."""

from __future__ import annotations

import hashlib
import hmac
import secrets

from orchestrator.core.replay.commands import ChildRun
from orchestrator.workflows.registry import workflow_of
from shared.models.run import RunSpec
from shared.store.documents import address
from shared.store.runs import ChildOf, LockedRun, NewChild

_RUN_ALPHABET = "23456789abcdefghjkmnpqrstvwxyz"


def new_run_id() -> str:
    """A name that no run has."""
    return "r" + "".join(secrets.choice(_RUN_ALPHABET) for _ in range(9))


def new_child(run: LockedRun, spec: RunSpec, step: ChildRun) -> NewChild:
    """The child that a step of `run` waits for."""
    request = step.request()
    return NewChild(
        run=new_run_id(),
        title=request.title,
        spec=_inherited(spec, request.spec, step.key),
        documents={address(content): content for content in request.documents},
        child_of=ChildOf(
            run=run.id, step=step.key, root=run.root_run or run.id, depth=run.depth + 1
        ),
    )


def _inherited(parent: RunSpec, child: RunSpec, key: str) -> RunSpec:
    """A child may promise more than its parent and never less; nobody can guess its seed from what is said."""
    return child.model_copy(
        update={
            "workflow_version": child.workflow_version or workflow_of(child).version,
            "budget": parent.budget,
            "watched": parent.watched,
            "allow_external": parent.allow_external and child.allow_external,
            "allow_models": parent.allow_models and child.allow_models,
            "reuse": parent.reuse,
            "labels": {**parent.labels, **child.labels},
            "seed": hmac.new(parent.seed.encode(), key.encode(), hashlib.sha256).hexdigest(),
        }
    )

"""Workflows that only tests have, as rows for an engine: facts of their own kinds, child runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from orchestrator.core.replay.commands import (
    ChildRequest,
    ChildRun,
    Outcome,
    RecordBody,
    Workflow,
    child_outcome,
    decide,
    record,
    single,
    spawn,
    together,
)
from orchestrator.core.replay.materials import Materials
from orchestrator.workflows.descriptor import SubjectKind, WorkflowLogic, WorkflowType
from orchestrator.workflows.registry import WORKFLOWS
from shared.errors import ReplayMismatch
from shared.models.decision import DecisionQuestion
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


def asking(spec: RunSpec, _materials: Materials) -> Workflow:
    """A person decides, then somebody speaks."""
    question = DecisionQuestion(kind="q", prompt="?", options=("on", "off"), shown={})
    answer = yield from decide("decision", question)
    yield from single(turn("told"))
    return Outcome(Verdict.DONE, None, answer.choice)


def broken(_spec: RunSpec, _materials: Materials) -> Workflow:
    """A turn, and then this version of the code does not make sense of what was stored."""
    yield from single(turn("only"))
    raise ReplayMismatch("the code changed under the run")


def buggy(_spec: RunSpec, _materials: Materials) -> Workflow:
    """A turn, and then a bug of ours."""
    yield from single(turn("only"))
    raise ZeroDivisionError("no rounds")


def _request(spec: RunSpec, name: str, labels: dict[str, Any]) -> ChildRequest:
    changes = {"workflow": name, "workflow_version": 1, "labels": labels}
    return ChildRequest(f"a {name}", spec.model_copy(update=changes), (b"a document of its own",))


def boss(spec: RunSpec, _materials: Materials) -> Workflow:
    """A turn, a child run of `labels["child"]`, a turn; with `labels["levels"]` a boss under a boss."""
    levels = int(spec.labels.get("levels", 1))
    name = "boss" if levels > 1 else str(spec.labels["child"])
    labels = {**spec.labels, "levels": levels - 1}
    yield from single(turn("before"))
    outcome = yield from spawn("child", name, lambda: _request(spec, name, labels))
    yield from single(turn("after"))
    said = outcome.summary or outcome.reason
    return Outcome(Verdict.DONE, None, f"{outcome.status.value}: {said}")


def pair(spec: RunSpec, _materials: Materials) -> Workflow:
    """Two child runs and a turn at once."""
    name = str(spec.labels["child"])
    first, second, beside = yield from together(
        (
            ChildRun("first", name, lambda: _request(spec, name, {})),
            ChildRun("second", name, lambda: _request(spec, name, {})),
            turn("beside"),
        )
    )
    said = [child_outcome(result).status.value for result in (first, second)]
    said.append("spoke" if beside.failure is None else beside.failure.kind.value)
    return Outcome(Verdict.DONE, None, ", ".join(said))


def supervisor(spec: RunSpec, _materials: Materials) -> Workflow:
    """Two reviews at once, as child runs on the same captured change."""

    def review() -> ChildRequest:
        return ChildRequest("a review", spec.model_copy(update={"workflow": "review"}))

    children = (ChildRun(f"review/{number}", "review", review) for number in (1, 2))
    results = yield from together(children)
    said = [child_outcome(result) for result in results]
    return Outcome(Verdict.DONE, None, ", ".join(outcome.status.value for outcome in said))


class NoOptions(ForeignWire):
    """Nothing can be chosen."""


def _type(
    start: Callable[[RunSpec, Materials], Workflow], *records: type[RecordBody]
) -> WorkflowType[NoOptions]:
    return WorkflowType(
        name=start.__name__,
        version=1,
        options=NoOptions,
        logic=WorkflowLogic(start),
        subject=SubjectKind.CHANGE,
        parts=(),
        record_types=records,
    )


_OWN = (_type(machine, Transition), *map(_type, (asking, broken, buggy, boss, pair, supervisor)))
SMALL_WORKFLOWS = {**WORKFLOWS, **{workflow.name: workflow for workflow in _OWN}}


def small(workflow: str, **fields: Any) -> Submission:
    """A run of one of them."""
    wanted = submission()
    changes = {"workflow": workflow, "workflow_version": 1, **fields}
    return Submission(wanted.spec.model_copy(update=changes), wanted.documents)

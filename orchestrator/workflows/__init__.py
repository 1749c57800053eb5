"""The workflows: one file each, one line each in the registry."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from orchestrator.core.discussion.estimate import COURSES, Course
from orchestrator.core.replay.commands import RecordBody, RoundRecord, Workflow
from orchestrator.core.replay.materials import Materials
from orchestrator.core.results import WorkflowResult
from orchestrator.core.views.context import WorkflowView
from orchestrator.core.views.findings import GENERIC
from orchestrator.workflows import ask, forum, panel, plan, review, undo
from orchestrator.workflows.ask import view as ask_view
from orchestrator.workflows.ask.expected import expected as ask_expected
from orchestrator.workflows.ask.result import AskResult
from orchestrator.workflows.forum import view as forum_view
from orchestrator.workflows.forum.expected import expected as forum_expected
from orchestrator.workflows.forum.result import ForumResult
from orchestrator.workflows.panel import view as panel_view
from orchestrator.workflows.panel.expected import expected as panel_expected
from orchestrator.workflows.panel.result import PanelResult
from orchestrator.workflows.plan import view as plan_view
from orchestrator.workflows.plan.expected import expected as plan_expected
from orchestrator.workflows.plan.result import PlanResult
from orchestrator.workflows.review import view as review_view
from orchestrator.workflows.review.result import ReviewResult
from shared.errors import ReplayMismatch
from shared.models.run import RunSpec

__all__ = [
    "EXPECTED",
    "RESULTS",
    "VIEWS",
    "WORKFLOWS",
    "Materials",
    "read_result",
    "start_workflow",
]


@dataclass(frozen=True)
class Registered:
    """A workflow's current version and how it is started from what was captured at submission.

    Runs of the versions from `oldest` on are still finished as they were begun: the workflow looks at
    `spec.workflow_version` where the versions differ. `records` are the types of the facts that it writes.
    """

    version: int
    start: Callable[[RunSpec, Materials], Workflow]
    oldest: int | None = None
    records: tuple[type[RecordBody], ...] = (RoundRecord,)

    def knows(self, version: int) -> bool:
        """Whether this code can go on with a run of that version."""
        return (self.oldest or self.version) <= version <= self.version


WORKFLOWS: dict[str, Registered] = {
    "ask": Registered(ask.VERSION, ask.ask),
    "forum": Registered(forum.VERSION, forum.forum),
    "panel": Registered(panel.VERSION, panel.panel),
    "plan": Registered(plan.VERSION, plan.plan),
    "review": Registered(review.VERSION, review.review, oldest=1),
    "undo": Registered(undo.VERSION, undo.undo),
}


EXPECTED: Mapping[str, Course] = {
    **COURSES,
    "ask": ask_expected,
    "forum": forum_expected,
    "panel": panel_expected,
    "plan": plan_expected,
}
"""The calls that a run of a workflow may make, for its estimate."""


def start_workflow(
    spec: RunSpec, materials: Materials, workflows: Mapping[str, Registered] = WORKFLOWS
) -> Callable[[], Workflow]:
    """A starter for `replay`. Raises ReplayMismatch when this code does not know the run's workflow or version."""
    registered = workflows.get(spec.workflow)
    if registered is None or not registered.knows(spec.workflow_version):
        raise ReplayMismatch(
            f"this version of Quorate has no workflow {spec.workflow!r} of version {spec.workflow_version}: "
            "finish the run with the version that started it, or cancel it"
        )
    return lambda: registered.start(spec, materials)


RESULTS: Mapping[str, type[WorkflowResult]] = {
    "ask": AskResult,
    "forum": ForumResult,
    "panel": PanelResult,
    "plan": PlanResult,
    "review": ReviewResult,
    "undo": WorkflowResult,
}

VIEWS: Mapping[str, WorkflowView[Any]] = {
    "ask": ask_view.VIEW,
    "forum": forum_view.VIEW,
    "panel": panel_view.VIEW,
    "plan": plan_view.VIEW,
    "review": review_view.VIEW,
    "undo": replace(GENERIC, always_whole=True),
}


def result_schema(workflow: str) -> dict[str, Any]:
    """The JSON schema of a workflow's result (`detail` in docs/json.md)."""
    return RESULTS.get(workflow, WorkflowResult).model_json_schema(mode="serialization")


def read_result(workflow: str, outcome: Mapping[str, Any] | None) -> WorkflowResult | None:
    """The result in a stored outcome; None without one, and where this version cannot read what is stored."""
    model = RESULTS.get(workflow)
    if outcome is None or model is None:
        return None
    try:
        return model.model_validate(outcome.get("detail") or {})
    except ValidationError:
        return None

"""The workflows by name, each loaded when it is looked up."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from orchestrator.core.replay.commands import Workflow
from orchestrator.core.replay.materials import Materials
from orchestrator.workflows import ROWS
from orchestrator.workflows.descriptor import Choice, SubjectKind, WorkflowLogic, WorkflowType
from shared.errors import ReplayMismatch
from shared.models.run import RunSpec
from shared.models.wire import ForeignWire

_MODULES = {row.name: row.module for row in ROWS}


class _Workflows(Mapping[str, WorkflowType[Any]]):
    """The rows as their descriptors."""

    def __getitem__(self, name: str) -> WorkflowType[Any]:
        return _load(_MODULES[name])

    def __iter__(self) -> Iterator[str]:
        return iter(_MODULES)

    def __len__(self) -> int:
        return len(_MODULES)


@cache
def _load(module: str) -> WorkflowType[Any]:
    workflow: WorkflowType[Any] = importlib.import_module(module).WORKFLOW
    return workflow


WORKFLOWS: Mapping[str, WorkflowType[Any]] = _Workflows()


def _unknown(spec: RunSpec, _materials: Materials) -> Workflow:
    raise ReplayMismatch(
        f"this version of Quorate has no workflow {spec.workflow!r} of version {spec.workflow_version}: "
        "finish the run with the version that started it, or cancel it"
    )


UNKNOWN: WorkflowType[Any] = WorkflowType(
    name="",
    version=0,
    options=ForeignWire,
    logic=WorkflowLogic(_unknown),
    subject=SubjectKind.QUESTION,
    parts=(),
)
"""Stands for a workflow that only another version of Quorate knows: its runs can be shown."""


def workflow_named(name: str) -> WorkflowType[Any]:
    """The workflow of that name, or what stands for one that is not known."""
    return WORKFLOWS.get(name, UNKNOWN)


def workflow_of(spec: RunSpec) -> WorkflowType[Any]:
    """The workflow of a run."""
    return workflow_named(spec.workflow)


def start_workflow(
    spec: RunSpec, materials: Materials, workflows: Mapping[str, WorkflowType[Any]] = WORKFLOWS
) -> Callable[[], Workflow]:
    """A starter for `replay`. Raises ReplayMismatch when this code does not know the run's workflow or version."""
    workflow = workflows.get(spec.workflow, UNKNOWN)
    if not workflow.knows(spec.workflow_version):
        _unknown(spec, materials)
    return lambda: workflow.run.start(spec, materials)


def load_all(workflows: Mapping[str, WorkflowType[Any]] = WORKFLOWS) -> None:
    """Load what happens in a run of each: a service does not want to pay for it in the middle of its work."""
    for workflow in workflows.values():
        _ = workflow.run


def decision_choices() -> dict[str, Choice]:
    """The answers of every workflow's decisions, by their words."""
    choices = (choice for workflow in WORKFLOWS.values() for choice in workflow.choices)
    return {choice.word: choice for choice in choices}


@cache
def picking_words() -> tuple[str, ...]:
    """The answers that may be given for a part of what a decision offers."""
    choices = (choice for workflow in WORKFLOWS.values() for choice in workflow.choices)
    return tuple(dict.fromkeys(each.word for each in choices if each.writes or each.picks))


@cache
def round_roles() -> frozenset[str]:
    """The roles of every workflow that contribute to a round which is assessed when all of them are there."""
    return frozenset(str(role) for workflow in WORKFLOWS.values() for role in workflow.round_roles)


@cache
def workflow_of_everybody() -> str:
    """The workflow in which whoever is here may take part, analysers as well: meant where none was named."""
    return next(name for name, workflow in WORKFLOWS.items() if workflow.critics.rules)


def is_conversation(name: str) -> bool:
    """Whether people follow it as a conversation: it has a head, and its steps say by themselves what they are for."""
    return workflow_named(name).subject is SubjectKind.QUESTION


def checked(spec: RunSpec) -> RunSpec:
    """The specification with its options complete. Raises ValueError when its workflow cannot be held so."""
    workflow = workflow_of(spec)
    options = workflow.options_of(spec).model_dump(mode="json")
    if (objection := workflow.objection_of(spec)) is not None:
        raise ValueError(objection)
    return spec.model_copy(update={"options": options})

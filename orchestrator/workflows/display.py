"""How runs of a workflow are shown: apart from its description, which commands load that show no run."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from pydantic import ValidationError

from orchestrator.core.results import WorkflowResult
from orchestrator.core.views.context import WorkflowView
from orchestrator.core.views.findings import GENERIC
from orchestrator.core.views.live import PLAIN, LiveView
from orchestrator.workflows.descriptor import WorkflowType


@dataclass(frozen=True)
class WorkflowDisplay:
    """How a run is shown: the type of its result, the result as people read it, and the run while it goes on."""

    result: type[WorkflowResult] = WorkflowResult
    view: WorkflowView[Any] = GENERIC
    live: LiveView = PLAIN


DISPLAY = WorkflowDisplay()
"""Of a workflow that says nothing about it."""
WHOLE = WorkflowDisplay(view=replace(GENERIC, always_whole=True))
"""Of one whose results are never shortened."""


def display_of(workflow: WorkflowType[Any]) -> WorkflowDisplay:
    """How a workflow's runs are shown; loaded now."""
    return _named(workflow.display)


@cache
def _named(display: str) -> WorkflowDisplay:
    module, _, name = display.partition(":")
    loaded: WorkflowDisplay = getattr(importlib.import_module(module), name or "DISPLAY")
    return loaded


def result_of(
    workflow: WorkflowType[Any], outcome: Mapping[str, Any] | None
) -> WorkflowResult | None:
    """The result in a stored outcome; None without one, and where this version cannot read what is stored."""
    if outcome is None:
        return None
    try:
        return display_of(workflow).result.model_validate(outcome.get("detail") or {})
    except ValidationError:
        return None


def result_schema(workflow: WorkflowType[Any]) -> dict[str, Any]:
    """The JSON schema of a workflow's result (`detail` in docs/json.md)."""
    return display_of(workflow).result.model_json_schema(mode="serialization")

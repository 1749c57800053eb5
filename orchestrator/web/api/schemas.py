"""The description of what can be submitted: one schema a workflow, from what the workflow says of itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from orchestrator.application.batch_input import item_schema
from orchestrator.application.remote_requests import is_open

OF_BATCHES = ("custom_id", "labels", "expected_verdict", "metadata")
"""What only the lines of a batch have."""


def one_of_each(workflows: Iterable[str]) -> dict[str, Any]:
    """A body that is a submission of one of them."""
    return {"schema": {"oneOf": [submission_schema(name) for name in workflows]}}


def submission_schema(workflow: str) -> dict[str, Any]:
    """The schema of the body that submits a run of that workflow, without references."""
    schema = item_schema(workflow)
    stated: dict[str, Any] = schema["properties"]
    properties = {name: each for name, each in stated.items() if name not in OF_BATCHES}
    options = properties["options"]["properties"]
    settable = {name: each for name, each in options.items() if is_open(workflow, name)}
    properties["options"] = {"type": "object", "properties": settable}
    return {
        "title": f"{workflow} run",
        "type": "object",
        "additionalProperties": False,
        "properties": _resolved(properties, schema.get("$defs", {}), ()),
        "required": [name for name in schema["required"] if name in properties],
    }


def _resolved(value: Any, definitions: Mapping[str, Any], within: tuple[str, ...]) -> Any:
    """The value with what its references mean; what contains itself is anything there."""
    if isinstance(value, list):
        return [_resolved(each, definitions, within) for each in value]
    if not isinstance(value, dict):
        return value
    definitions = {**definitions, **value.get("$defs", {})}
    rest = {name: each for name, each in value.items() if name not in ("$defs", "$ref")}
    reference = value.get("$ref")
    if isinstance(reference, str):
        name = reference.rpartition("/")[2]
        named = {} if name in within else _resolved(definitions[name], definitions, (*within, name))
        return {**named, **_resolved(rest, definitions, within)}
    return {name: _resolved(each, definitions, within) for name, each in rest.items()}

"""The description of the API (OpenAPI 3.1), with what FastAPI does not say by itself."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute

from orchestrator.web.problems import MEDIA_TYPE, PROBLEMS

DESCRIPTION = (
    "Runs, decisions, batches and everything else of a Quorate installation; `quorate docs api` is the guide.\n\n"
    "Errors are problem details (RFC 9457) whose `code` is stable:\n\n"
    "| code | status | when |\n| --- | --- | --- |\n"
) + "".join(f"| `{kind.code}` | {kind.status} | {kind.when} |\n" for kind in PROBLEMS)


def operation_id(route: APIRoute) -> str:
    """What generated clients call an operation."""
    module = route.endpoint.__module__.rpartition(".")[2]
    return f"{module}_{route.name}".rstrip("_")


def describe(app: FastAPI) -> dict[str, Any]:
    """The description of an application; made once."""
    if app.openapi_schema is None:
        schema = FastAPI.openapi(app)
        for path in schema["paths"].values():
            for operation in path.values():
                _with_problems(operation)
        app.openapi_schema = schema
    return app.openapi_schema


def _with_problems(operation: dict[str, Any]) -> None:
    problem = operation["responses"]["default"]
    problem["content"] = {MEDIA_TYPE: next(iter(problem["content"].values()))}

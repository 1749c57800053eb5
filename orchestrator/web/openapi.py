"""The description of the API (OpenAPI 3.1), with what FastAPI does not say by itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute

from orchestrator.web import api
from orchestrator.web.identity import BEARER, Role, role_of
from orchestrator.web.problems import MEDIA_TYPE, PROBLEMS
from orchestrator.web.scoping import is_open

ROLE, PROJECTS = "x-quorate-role", "x-quorate-projects"
"""The role that an operation needs, and whether it is open to a token that sees some projects only."""
DESCRIPTION = (
    "Runs, decisions, batches and everything else of a Quorate installation; `quorate docs api` is the guide.\n\n"
    "Roles, from the lowest: "
    + ", ".join(f"`{role.value}`" for role in Role)
    + "; each may do what those before it may. "
    f"`{ROLE}` of an operation is the role that it needs, `{PROJECTS}` whether a token with projects may call it.\n\n"
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
        for path, route in described_routes():
            _with_role(path, route, schema["paths"][path])
        for path in schema["paths"].values():
            for operation in path.values():
                _with_problems(operation)
        app.openapi_schema = schema
    return app.openapi_schema


def described_routes() -> Iterator[tuple[str, APIRoute]]:
    """Every route of the API that is described, by its path; FastAPI's own list holds routers and not their routes."""
    for router in api.ROUTERS:
        for route in router.routes:
            if isinstance(route, APIRoute) and route.include_in_schema:
                yield f"{api.PREFIX}{route.path_format}", route


def _with_role(path: str, route: APIRoute, methods: dict[str, Any]) -> None:
    """Who may call it, as the route's own guard has it: for programs, for people, and as OpenAPI names roles."""
    role = role_of(route)
    assert role is not None, f"{path} needs no role"
    needs = f"Needs the role `{role.value}`" + (
        "." if role is Role.OPERATOR else " or one above it."
    )
    projects = is_open(path)
    closed = "" if projects else " Closed to tokens with projects."
    for method in route.methods or ():
        operation = methods[method.lower()]
        operation["description"] += f"\n\n{needs}{closed}"
        operation[ROLE], operation[PROJECTS] = role.value, projects
        operation["security"] = [{BEARER.scheme_name: [role.value]}]


def _with_problems(operation: dict[str, Any]) -> None:
    problem = operation["responses"]["default"]
    problem["content"] = {MEDIA_TYPE: next(iter(problem["content"].values()))}

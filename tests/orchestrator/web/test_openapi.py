"""What the description of the API says of roles and projects is what its guard does, operation by operation."""

from __future__ import annotations

import re
from typing import Any

import pytest
from starlette.testclient import TestClient

from orchestrator.application.api_tokens import add
from orchestrator.web.openapi import PROJECTS, ROLE
from shared.models.roles import Role
from tests.fixtures.web import WebService

pytestmark = pytest.mark.component

NOBODYS = frozenset({"/healthz", "/readyz"})


def operations(web: WebService) -> dict[tuple[str, str], dict[str, Any]]:
    """Everything that the description has, by method and path."""
    described = web.client(None).get("/api/v1/openapi.json").json()
    return {
        (method.upper(), path): operation
        for path, methods in described["paths"].items()
        for method, operation in methods.items()
    }


def refusal(client: TestClient, method: str, path: str) -> str:
    """Why the guard lets nobody in; empty where the handler was asked, whatever that made of it."""
    address = re.sub(r"\{[^}]+\}", "x", path)
    answer = client.request(method, address, json={} if method == "POST" else None)
    problem = answer.json() if "problem" in answer.headers.get("content-type", "") else {}
    if answer.status_code == 401:
        return "unknown"
    by_role = str(problem.get("detail", "")).startswith("this needs the role")
    return "role" if answer.status_code == 403 and by_role else ""


def test_each_operation_is_open_to_the_role_that_it_states_and_to_those_above(
    web: WebService,
) -> None:
    described = {key: each for key, each in operations(web).items() if key[1] not in NOBODYS}
    stranger = web.client(None)
    by_role = {role: web.client_as(role) for role in Role}

    assert len(described) > 50
    for (method, path), operation in described.items():
        assert refusal(stranger, method, path) == "unknown", (method, path)
        let_in = [role for role in Role if not refusal(by_role[role], method, path)]
        stated = Role(operation[ROLE])
        assert let_in == [role for role in Role if role.includes(stated)], (method, path)


def test_the_role_stands_in_the_words_and_in_the_security_of_each_operation(
    web: WebService,
) -> None:
    for (method, path), operation in operations(web).items():
        if path in NOBODYS:
            assert "security" not in operation
            assert ROLE not in operation
            continue
        assert f"Needs the role `{operation[ROLE]}`" in operation["description"], (method, path)
        assert operation["security"] == [{"token": [operation[ROLE]]}]


def test_each_operation_is_open_to_a_token_with_projects_as_it_states(web: WebService) -> None:
    limited = web.client(add(web.backend, "limited", Role.OPERATOR, None, ["mine"]))
    for (method, path), operation in operations(web).items():
        if path in NOBODYS:
            continue
        address = re.sub(r"\{[^}]+\}", "x", path)
        answer = limited.request(method, address, json={} if method == "POST" else None)
        closed = answer.status_code == 403 and "about the whole installation" in answer.text
        assert operation[PROJECTS] is not closed, (method, path)
        assert ("Closed to tokens with projects" in operation["description"]) is closed

"""The application as a whole: nobody forgot to say who may call what, and the schema is one."""

from fastapi.routing import APIRoute

from orchestrator.web.application import create_app
from orchestrator.web.identity import require
from shared.models.roles import Role
from tests.fixtures.web import WebService

PUBLIC = {"/healthz", "/readyz"}
CHECKS = {require(role) for role in Role}


def routes(web: WebService) -> list[APIRoute]:
    """Every route of the API."""
    app = create_app(web.context)
    return [route for route in app.routes if isinstance(route, APIRoute)]


def test_every_address_says_which_role_it_needs(web: WebService):
    for route in routes(web):
        if route.path.startswith("/api/"):
            calls = {dependency.call for dependency in route.dependant.dependencies}
            assert calls & CHECKS, f"{route.path} needs no role"
        else:
            assert route.path in PUBLIC or not route.include_in_schema


def test_the_schema_is_openapi_3_1_with_summaries(web: WebService):
    schema = web.client(None).get("/api/v1/openapi.json").json()
    assert schema["openapi"].startswith("3.1")
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            assert operation.get("summary"), f"{method} {path}"
            assert operation.get("description"), f"{method} {path}"


def test_roles_include_those_below_them():
    order = list(Role)
    for index, role in enumerate(order):
        assert [other for other in order if role.includes(other)] == order[: index + 1]

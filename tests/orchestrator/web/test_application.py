"""The application as a whole: nobody forgot to say who may call what, and the schema is one."""

from fastapi.routing import APIRoute

from orchestrator.web import api, health
from orchestrator.web.identity import role_of
from shared.models.roles import Role
from tests.fixtures.web import WebService

PUBLIC = {"/healthz", "/readyz"}


def test_every_address_says_which_role_it_needs():
    served = [route for router in api.ROUTERS for route in router.routes]
    assert len(served) > 50
    for route in served:
        assert isinstance(route, APIRoute)
        assert role_of(route) is not None, f"{route.path} needs no role"
    of_health = [route for route in health.router.routes if isinstance(route, APIRoute)]
    assert {route.path for route in of_health if role_of(route) is None} == PUBLIC


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

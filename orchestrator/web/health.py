"""Whether the service lives and can work, for load balancers, without a token; and, with one, its metrics."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field

from orchestrator.application.health import check_health
from orchestrator.application.metrics import CONTENT_TYPE, MetricsCollector
from orchestrator.web.context import Context
from orchestrator.web.identity import Viewer

router = APIRouter(tags=["health"])


class Liveness(BaseModel):
    """The service answers."""

    ok: bool


class ReadinessCheck(BaseModel):
    """Something that has to be the case for runs to go on."""

    name: str
    ok: bool
    why: str = Field(description="what is wrong; empty for what is as it has to be")


class Readiness(BaseModel):
    """Whether runs go on: the servers answer, the schema is current, and each kind of process is there."""

    ok: bool
    schema_revision: str | None = Field(serialization_alias="schema")
    processes: list[str] = Field(description="the kinds that show a sign of life")
    checks: list[ReadinessCheck]


@router.get("/healthz", summary="The service lives")
def healthz() -> Liveness:
    """Always `ok`; asks nothing of the servers."""
    return Liveness(ok=True)


@router.get("/readyz", summary="Runs go on", responses={503: {"model": Readiness}})
def readyz(context: Context, response: Response) -> Readiness:
    """503 while a server or a process is missing without which runs stand still."""
    backend = context.backend
    found = check_health(backend.settings, backend.database)
    response.status_code = 200 if found.ok else 503
    return Readiness(
        ok=found.ok,
        schema_revision=found.revision,
        processes=list(found.living),
        checks=[
            ReadinessCheck(name=check.name, ok=check.ok, why=check.why) for check in found.checks
        ],
    )


@router.get("/metrics", include_in_schema=False)
def metrics(request: Request, _reader: Viewer) -> Response:
    """The metrics of docs/operations.md, as text for Prometheus."""
    collector: MetricsCollector = request.app.state.metrics
    return Response(collector.exposition(), media_type=CONTENT_TYPE)

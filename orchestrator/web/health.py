"""Whether the service lives and can work: for load balancers, without a token."""

from __future__ import annotations

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field

from orchestrator.web.context import Context
from shared.store.processes import SILENCE_S, list_processes
from shared.store.views import schema_revision

NEEDED = frozenset({"orchestrator", "tools", "turns"})
router = APIRouter(tags=["health"])


class Health(BaseModel):
    """The service answers."""

    ok: bool


class Readiness(BaseModel):
    """Whether runs go on: the database answers, and each kind of process is there."""

    ok: bool
    schema_revision: str | None = Field(serialization_alias="schema")
    processes: list[str] = Field(description="the kinds that show a sign of life")


@router.get("/healthz", summary="The service lives")
def healthz() -> Health:
    """Always `ok`; asks nothing of the database."""
    return Health(ok=True)


@router.get("/readyz", summary="Runs go on", responses={503: {"model": Readiness}})
def readyz(context: Context, response: Response) -> Readiness:
    """503 while a process is missing without which runs stand still."""
    schema = context.backend.read(schema_revision)
    alive = {p.kind for p in context.backend.read(list_processes) if p.silent_s < SILENCE_S}
    ready = alive >= NEEDED
    response.status_code = 200 if ready else 503
    return Readiness(ok=ready, schema_revision=schema, processes=sorted(alive))

"""The installation: what was spent, presets, workflows, processes."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from orchestrator.application.brokers import paused_calls
from orchestrator.application.company import stored_status
from orchestrator.application.listings import spent
from orchestrator.settings.places import presets_folder
from orchestrator.settings.preset_files import load_preset, preset_names
from orchestrator.web.api import shapes
from orchestrator.web.api.replies import read_json
from orchestrator.web.context import Context
from orchestrator.web.identity import Viewer
from orchestrator.web.once import OnceRoute
from orchestrator.workflows import ROWS
from shared.build import this_build
from shared.errors import ConfigurationError
from shared.store.migrate import HEAD
from shared.store.spending import Grouping
from shared.store.views import schema_revision

router = APIRouter(route_class=OnceRoute)


@router.get(
    "/cost", summary="What was spent", tags=["installation"], response_model=shapes.CostShape
)
def cost(
    request: Request,
    context: Context,
    _: Viewer,
    by: Grouping = Grouping.PARTICIPANT,
    run: Annotated[str | None, Query(min_length=1, max_length=200)] = None,
    since_s: Annotated[float | None, Query(gt=0, le=1e10)] = None,
) -> Response:
    """By participant, provider, model, run, turn, day or batch; by run, turn or batch only the last seven days."""
    found = spent(context.backend, by, run=run, since_s=since_s)
    content = {
        "by": by.value,
        "run": found.run,
        "since_s": found.since_s,
        "spending": [asdict(row) for row in found.rows],
        "total": None if found.total is None else asdict(found.total),
    }
    return read_json(request, content)


@router.get(
    "/presets", summary="Presets", tags=["installation"], response_model=shapes.PresetsShape
)
def presets(request: Request, context: Context, _: Viewer) -> Response:
    """Ready-made casts with their limits: `options.preset` of a submission names one."""
    folder = presets_folder(context.environ)
    listed = []
    for name in preset_names(folder):
        try:
            preset = load_preset(name, folder)
        except ConfigurationError:
            continue  # `quorate config presets` says what is wrong with it
        described = {"workflow": preset.workflow, "description": preset.description}
        listed.append({"name": preset.name, **described})
    return read_json(request, {"presets": listed})


@router.get(
    "/workflows", summary="Workflows", tags=["installation"], response_model=shapes.WorkflowsShape
)
def workflows(request: Request, context: Context, _: Viewer) -> Response:  # noqa: ARG001 - as all
    """What can be submitted; /workflows/NAME/schema has the schema of a submission."""
    rows = [{"name": row.name, "summary": row.summary} for row in ROWS if row.summary]
    return read_json(request, {"workflows": rows})


@router.get("/status", summary="Status", tags=["installation"], response_model=shapes.StatusShape)
def status(request: Request, context: Context, _: Viewer) -> Response:
    """Processes with their presence, runs by status, what waits its turn, pauses, and the schema's version."""
    embedded = context.backend.settings.external is None
    pauses = paused_calls(context.backend.settings)
    content = {
        "version": str(this_build()),
        "schema": {"found": context.backend.read(schema_revision), "needed": HEAD},
        "paused": None if pauses is None else [asdict(pause) for pause in pauses],
        **context.backend.read(partial(stored_status, embedded=embedded)),
    }
    return read_json(request, content)

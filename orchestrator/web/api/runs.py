"""Runs: the list, one of them, and the answers to their decisions."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response

from orchestrator.application.listings import runs
from orchestrator.application.report import report_of
from orchestrator.presentation.formats.json import as_json
from orchestrator.presentation.json_rows import SCHEMA_VERSION, dumps, run_tree
from orchestrator.web.context import Context
from orchestrator.web.identity import Viewer

LISTED_RUNS = 200
router = APIRouter(prefix="/runs", tags=["runs"])


@router.get("", summary="The newest runs")
def list_(context: Context, _: Viewer) -> Response:
    """As `quorate list --json` prints them."""
    return _json({"runs": run_tree(runs(context.backend, limit=LISTED_RUNS))})


@router.get("/{run}", summary="A run")
def show(context: Context, run: str, _: Viewer) -> Response:
    """As `quorate show --json` prints it."""
    return _json(as_json(report_of(context.backend, run)))


def _json(content: dict[str, Any]) -> Response:
    whole = {"schema_version": SCHEMA_VERSION, **content}
    return Response(dumps(whole), media_type="application/json")

"""The code that a run is about: a symbol and its neighbours, by the graph that the run asked."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from orchestrator.presentation.run_pages.code_page import (
    candidates,
    graph_named,
    meant,
    neighbourhood,
    starting_points,
)
from orchestrator.web.context import Context
from orchestrator.web.pages.run import AskedRun

router = APIRouter()


@router.get("/runs/{run}/code")
def show_code(asked: AskedRun, context: Context, symbol: str = "", at: str = "") -> Response:
    """A symbol by its name, or the one around a place (`path:line`); without either, where to begin."""
    document = graph_named(asked.report)
    index = None if document is None else context.graphs.index(context.backend, document)
    if index is None:
        return asked.show("code.html", gone=document is not None, index=None, around=None)
    places = meant(index, symbol, at)
    return asked.show(
        "code.html",
        index=index,
        wanted=symbol or at,
        around=neighbourhood(index, places[0]) if len(places) == 1 else None,
        choices=candidates(index, places) if len(places) > 1 else None,
        begin=starting_points(asked.report, index),
    )

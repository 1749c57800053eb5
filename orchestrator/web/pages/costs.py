"""What was spent: by day, participant, workflow, batch and model."""

from __future__ import annotations

from datetime import UTC
from typing import Annotated

from fastapi import APIRouter, Query, Request
from markupsafe import Markup
from starlette.responses import Response

from orchestrator.application.listings import spent
from orchestrator.presentation.formats.html import drawing
from orchestrator.presentation.run_pages.costs_page import AGES_D, BY, by, by_day, tiles
from orchestrator.presentation.run_pages.runs_page import DAY_S
from orchestrator.web.context import Context
from orchestrator.web.identity import Viewer
from orchestrator.web.pages.rendering import page, words_of
from shared.store.spending import Grouping

router = APIRouter()

COSTS = "/costs"


@router.get(COSTS)
def show_costs(
    request: Request,
    context: Context,
    _identity: Viewer,
    days: Annotated[int, Query(ge=1, le=366)] = 30,
) -> Response:
    """The last `days` days, today included."""
    words, today = words_of(request), context.now().astimezone(UTC).date()
    since_s = days * DAY_S
    daily = spent(context.backend, Grouping.DAY, run=None, since_s=since_s)
    others = {
        each: by(each, spent(context.backend, each, run=None, since_s=since_s).rows, words)
        for each in BY
    }
    return page(
        request,
        "costs.html",
        days=days,
        ages=AGES_D,
        tiles=tiles(daily.total, daily.rows, today, words),
        daily=Markup(drawing(by_day(daily.rows, days, today, words), words)),  # noqa: S704 - escaped there
        others={
            each.value: Markup(drawing(shown, words))  # noqa: S704 - escaped there
            for each, shown in others.items()
            if shown is not None
        },
    )

"""Two runs side by side."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from markupsafe import Markup
from starlette.responses import Response

from orchestrator.application.replay import compare_runs
from orchestrator.presentation.comparison import comparison_blocks
from orchestrator.presentation.formats.html import fragment
from orchestrator.web.context import Context
from orchestrator.web.identity import Viewer
from orchestrator.web.pages.rendering import page, words_of
from shared.errors import UserError

router = APIRouter()

COMPARE = "/compare"
Names = Annotated[list[str], Query(max_length=10)]


@router.get(COMPARE)
def compare(request: Request, context: Context, _identity: Viewer, run: Names) -> Response:
    """What differs between two runs. Raises UserError for another number of runs."""
    if len(run) != 2:
        raise UserError("choose two runs of the list to compare them")
    words = words_of(request)
    both = compare_runs(context.backend, *run)
    blocks = comparison_blocks(both.first, both.second, both.comparison, words)
    return page(
        request,
        "comparison.html",
        runs=[side.recording.run for side in (both.first, both.second)],
        compared=Markup(fragment(blocks, words)),  # noqa: S704 - escaped there
    )

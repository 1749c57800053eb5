"""The list of runs: searched and filtered by its address, page by page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from orchestrator.application.listings import page_of
from orchestrator.presentation.run_pages.runs_page import DAY_S, list_choices, run_lines
from orchestrator.web.context import Context
from orchestrator.web.identity import Role, Viewer
from orchestrator.web.pages.rendering import page, words_of
from shared.store.run_filter import RunFilter

router = APIRouter()

RUNS = "/runs"
LISTED = 50
Text = Annotated[str, Query(max_length=200)]
Days = Annotated[int | None, Query(ge=1, le=3650)]


@dataclass(frozen=True)
class ListedWhat:
    """What the list's address asks for; empty: anything."""

    q: Text = ""
    status: Text = ""
    workflow: Text = ""
    verdict: Text = ""
    repository: Text = ""
    batch: Text = ""
    days: Text = ""

    @property
    def wanted(self) -> RunFilter:
        """The same for the store."""
        days = int(self.days) if self.days.isdecimal() and len(self.days) <= 4 else None
        return RunFilter(
            words=self.q.strip() or None,
            status=self.status or None,
            workflow=self.workflow or None,
            verdict=self.verdict or None,
            repository=self.repository or None,
            batch=self.batch or None,
            since_s=None if days is None else days * DAY_S,
        )

    def address(self, **changes: str | None) -> str:
        """Where a list is that differs in this."""
        stated = {**self.__dict__, **changes}
        query = urlencode({name: value for name, value in stated.items() if value})
        return f"{RUNS}?{query}" if query else RUNS


Asked = Annotated[ListedWhat, Depends(ListedWhat)]


@router.get(RUNS)
def list_runs(
    request: Request, context: Context, identity: Viewer, asked: Asked, cursor: Text = ""
) -> Response:
    """The runs that are asked for, the newest first."""
    words = words_of(request)
    found = page_of(context.backend, asked.wanted, cursor=cursor or None, limit=LISTED)
    return page(
        request,
        "runs.html",
        asked=asked,
        narrowed=asked != ListedWhat(),
        lines=run_lines(found.rows, words),
        choices=list_choices(words),
        older=asked.address(cursor=found.cursor) if found.cursor else "",
        newest=asked.address() if cursor else "",
        may_submit=identity.may(Role.SUBMITTER),
    )

"""A token that sees some projects only: which routes it may use, and that a run is one of theirs.

What it may see is the store's answer: its handlers get a way to the store that finds, lists and counts nothing else
(`Backend.within`). A route that does not ask the store in this way is closed to such a token, and so is every route
that is added and not named here.
"""

from __future__ import annotations

from fastapi import Request

from orchestrator.web.context import Context
from orchestrator.web.identity import Identity
from orchestrator.web.problems import FORBIDDEN, RequestRefused
from shared.errors import UnknownRun
from shared.store.database import Connection
from shared.store.views import find_run

RUN = "run"
"""The parameter of a path that names a run. Every route with it is open, for runs of the token's projects."""
NAMES_NO_RUN = frozenset(
    {
        "/",
        "/enter",
        "/enter/{code}",
        "/healthz",
        "/preferences",
        "/presets",
        "/readyz",
        "/sign-in",
        "/sign-out",
        "/start",
        "/static/{name}",
        "/workflows",
        "/workflows/{workflow}/schema",
    }
)
"""Routes that tell of no run."""
_BATCH, _SCHEDULE = "/batches/{batch}", "/schedules/{name}"
ASKS_THE_STORE = frozenset(
    {
        *("/compare", "/cost", "/costs", "/decisions/bulk", "/participants", "/runs"),
        *("/inbox", "/inbox/answers", "/inbox/count", "/inbox/list"),
        *("/batches", "/batches/validate", _BATCH),
        *(f"{_BATCH}/{part}" for part in ("items", "report", "results", "state")),
        *(f"{_BATCH}/{action}" for action in ("cancel", "pause", "resume", "retry")),
        *("/schedules", "/schedules/pause", "/schedules/resume", "/schedules/run", _SCHEDULE),
        *(f"{_SCHEDULE}/{action}" for action in ("pause", "resume", "run")),
        *("/rows/batches", "/rows/decisions/bulk", "/rows/inbox", "/rows/runs", "/rows/spent"),
        *(f"/rows{_BATCH}{part}" for part in ("", "/cohort")),
        *(f"/rows{_BATCH}/{action}" for action in ("cancel", "pause", "resume", "retry")),
        *("/rows/schedules", f"/rows{_SCHEDULE}", f"/rows{_SCHEDULE}/run"),
    }
)
"""Routes about many runs, batches or schedules, which ask for them by the handler's own way to the store."""
OPEN = NAMES_NO_RUN | ASKS_THE_STORE


def within_projects(request: Request, context: Context) -> None:
    """The dependency of every route. Raises RequestRefused, or UnknownRun for a run that is not seen."""
    identity: Identity | None = getattr(request.state, "identity", None)
    if identity is None or identity.projects is None:
        return
    run = request.path_params.get(RUN)
    if run is not None:
        _require_seen(context, str(run))
    elif not is_open(request.scope["route"].path):
        raise RequestRefused(
            FORBIDDEN,
            f"{identity.actor} sees the runs of some projects only ({', '.join(identity.projects)}), and this is about "
            "the whole installation",
        )


def _require_seen(context: Context, run: str) -> None:
    """By its whole id: a beginning, or `last`, may mean another run to whoever sees more."""

    def look(connection: Connection) -> str:
        return find_run(connection, run).id

    if context.backend.read(look) != run:
        raise UnknownRun("there is no run {run!r}: name it by its whole id", run=run)


def is_open(path: str) -> bool:
    """Whether a token with projects may use a route, whose path is given as its router declares it."""
    return f"{{{RUN}}}" in path or (path.removeprefix("/api/v1") or "/") in OPEN

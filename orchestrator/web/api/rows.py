"""The same as the other resources, whole and in the store's own shapes: for `quorate --server` of the same version."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field, field_validator

from orchestrator.application.archive import Events
from orchestrator.application.asked_steps import asked_step
from orchestrator.application.decide import BulkAnswer
from orchestrator.application.installation import StoredInstallation
from orchestrator.application.listings import Inbox, Spent, WaitingFilter
from orchestrator.application.outgoing import SINCE
from orchestrator.application.preflight import Foretold
from orchestrator.application.remote_submission import foretell_stated
from orchestrator.application.rows_text import AskedStep, Pulse, Submitted, rows_text
from orchestrator.presentation.listings import RunList
from orchestrator.presentation.report import RunReport
from orchestrator.web.api.bodies import Body, Key, RunName
from orchestrator.web.api.decisions import BulkBody, answer_all
from orchestrator.web.api.runs import Word
from orchestrator.web.api.submissions import RunBody, submitted_of
from orchestrator.web.context import Context
from orchestrator.web.identity import Decider, Submitter, Viewer
from orchestrator.web.once import OnceRoute
from shared.delivery.live import EXPECTED_S
from shared.models.outcomes import RunStatus
from shared.store.run_filter import RunFilter
from shared.store.spending import Grouping
from shared.store.views import find_run

router = APIRouter(prefix="/rows", include_in_schema=False, route_class=OnceRoute)
MOST = 10_000


def rows_json(kind: Any, value: Any) -> Response:
    """The value as another process of the same version reads it."""
    return Response(rows_text(kind, value), media_type="application/json")


class RowsQuery(Body):
    """Which runs are listed."""

    limit: int = Field(default=20, ge=1, le=MOST)
    status: RunStatus | None = None
    workflow: Word | None = None
    repository: Word | None = None
    batch: Word | None = None
    pipeline: Word | None = None
    line: Word | None = None
    since_s: float | None = Field(default=None, gt=0, le=1e10)


@router.get("/runs")
def list_(context: Context, _: Viewer, query: Annotated[RowsQuery, Query()]) -> Response:
    """A list with the runs that the listed ones started."""
    wanted = RunFilter(**query.model_dump(exclude={"limit"}))
    return rows_json(RunList, StoredInstallation(context.backend).listed(query.limit, wanted))


class SentRunBody(RunBody):
    """A run as another command sends it; `continues` are the labels by which it finds the run again."""

    continues: dict[str, Word] = Field(default_factory=dict)
    watched_for_s: int = Field(default=0, ge=0, le=EXPECTED_S)

    @field_validator("continues")
    @classmethod
    def _only_those(cls, stated: dict[str, str]) -> dict[str, str]:
        if unknown := stated.keys() - {*SINCE}:
            raise ValueError(f"no label of a submission: {', '.join(sorted(unknown))}")
        return stated


@router.post("/runs")
def submit(request: Request, context: Context, body: SentRunBody, identity: Submitter) -> Response:
    """As POST /runs; where nobody has to be asked, the whole result."""
    run = RunBody.model_validate(body.model_dump(exclude={"continues", "watched_for_s"}))
    sent = (body.continues, body.watched_for_s)
    return rows_json(Submitted, submitted_of(request, context, run, identity, sent))


class WatchedBody(Body):
    """For how long somebody is going to watch."""

    life_s: int = Field(ge=1, le=EXPECTED_S)


@router.post("/runs/{run}/watched")
def watched(context: Context, run: RunName, body: WatchedBody, _: Viewer) -> Response:
    """Somebody is going to watch: what begins meanwhile streams."""
    name = context.backend.read(lambda connection: find_run(connection, run)).id
    StoredInstallation(context.backend).announce(name, body.life_s)
    return rows_json(str, name)


@router.post("/runs/estimate")
def estimate(context: Context, body: RunBody, _: Submitter) -> Response:
    """As POST /runs/estimate, with the cast."""
    stated = body.model_dump(mode="json")
    return rows_json(Foretold, foretell_stated(stated, context.reach, context.environ))


@router.get("/runs/{run}")
def report(context: Context, run: RunName, _: Viewer) -> Response:
    """A run with everything that is known about it."""
    return rows_json(RunReport, StoredInstallation(context.backend).report(run))


@router.get("/runs/{run}/pulse")
def pulse(context: Context, run: RunName, _: Viewer) -> Response:
    """A run as it stands, for whoever follows it."""
    installation = StoredInstallation(context.backend)
    name = context.backend.read(lambda connection: find_run(connection, run)).id
    heartbeat = installation.heartbeat(name)
    return rows_json(Pulse, Pulse(heartbeat, installation.snapshot(name, heartbeat)))


@router.get("/runs/{run}/events")
def events(context: Context, run: RunName, _: Viewer) -> Response:
    """A run's log."""
    name = context.backend.read(lambda connection: find_run(connection, run)).id
    return rows_json(Events, StoredInstallation(context.backend).events(name))


@router.get("/runs/{run}/steps/{step:path}")
def asked(context: Context, run: RunName, step: Key, _: Viewer) -> Response:
    """What a step was asked, with the documents that its prompt is made of."""
    name = context.backend.read(lambda connection: find_run(connection, run)).id
    return rows_json(AskedStep, asked_step(StoredInstallation(context.backend).asked(name, step)))


@router.get("/spent")
def spent(
    context: Context,
    _: Viewer,
    by: Grouping = Grouping.PARTICIPANT,
    run: Word | None = None,
    since_s: Annotated[float | None, Query(gt=0, le=1e10)] = None,
) -> Response:
    """What calls used."""
    lists = StoredInstallation(context.backend)
    return rows_json(Spent, lists.spent(by, run=run, since_s=since_s))


@router.post("/decisions/bulk")
def bulk(context: Context, body: BulkBody, identity: Decider) -> Response:
    """As POST /decisions/bulk, with the decisions as they are stored."""
    return rows_json(BulkAnswer, answer_all(context, body, identity))


@router.get("/inbox")
def inbox(
    context: Context, _: Viewer, repository: Word | None = None, batch: Word | None = None
) -> Response:
    """What waits for a person."""
    wanted = WaitingFilter(repository, batch)
    return rows_json(Inbox, StoredInstallation(context.backend).inbox(wanted))

"""Start runs: a workflow about what is sent along, a fork, an undoing; and look at other rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import ConfigDict, Field, JsonValue

from orchestrator.application import lifecycle
from orchestrator.application.batch_input import SUBMITTED, item_schema
from orchestrator.application.fork import ForkRequest, plan_run_fork, submit_fork
from orchestrator.application.notice_listener import NoticeList
from orchestrator.application.preflight import Foretold
from orchestrator.application.remote_requests import plain_names
from orchestrator.application.remote_submission import foretell_stated, submit_stated
from orchestrator.application.replay import ReplayRequest, compare_runs, replay
from orchestrator.application.rows_text import Submitted
from orchestrator.application.undoing import submit_undo
from orchestrator.presentation.comparison import comparison_json
from orchestrator.presentation.formats.json import as_json
from orchestrator.presentation.money import foreseen_json
from orchestrator.presentation.whatif_json import check_json, what_if_json
from orchestrator.web.api import shapes
from orchestrator.web.api.bodies import Body, Name, RunName, Text
from orchestrator.web.api.replies import done_json, read_json
from orchestrator.web.api.schemas import one_of_each
from orchestrator.web.context import Context, WebContext
from orchestrator.web.identity import Decider, Identity, Submitter, Viewer
from orchestrator.web.once import HEADER, OnceRoute
from shared.errors import NotAllowed, UserError

router = APIRouter(prefix="/runs", tags=["runs"], route_class=OnceRoute)
Rules = Annotated[list[str] | None, Query(description="NAME=VALUE, as in `agreement=0.6`")]
NOT_WATCHED: tuple[Mapping[str, str], int] = ({}, 0)
EXAMPLES: list[JsonValue] = [
    {"workflow": "ask", "input": {"text": "Is a monolith right for three people?"}},
    {
        "workflow": "review",
        "input": {
            "files": {"shop.py": "total = price * 2\n"},
            "after": {"shop.py": "total = eval(price)\n"},
        },
        "options": {"fail_on": "major"},
        "participants": ["ruff"],
    },
]


class RunBody(Body):
    """A run as it is wanted: `input` is about what, by the workflow; `options` are its settings.

    It is the line of a batch without `custom_id`. Nothing in it names commands, addresses or keys, limits are lowered
    and never raised, and files are named only below folders that the operator opened.
    """

    model_config = ConfigDict(json_schema_extra={"examples": EXAMPLES})

    workflow: Text = Field(examples=["review"])
    input: dict[str, JsonValue]
    options: dict[str, JsonValue] = Field(default_factory=dict)
    participants: tuple[Text, ...] = Field(
        default=(), max_length=20, description="names; empty: whoever takes part by default"
    )
    models: tuple[Text, ...] = Field(default=(), max_length=20)
    parts: dict[str, Text] = Field(default_factory=dict, description="who has which part, by name")


class ForkBody(Body):
    """Where a run is left, and what is different from there on."""

    at: Text = Field(
        description="a step's key, round:N, a stage or `decision`", examples=["round:2"]
    )
    rules: dict[str, Text] = Field(default_factory=dict, examples=[{"rounds": "5"}])
    participants: tuple[Text, ...] = Field(default=(), max_length=20)
    max_cost_usd: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    max_calls: int | None = Field(default=None, ge=0, le=2**31 - 1)
    reuse: bool = False


@router.post(
    "",
    summary="Submit a run",
    status_code=201,
    response_model=shapes.SubmittedShape,
    openapi_extra={"requestBody": {"content": {"application/json": one_of_each(SUBMITTED)}}},
    responses={200: {"model": shapes.RunShape, "description": "nobody had to be asked"}},
)
def submit(request: Request, context: Context, body: RunBody, identity: Submitter) -> Response:
    """Captures what is sent along and queues the run; durable when this answers.

    201 with its id and `Location`; 200 with a result and no id where no line of a change has to be read by anybody.
    Decisions wait for a person. What a person at the terminal may ask for and this may not is 403.
    """
    submitted = submitted_of(request, context, body, identity)
    if submitted.report is not None:
        return done_json(as_json(submitted.report))
    return _started(request, str(submitted.run))


def submitted_of(
    request: Request,
    context: WebContext,
    body: RunBody,
    identity: Identity,
    sent: tuple[Mapping[str, str], int] = NOT_WATCHED,
) -> Submitted:
    """The run that is submitted, or the result of a change that nobody has to be asked about. Raises UserError.

    `sent` are labels of whoever submits it, and for how long they are going to watch.
    """
    continues, watched_for_s = sent
    return submit_stated(
        context.backend,
        body.model_dump(mode="json"),
        context.reach,
        context.environ,
        projects=identity.projects,
        key=_durable_key(request, identity),
        continues=continues,
        watched_for_s=watched_for_s,
    )


def _durable_key(request: Request, identity: Identity) -> str | None:
    """The key in the run's own row, which holds where this process dies between the run and its answer."""
    key = request.headers.get(HEADER)
    return None if key is None else f"api:{identity.holder}:{key}"


def _started(request: Request, run: str, **more: Any) -> Response:
    prefix = request.url.path.partition("/runs")[0]
    content = {"run": {"id": run}, **more}
    return done_json(content, status=201, location=f"{prefix}/runs/{run}")


@router.post(
    "/estimate",
    summary="What a run would take",
    response_model=shapes.EstimateShape,
    openapi_extra={"requestBody": {"content": {"application/json": one_of_each(SUBMITTED)}}},
)
def estimate(context: Context, body: RunBody, _: Submitter) -> Response:
    """The expected calls, tokens and cost of a submission, and what stands in its way. Nothing is stored or started.

    `estimate` is null where nobody can say, or where nobody has to be asked at all: then `nothing_to_ask` is true.
    """
    foretold = foretell_stated(body.model_dump(mode="json"), context.reach, context.environ)
    return done_json(foretold_json(foretold))


def foretold_json(foretold: Foretold) -> dict[str, Any]:
    """What would come of a submission."""
    seen = foretold.foreseen
    if seen is None:
        report = foretold.report
        assert report is not None  # one of the two
        content = foreseen_json(None, report.spec, None, ())
    else:
        content = foreseen_json(seen.estimate, seen.spec, seen.instead, seen.obstacles)
    return {**content, "title": foretold.title, "nothing_to_ask": seen is None}


@router.post("/{run}/cancel", summary="End a run", response_model=shapes.RunIdShape)
def cancel(context: Context, run: RunName, identity: Submitter) -> Response:
    """No further step starts. Again changes nothing; a run that has ended otherwise is 422."""
    return done_json({"run": {"id": lifecycle.cancel(context.backend, run, identity.actor)}})


@router.post("/{run}/resume", summary="Try a blocked run again", response_model=shapes.RunIdShape)
def resume(context: Context, run: RunName, _: Submitter) -> Response:
    """Once what blocked it is mended; a run that is not blocked is 422."""
    return done_json({"run": {"id": lifecycle.resume(context.backend, run)}})


@router.post(
    "/{run}/fork",
    summary="Continue a run another way",
    status_code=201,
    response_model=shapes.SubmittedShape,
)
def fork(
    request: Request, context: Context, run: RunName, body: ForkBody, identity: Submitter
) -> Response:
    """A new run that begins with a copy of what was recorded before a step; nothing is asked or paid for again.

    `reuse` takes answers of any run of the installation: it is closed to a token with projects (403).
    """
    if body.reuse and identity.projects is not None:
        raise NotAllowed("reuse: answers of other projects' runs are not for a token with projects")
    planned = plan_run_fork(context.backend, _fork_request(context, run, body), NoticeList())
    return _started(request, submit_fork(context.backend, planned, NoticeList()))


def _fork_request(context: WebContext, run: str, body: ForkBody) -> ForkRequest:
    for name in body.participants:
        plain_names([name.rpartition("=")[2]])
    return ForkRequest(
        run=run,
        at=body.at,
        directory=context.reach.directory,
        rules=body.rules,
        participants=body.participants,
        max_cost=body.max_cost_usd,
        max_calls=body.max_calls,
        reuse=body.reuse,
        config=context.reach.config,
    )


@router.post(
    "/{run}/undo",
    summary="Take back an applied fix",
    status_code=201,
    response_model=shapes.SubmittedShape,
)
def undo(request: Request, context: Context, run: RunName, _: Decider) -> Response:
    """A run that takes back what was applied last; a run that applied nothing is 422."""
    return _started(request, submit_undo(context.backend, run))


@router.get("/{run}/replay", summary="A run under other rules", response_model=shapes.Versioned)
def replayed(
    request: Request,
    context: Context,
    run: RunName,
    _: Viewer,
    rule: Rules = None,
    sweep: Annotated[
        list[str] | None, Query(description="NAME=START:STOP:STEP or NAME=A,B")
    ] = None,
) -> Response:
    """What it would have come to, from its stored turns; nobody is asked.

    Without rules: whether everything is computed as it is stored.
    """
    named = dict(_pair(text) for text in rule or ())
    result = replay(context.backend, ReplayRequest(run, named, (), tuple(sweep or ())))
    row = result.recording.run
    if result.checked is not None:
        return read_json(request, check_json(row, result.checked, result.remark))
    assert result.what_if is not None
    return read_json(request, what_if_json(row, result.what_if, result.remark))


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UserError("rule {text!r}: expected NAME=VALUE, as in agreement=0.6", text=text)
    return name, value


@router.get("/{run}/diff", summary="What differs between two runs", response_model=shapes.Versioned)
def diff(
    request: Request,
    context: Context,
    run: RunName,
    _: Viewer,
    other: Annotated[str, Query(alias="with", min_length=1, max_length=200)] = "last",
) -> Response:
    """Options, rounds, findings, verdict and cost; the same defect in both is one row."""
    both = compare_runs(context.backend, run, other)
    return read_json(request, comparison_json(both.first, both.second, both.comparison))


workflows = APIRouter(prefix="/workflows", tags=["workflows"])


@workflows.get("/{workflow}/schema", summary="The schema of a submission", response_model=dict)
def schema(request: Request, workflow: Name, _: Viewer) -> Response:
    """The JSON schema of a line of a batch; without `custom_id` it is the body of a submission."""
    return read_json(request, item_schema(workflow))

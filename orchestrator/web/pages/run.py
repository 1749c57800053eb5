"""A run: where it stands, what was said, and what can be done about it; followed while it goes on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from orchestrator.application.lifecycle import cancel
from orchestrator.application.report import report_of
from orchestrator.application.run_details import events_of
from orchestrator.core.formats import FORMATS, OutputFormat, format_named
from orchestrator.presentation.formats.html import drawing, fragment
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.report import RunReport
from orchestrator.presentation.run_pages.lanes import timeline
from orchestrator.presentation.run_pages.run_page import RunPageView
from orchestrator.web.context import Context, WebContext
from orchestrator.web.identity import Identity, Role, Submitter, Viewer
from orchestrator.web.pages.documents import PickBoxes, document_parts
from orchestrator.web.pages.rendering import page, words_of
from orchestrator.web.watching import OpenRuns, run_events
from shared.errors import UnknownRun
from shared.store.views import find_run

router = APIRouter()


@dataclass(frozen=True)
class _AskedRun:
    """The run of a page, and how it is shown to whoever asks."""

    request: Request
    identity: Identity
    report: RunReport
    words: Translator

    @property
    def id(self) -> str:
        """Its id."""
        return self.report.run.id

    def show(self, template: str, **shown: Any) -> Response:
        """A page about it."""
        return page(self.request, template, shown=RunPageView(self.report, self.words), **shown)

    def now(self, template: str) -> Response:
        """All of it, as it is now."""
        view = RunPageView(self.report, self.words)
        far, decision = view.convergence, self.report.open_decision
        history = drawing(far.history, self.words) if far and far.history else ""
        cards = PickBoxes(self.words, code=view.code)
        result = fragment(view.result, self.words, cards.renderers) if view.result else ""
        answer = page(
            self.request,
            template,
            shown=view,
            formats=FORMATS,
            may_submit=self.identity.may(Role.SUBMITTER),
            decision_path=f"/runs/{self.id}/decisions/{decision.key}" if decision else "",
            result=Markup(result),  # noqa: S704 - escaped there
            history=Markup(history),  # noqa: S704 - escaped there
            course=document_parts(view.course, self.words, cards),
        )
        answer.headers["x-run-over"] = "yes" if self.report.run.status.final else "no"
        return answer


def _asked(request: Request, context: Context, identity: Viewer, run: str) -> _AskedRun:
    return _AskedRun(request, identity, report_of(context.backend, run), words_of(request))


AskedRun = Annotated[_AskedRun, Depends(_asked)]


@router.get("/runs/{run}")
def show_run(asked: AskedRun, run: str) -> Response:
    """The run; under its whole id, so that a link to it stays right."""
    if run != asked.id:
        return RedirectResponse(f"/runs/{asked.id}", status_code=307)
    return asked.now("run.html")


@router.get("/runs/{run}/now")
def show_now(asked: AskedRun) -> Response:
    """The parts of the page, for one that is open."""
    return asked.now("run_now.html")


@router.get("/runs/{run}/events")
async def follow(request: Request, context: Context, _identity: Viewer, run: str) -> Response:
    """Server-sent events for a page that is open."""
    opened: OpenRuns = request.app.state.open_runs
    return run_events(opened, await run_in_threadpool(_id_of, context, run))


@router.get("/runs/{run}/rounds/{part}")
def show_round(asked: AskedRun, part: str) -> Response:
    """A round of a long run by itself. Raises UnknownRun for one that is not there."""
    rounds = RunPageView(asked.report, asked.words).rounds
    found = next((each for each in rounds if each.id == part), None)
    if found is None:
        raise UnknownRun("run {run} has no such round", run=asked.id)
    return asked.show("run_round.html", part=found)


@router.get("/runs/{run}/timeline")
def show_timeline(asked: AskedRun) -> Response:
    """Who did what when."""
    lanes = timeline(asked.report, asked.words)
    drawn = "" if lanes is None else Markup(drawing(lanes, asked.words))  # noqa: S704 - escaped there
    return asked.show("run_timeline.html", timeline=drawn)


@router.get("/runs/{run}/log")
def show_log(asked: AskedRun, context: Context) -> Response:
    """Its event log."""
    return asked.show("run_log.html", events=events_of(context.backend, asked.id))


@router.get("/runs/{run}/export/{name}")
def export(asked: AskedRun, name: str) -> Response:
    """The whole run in a format of the registry, as a file. Raises UserError for one that is not there."""
    wanted = format_named(name)
    text = wanted.render(asked.report, asked.words)
    file = f'attachment; filename="quorate-{asked.id}{_suffix(wanted)}"'
    return Response(
        text,
        media_type=f"{wanted.media_type}; charset=utf-8",
        headers={"Content-Disposition": file},
    )


def _suffix(wanted: OutputFormat) -> str:
    return wanted.suffixes[0] if wanted.suffixes else f".{wanted.name}.txt"


@router.post("/runs/{run}/cancel")
def cancel_run(context: Context, identity: Submitter, run: str) -> Response:
    """End it."""
    name = _id_of(context, run)
    cancel(context.backend, name, identity.actor)
    return RedirectResponse(f"/runs/{name}", status_code=303)


def _id_of(context: WebContext, run: str) -> str:
    return context.backend.read(lambda connection: find_run(connection, run)).id

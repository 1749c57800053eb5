"""Start a run: what it is about, who takes part, how, and what it may cost."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from markupsafe import Markup
from pydantic import BaseModel, Field, JsonValue
from starlette.responses import RedirectResponse, Response

from orchestrator.application.batch_input import SUBMITTED, known_options, own_options
from orchestrator.application.participants import list_participants
from orchestrator.application.remote_requests import is_open
from orchestrator.application.remote_submission import submit_stated
from orchestrator.presentation.formats.html import fragment
from orchestrator.presentation.locale.catalogue import help_texts
from orchestrator.presentation.report import RunReport
from orchestrator.presentation.run_pages.run_page import RunPageView
from orchestrator.settings.places import presets_folder
from orchestrator.settings.preset_files import load_preset, preset_names
from orchestrator.web.context import Context, WebContext
from orchestrator.web.identity import Submitter
from orchestrator.web.pages.rendering import Preferences, page, words_of
from orchestrator.web.problems import refusal_of
from orchestrator.workflows import ROWS
from orchestrator.workflows.descriptor import SubjectKind
from orchestrator.workflows.registry import WORKFLOWS
from shared.errors import ConfigurationError, UserError

router = APIRouter()

START = "/start"
WATCHED_S = 10
"""How long a run streams before its page is open."""
PRESET, STRATEGY, COST = "preset", "strategy", "budget.per_run_usd"
STARTED = tuple(
    name
    for name in SUBMITTED
    if WORKFLOWS[name].subject in (SubjectKind.QUESTION, SubjectKind.CHANGE)
)
"""The workflows that need nothing but a text: a question, or a change as a diff."""


class StartForm(BaseModel):
    """What the page sends. `once` is drawn with the form: sent twice it starts one run."""

    workflow: str = Field(max_length=100)
    once: str = Field(pattern=r"^[\w-]{16,64}$")
    text: str = ""
    participant: list[str] = Field(default=[], max_length=100)
    preset: str = ""
    strategy: str = ""
    max_cost: str = ""

    @property
    def stated(self) -> dict[str, JsonValue]:
        """The same as a line of a batch is stated. Raises UserError."""
        text = self.text.replace("\r\n", "\n")
        options: dict[str, JsonValue] = {}
        if self.preset:
            options[PRESET] = self.preset
        if self.strategy:
            options[STRATEGY] = self.strategy
        if self.max_cost.strip():
            options[COST] = _dollars(self.max_cost)
        return {
            "workflow": self.workflow,
            "input": {"diff": text} if is_about_a_change(self.workflow) else {"text": text},
            "options": options,
            "participants": [*self.participant],
        }


def _dollars(text: str) -> float:
    try:
        amount = float(text)
    except ValueError:
        amount = -1.0
    if not 0 <= amount < float("inf"):
        raise UserError("{text!r} is no amount of dollars", text=text)
    return amount


def is_about_a_change(workflow: str) -> bool:
    """Whether it takes a diff instead of a question."""
    return workflow in WORKFLOWS and WORKFLOWS[workflow].subject is SubjectKind.CHANGE


@dataclass(frozen=True)
class OfferedStart:
    """What the form offers: names with a word about each; flagged participants take part where none is chosen."""

    workflows: tuple[tuple[str, str], ...]
    presets: tuple[tuple[str, str], ...]
    strategies: tuple[str, ...]
    people: tuple[tuple[str, bool], ...]


def _offered(context: WebContext, workflow: str, language: str) -> OfferedStart:
    texts = help_texts(language)
    summaries = {row.name: texts.get(row.summary, row.summary) for row in ROWS}
    reach = context.reach
    listing = list_participants((), reach.config, context.environ, reach.directory)
    everybody = [(each, True) for each in listing.cast.everybody.values()]
    everybody += [(each, False) for each, _ in listing.others]
    analyse = is_about_a_change(workflow)
    return OfferedStart(
        tuple((name, summaries[name]) for name in STARTED),
        tuple(_presets(context, workflow)),
        _strategies(workflow),
        tuple((each.name, own) for each, own in everybody if analyse or not each.rule_based),
    )


def _presets(context: WebContext, workflow: str) -> list[tuple[str, str]]:
    folder, found = presets_folder(context.environ), []
    for name in preset_names(folder):
        try:
            preset = load_preset(name, folder)
        except ConfigurationError:
            continue  # `quorate config presets` says what is wrong with it
        if preset.serves(workflow):
            found.append((preset.name, preset.description))
    return found


def _strategies(workflow: str) -> tuple[str, ...]:
    if STRATEGY not in own_options(workflow) or not is_open(workflow, STRATEGY):
        return ()
    return tuple(known_options(workflow)[STRATEGY].values.json_schema().get("enum", ()))


@router.get(START)
def show_start(
    request: Request,
    context: Context,
    _identity: Submitter,
    workflow: Annotated[str, Query(max_length=100)] = STARTED[0],
) -> Response:
    """The form, empty."""
    chosen = workflow if workflow in STARTED else STARTED[0]
    form = StartForm(workflow=chosen, once=secrets.token_urlsafe(24))
    return _shown(request, context, form)


@router.post(START)
def start(
    request: Request, context: Context, identity: Submitter, form: Annotated[StartForm, Form()]
) -> Response:
    """Begin the run; what cannot be begun is told at the form, with all that was typed."""
    if form.workflow not in STARTED:
        raise UserError(
            "a run of {workflow!r} cannot be started from this page", workflow=form.workflow
        )
    try:
        submitted = submit_stated(
            context.backend,
            form.stated,
            context.reach,
            context.environ,
            projects=identity.projects,
            key=f"page:{identity.holder}:{form.once}",
            watched_for_s=WATCHED_S,
        )
    except UserError as fault:
        return _shown(request, context, form, refused=fault)
    if submitted.report is not None:
        return _shown(request, context, form, settled=submitted.report)
    return RedirectResponse(f"/runs/{submitted.run}", status_code=303)


def _shown(
    request: Request,
    context: WebContext,
    form: StartForm,
    *,
    refused: UserError | None = None,
    settled: RunReport | None = None,
) -> Response:
    words = words_of(request)
    view = None if settled is None else RunPageView(settled, words)
    return page(
        request,
        "start.html",
        status=200 if refused is None else refusal_of(refused).kind.status,
        form=form,
        offered=_offered(context, form.workflow, Preferences.of(request).language),
        is_change=is_about_a_change(form.workflow),
        refused="" if refused is None else str(refused),
        settled=Markup(fragment(view.result, words)) if view and view.result else "",  # noqa: S704 - escaped there
    )

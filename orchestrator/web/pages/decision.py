"""A decision: everything that it is about, and the answer, which is bound to exactly what was shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Form, Request
from pydantic import BaseModel, Field
from starlette.responses import RedirectResponse, Response

from orchestrator.application.decide import DecisionRequest, decide
from orchestrator.application.report import report_of
from orchestrator.presentation.locale.translator import ENGLISH, Translator
from orchestrator.presentation.report import RunReport
from orchestrator.presentation.run_pages.fork_page import fork_points
from orchestrator.web.api.bodies import Text
from orchestrator.web.context import Context
from orchestrator.web.identity import Decider, Identity, Role, Viewer
from orchestrator.web.pages.decision_view import GivenAnswer, decision_view, label_of
from orchestrator.web.pages.inbox import LONGEST_MESSAGE
from orchestrator.web.pages.inbox_view import INBOX, decision_address
from orchestrator.web.pages.rendering import moment, page, words_of
from orchestrator.workflows.registry import picking_words
from shared.errors import DecisionConflict, UnknownRun, UserError
from shared.models.decision import DecisionState
from shared.models.rows import DecisionRow

router = APIRouter()


class AnswerForm(BaseModel):
    """What the page sends: an answer to what was shown. `picking`: there are boxes, and `only` has the checked ones."""

    choice: Text
    shown_sha256: str = Field(pattern="^[0-9a-f]{64}$")
    message: Text = Field(default="", max_length=LONGEST_MESSAGE)
    picking: bool = False
    only: list[Text] = Field(default=[], max_length=1_000)

    @property
    def comment(self) -> str:
        """The message; browsers end its lines with CR LF."""
        return self.message.replace("\r\n", "\n")


@dataclass(frozen=True)
class RefusedAnswer:
    """An answer that was not recorded, so that its words are not lost."""

    status: int
    reason: str
    choice: str
    message: str
    picked: tuple[str, ...] | None


CONFLICT = 409
PATH = "/runs/{run}/decisions/{key:path}"


@router.get("/runs/{run}/decisions/{key:path}/state")
def show_state(
    request: Request, context: Context, _identity: Viewer, run: str, key: str
) -> Response:
    """What became of a decision, for a page on which it is still open: nothing while it is."""
    decision = _decision(report_of(context.backend, run), key)
    if decision.state is DecisionState.OPEN:
        return Response(status_code=204)
    given = GivenAnswer.of(decision, words_of(request))
    return page(
        request,
        "decision_state.html",
        decision=decision,
        given=given,
        address=decision_address(decision.run_id, key),
    )


@router.get(PATH)
def show_decision(
    request: Request, context: Context, identity: Viewer, run: str, key: str
) -> Response:
    """The decision with all that it is about."""
    report = report_of(context.backend, run)
    return _shown(request, identity, report, _decision(report, key))


@router.post(PATH)
def answer_decision(
    request: Request,
    context: Context,
    identity: Decider,
    run: str,
    key: str,
    form: Annotated[AnswerForm, Form()],
) -> Response:
    """Record the answer; whoever comes second is told who decided what."""
    report = report_of(context.backend, run)
    decision = _decision(report, key)
    picked = tuple(form.only) if form.picking else None
    try:
        decide(
            context.backend,
            DecisionRequest(
                run=report.run.id,
                key=key,
                choice=form.choice,
                actor=identity.actor,
                channel=identity.channel,
                message=form.comment,
                only=_selection(form.choice, picked, decision),
                shown_sha256=form.shown_sha256,
            ),
        )
    except (DecisionConflict, UserError) as refused:
        again = RefusedAnswer(
            status=CONFLICT if isinstance(refused, DecisionConflict) else 422,
            reason=str(refused),
            choice=form.choice,
            message=form.comment,
            picked=picked,
        )
        report = report_of(context.backend, run)
        return _shown(request, identity, report, _decision(report, key), again)
    return RedirectResponse(decision_address(report.run.id, key), status_code=303)


def _selection(
    choice: str, picked: tuple[str, ...] | None, decision: DecisionRow
) -> tuple[str, ...] | None:
    """What was picked; None for everything, and for an answer that picks nothing."""
    selectable = decision.question.get("selectable") or ()
    if picked is None or choice not in picking_words() or set(picked) == set(selectable):
        return None
    return picked


def _decision(report: RunReport, key: str) -> DecisionRow:
    """The run's decision of that name. Raises UnknownRun."""
    found = next((row for row in report.decisions if row.key == key), None)
    if found is None:
        raise UnknownRun("run {run} has no decision {key!r}", run=report.run.id, key=key)
    return found


def _shown(
    request: Request,
    identity: Identity,
    report: RunReport,
    decision: DecisionRow,
    refused: RefusedAnswer | None = None,
) -> Response:
    words = words_of(request)
    picked = None if refused is None else refused.picked
    return page(
        request,
        "decision.html",
        status=200 if refused is None else refused.status,
        view=decision_view(report, decision, words, picked),
        run=report.run,
        strategy=report.strategy,
        usage=report.usage,
        address=decision_address(report.run.id, decision.key),
        belongs_to=INBOX,
        may_decide=identity.may(Role.DECIDER),
        again=_asking_again(report) if identity.may(Role.SUBMITTER) else "",
        conflict="" if refused is None else _why(refused, decision, words),
        wanted="" if refused is None else label_of(decision.kind, refused.choice, words),
        message="" if refused is None else refused.message,
    )


def _asking_again(report: RunReport) -> str:
    """Where the last round can be held once more, in a run of its own; empty where nobody discussed anything."""
    if not report.assessments or report.spec.panel.by_rules:
        return ""
    rounds = [point.at for point in fork_points(report, ENGLISH) if point.at.startswith("round:")]
    return f"/runs/{quote(report.run.id)}/fork?at={rounds[-1]}" if rounds else ""


def _why(refused: RefusedAnswer, decision: DecisionRow, words: Translator) -> str:
    """Why the answer was not recorded, in the reader's words where that is the usual reason."""
    given = GivenAnswer.of(decision, words)
    if refused.status != CONFLICT:
        return refused.reason
    if given is None:
        return words.message("web_shown_changed")
    when = "" if decision.answered_at is None else moment(decision.answered_at)
    return words.message(
        "web_decided_meanwhile",
        answer=given.label,
        who=given.actor,
        channel=given.channel,
        when=when,
    )

"""A request as it is sent to a service: what it is about is captured here and goes along as text.

What the configuration here keeps from being sent (`privacy.never_send`, binary files) stays here; whoever takes part,
limits and keys are the service's own. Typed settings go along, and the service says which of them it does not take.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import JsonValue

from orchestrator.application.capture import Captured, capture_subject, locate_change
from orchestrator.application.documents import DocumentCollector
from orchestrator.application.handed_reports import reports_of
from orchestrator.application.prepare import SubmissionRequest, configuration_of
from orchestrator.application.subject_input import StandardInput
from orchestrator.core.parts import split_names
from orchestrator.subjects.location import Located
from orchestrator.workflows.descriptor import SubjectKind
from orchestrator.workflows.registry import WORKFLOWS
from shared.errors import UserError
from shared.models.deliberation import Question
from shared.models.notices import Notice
from shared.models.subject import Subject
from shared.store.projects import REPOSITORY
from shared.store.run_filter import LINE, REVIEWED

SINCE = (LINE, REVIEWED)
SENT = (SubjectKind.CHANGE, SubjectKind.QUESTION)


@dataclass(frozen=True)
class OutgoingRequest:
    """What is sent; `nothing` says why a change has nothing in it that could be.

    `continues` are the labels by which `--since last-run` finds it again.
    """

    workflow: str
    stated: Mapping[str, Any]
    options: Mapping[str, JsonValue]
    participants: tuple[str, ...]
    models: tuple[str, ...]
    parts: Mapping[str, str]
    title: str
    continues: Mapping[str, str] = field(default_factory=dict)
    remarks: tuple[Notice, ...] = ()
    nothing: Notice | None = None

    @property
    def body(self) -> dict[str, Any]:
        """The body of a submission."""
        return {
            "workflow": self.workflow,
            "input": dict(self.stated),
            "options": dict(self.options),
            "participants": list(self.participants),
            "models": list(self.models),
            "parts": dict(self.parts),
        }


def outgoing(
    request: SubmissionRequest, environ: Mapping[str, str], stdin: StandardInput
) -> OutgoingRequest:
    """The request with its subject as text. Raises UserError for a subject that is not sent, or cannot be read."""
    described = WORKFLOWS[request.workflow]
    if described.subject not in SENT:
        raise UserError(
            "a {workflow} works on files of its own machine: run it there, without --server",
            workflow=request.workflow,
        )
    located = locate_change(request.subject, request.directory, environ)
    settings = configuration_of(request, environ, located).settings
    documents = DocumentCollector()
    captured = capture_subject(
        request.subject,
        request.directory,
        settings,
        documents.put,
        environ,
        located=located,
        stdin=stdin,
    )
    is_change = described.subject is SubjectKind.CHANGE
    read = _change if is_change else _question
    stated = read(captured, documents.gathered)
    if is_change and (name := captured.labels.get(REPOSITORY)):
        stated["repository_name"] = name
    stated |= _reports(request, located)
    empty = is_change and not stated["after"]
    return OutgoingRequest(
        workflow=request.workflow,
        stated=stated,
        options={**request.settings, **request.options, **_unattended(request)},
        participants=tuple(split_names(request.panel)),
        models=request.models,
        parts=dict(request.holders),
        continues={name: str(request.labels[name]) for name in SINCE if name in request.labels},
        title=captured.title,
        remarks=captured.notices,
        nothing=captured.nothing if empty else None,
    )


def _reports(request: SubmissionRequest, located: Located | None) -> dict[str, Any]:
    """The reports of linters that go along, where there are some."""
    reports = reports_of(request.subject, request.directory, located)
    texts = {report.name: _text(report.content) for report in reports}
    return {"reports": texts} if texts else {}


def _unattended(request: SubmissionRequest) -> Mapping[str, JsonValue]:
    decisions = WORKFLOWS[request.workflow].decisions
    if not request.unattended or not decisions or "decision.mode" in request.settings:
        return {}
    return {"decision.mode": decisions[0].on_timeout}


def _change(captured: Captured, documents: Mapping[str, bytes]) -> dict[str, Any]:
    """The files before and after; those whose text is kept here are left out."""
    subject = Subject.model_validate_json(documents[captured.document])
    before: dict[str, str] = {}
    after: dict[str, str | None] = {}
    for file in subject.files:
        if file.skipped is not None:
            continue
        if file.before is not None:
            before[file.old_path or file.path] = _text(documents[file.before])
        if file.after is not None:
            after[file.path] = _text(documents[file.after])
        if file.after is None or file.old_path not in (None, file.path):
            after[file.old_path or file.path] = None
    return {"files": before, "after": after}


def _question(captured: Captured, documents: Mapping[str, bytes]) -> dict[str, Any]:
    question = Question.model_validate_json(documents[captured.document])
    texts = {each.path: _text(documents[each.document]) for each in question.contexts}
    return {"text": question.text, "texts": texts}


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")

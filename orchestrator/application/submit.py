"""Submit a prepared run: store it, wake an orchestrator."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.application import preflight
from orchestrator.application.backend import Backend
from orchestrator.application.notice_listener import NoticeListener
from orchestrator.application.prepare import PreparedRun
from orchestrator.application.watch import announce_watcher
from orchestrator.application.worker_keys import hand_over_keys
from orchestrator.engine.advance import Engine
from orchestrator.workflows.registry import WORKFLOWS, workflow_of
from shared.allowed import Allowed
from shared.models.run import RunSpec


def submit_run(
    backend: Backend,
    prepared: PreparedRun,
    listener: NoticeListener,
    *,
    watched: bool = False,
    watched_for_s: int = 0,
) -> str:
    """Store the run and wake an orchestrator; the run's id. Durable when this returns.

    Raises UserError, before anything is stored, when a limit or a context keeps somebody from its first call.

    `watched`: somebody waits for the end. `watched_for_s`: so long somebody is thought to look on, and the first turns
    stream, too.
    """
    hand_over_keys(backend, prepared.panel, listener)
    version = WORKFLOWS[prepared.workflow].version
    spec = prepared.make_spec(workflow_version=version).model_copy(update={"watched": watched})
    for notice in preflight.check(spec, prepared.documents):
        listener.warn(notice)
    parts = workflow_of(spec).parts_of(spec)
    speakers = (spec.panel.author, spec.panel.chair, *(holder for _, holder in parts))
    Allowed.of(backend.settings.instance, backend.environ).allow_all(speakers)
    return store_run(backend, spec, prepared.title, prepared.documents, watched_for_s=watched_for_s)


def store_run(
    backend: Backend,
    spec: RunSpec,
    title: str,
    documents: Mapping[str, bytes],
    *,
    watched_for_s: int = 0,
) -> str:
    """Store a run of this specification and wake an orchestrator; its id. Allows workers nothing: submitting does."""
    run = Engine(backend.database).submit(spec, title, documents)
    announce_watcher(backend, run, watched_for_s)
    backend.signals.send(run)
    return run

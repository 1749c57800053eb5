"""Submit a prepared run: store it, wake an orchestrator."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.application import preflight
from orchestrator.application.acceptance import with_record
from orchestrator.application.backend import Backend
from orchestrator.application.notice_listener import NoticeListener, WarningKeeper
from orchestrator.application.prepare import PreparedRun
from orchestrator.application.watch import announce_watcher
from orchestrator.application.worker_keys import hand_over_keys
from orchestrator.engine.advance import Engine
from orchestrator.workflows.registry import WORKFLOWS, workflow_of
from shared.allowed import Allowed, suite_identity
from shared.models.notices import notice
from shared.models.run import RunSpec


def submit_run(
    backend: Backend,
    prepared: PreparedRun,
    listener: NoticeListener,
    *,
    watched: bool = False,
    watched_for_s: int = 0,
    idempotency_key: str | None = None,
    with_history: bool = True,
) -> str:
    """Store the run and wake an orchestrator; the run's id. Durable when this returns.

    Raises UserError, before anything is stored, when a limit or a context keeps somebody from its first call.

    `watched`: somebody waits for the end. `watched_for_s`: so long somebody is thought to look on, and the first turns
    stream, too. `idempotency_key`: the run that has it already is the one that is meant. `with_history`: the ranking
    weighs a vote by what people accepted of that participant before, where that is known well enough.
    """
    keeper = WarningKeeper(listener)
    hand_over_keys(backend, prepared.panel, keeper)
    spec = checked_spec(backend, prepared, keeper, with_history=with_history)
    spec = spec.model_copy(update={"watched": watched})
    allow_programs(backend, spec)
    return store_run(
        backend,
        spec,
        prepared.title,
        prepared.documents,
        watched_for_s=watched_for_s,
        idempotency_key=idempotency_key,
    )


def checked_spec(
    backend: Backend, prepared: PreparedRun, keeper: WarningKeeper, *, with_history: bool = True
) -> RunSpec:
    """What is stored of a prepared run, once limits and contexts allow it. Raises UserError; nothing is stored."""
    version = WORKFLOWS[prepared.workflow].version
    spec = prepared.make_spec(workflow_version=version)
    spec = with_record(backend, spec) if with_history else spec
    if spec.trusted:
        votes = tuple(f"{name} {weight:.2f}" for name, weight in spec.trusted.items())
        keeper.inform(notice("history_counts", votes=votes))
    for warning in preflight.check(spec, prepared.documents):
        keeper.warn(warning)
    spec = preflight.with_what_it_saves(spec, prepared.documents)
    return spec.model_copy(update={"cautions": (*prepared.cautions, *keeper.warned)})


def allow_programs(backend: Backend, spec: RunSpec) -> None:
    """Let the workers of this machine start what the run names: its participants' programs and its own commands."""
    parts = workflow_of(spec).parts_of(spec)
    speakers = (spec.panel.author, spec.panel.chair, *(holder for _, holder in parts))
    allowed = Allowed.of(backend.settings.instance, backend.environ)
    allowed.allow_all(speakers)
    for command in map(spec.options.get, WORKFLOWS[spec.workflow].commands):
        if isinstance(command, str):
            allowed.allow(suite_identity(command))


def store_run(
    backend: Backend,
    spec: RunSpec,
    title: str,
    documents: Mapping[str, bytes],
    *,
    watched_for_s: int = 0,
    idempotency_key: str | None = None,
) -> str:
    """Store a run of this specification and wake an orchestrator; its id. Allows workers nothing: submitting does."""
    run = Engine(backend.database).submit(spec, title, documents, idempotency_key=idempotency_key)
    announce_watcher(backend, run, watched_for_s)
    backend.wake(run)
    return run

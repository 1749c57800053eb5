"""A run that somebody starts over HTTP: by the API, or by the form of a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from orchestrator.application.backend import Backend
from orchestrator.application.notice_listener import NoticeList
from orchestrator.application.pipelines import labelled
from orchestrator.application.preflight import Foretold, foretell
from orchestrator.application.prepare import prepare_run
from orchestrator.application.remote_requests import RemoteReach, stated_request
from orchestrator.application.rows_text import Submitted
from orchestrator.application.submit import submit_run
from orchestrator.application.unasked import unasked_report
from shared.store.projects import labels_of


def foretell_stated(
    stated: Mapping[str, JsonValue], reach: RemoteReach, environ: Mapping[str, str]
) -> Foretold:
    """What the run would take that is stated so. Nothing is stored or started. Raises UserError."""
    return foretell(prepare_run(stated_request(stated, reach, environ), environ))


def submit_stated(
    backend: Backend,
    stated: Mapping[str, JsonValue],
    reach: RemoteReach,
    environ: Mapping[str, str],
    *,
    projects: Sequence[str] | None,
    key: str | None,
    continues: Mapping[str, str] | None = None,
    watched_for_s: int = 0,
) -> Submitted:
    """The run that is stated as a line of a batch is, or the result of a change that nobody has to be asked about.

    It belongs to the first of `projects`; the run that has `key` already is the one that is meant. `continues` are
    labels of whoever submits it. Raises UserError.
    """
    prepared = prepare_run(stated_request(stated, reach, environ), environ)
    own = None if projects is None else projects[0]
    prepared = labelled(prepared, labels_of(continues or {}, project=own))
    if prepared.is_change and (report := unasked_report(prepared)) is not None:
        return Submitted(report=report)
    backend.revive()
    run = submit_run(
        backend, prepared, NoticeList(), watched_for_s=watched_for_s, idempotency_key=key
    )
    return Submitted(run)

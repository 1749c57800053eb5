"""Purge what is not kept any longer, and hold what must be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from orchestrator.application.backend import Backend
from orchestrator.engine import purging
from orchestrator.settings.loading import load_configuration
from shared.errors import EnvironmentFault, UnknownRun, UserError
from shared.models.retention import Purged, RetentionRule
from shared.sentences import Sentence
from shared.store.database import Connection
from shared.store.holds import Hold, add_hold, is_batch, list_holds, remove_hold
from shared.store.purging import (
    LEASE_S,
    Fitting,
    LeaseLost,
    PurgeRow,
    list_purges,
    what_fits,
)
from shared.store.views import find_run

LONGEST_REASON = 2_000


@dataclass(frozen=True)
class PurgeRequest:
    """What is to be purged: by the rules of the configuration, or by the age that was typed; of one workflow only."""

    directory: Path
    older_than_s: float | None = None
    workflow: str | None = None


def configured_rules(directory: Path, environ: Mapping[str, str]) -> Sequence[RetentionRule]:
    """The rules of the configuration. Raises ConfigurationError."""
    settings = load_configuration(directory, environ).settings
    return [entry.rule for entry in settings.retention]


def rules_of(request: PurgeRequest, environ: Mapping[str, str]) -> Sequence[RetentionRule]:
    """The rules that a purge follows. Raises UserError when nothing says what is old."""
    if request.older_than_s is not None:
        return [RetentionRule(request.older_than_s, request.workflow)]
    rules = configured_rules(request.directory, environ)
    if not rules:
        raise UserError(
            "nothing says what is old: name an age, as in `quorate purge --older-than 90d`, or set `retention` in the "
            "configuration (`quorate docs data`)"
        )
    if request.workflow is None:
        return rules
    fitting = [rule for rule in rules if rule.workflow in (None, request.workflow)]
    return [RetentionRule(rule.keep_s, request.workflow, rule.status) for rule in fitting]


def preview(backend: Backend, request: PurgeRequest) -> list[Fitting]:
    """What a purge would remove now, by workflow and status. Raises UserError."""
    rules = rules_of(request, backend.environ)
    return backend.read(partial(what_fits, rules=rules))


def purge(backend: Backend, request: PurgeRequest, actor: str) -> Purged:
    """Remove it. Raises UserError, and EnvironmentFault while another purge is under way."""
    rules = rules_of(request, backend.environ)
    try:
        gone = purging.purge(backend.database, rules, actor)
    except LeaseLost:
        gone = None
    if gone is None:
        raise EnvironmentFault(
            "another purge is under way (`quorate purge --log`). One that was killed keeps others "
            "out for {seconds:g} s; what it removed is removed, and the next purge does the rest.",
            seconds=LEASE_S,
        )
    return gone


def purges(backend: Backend, limit: int) -> list[PurgeRow]:
    """What was purged, the newest first."""
    return backend.read(partial(list_purges, limit=limit))


def hold(backend: Backend, *, run: str | None, batch: str | None, reason: str, actor: str) -> str:
    """Keep a run with all that belongs to it, or the runs of a batch, from every purge; what is held.

    Raises UserError for what is not there, or held already.
    """
    if (run is None) == (batch is None):
        raise UserError("name one thing to hold: a run, or a batch with --batch")
    if not reason.strip():
        raise UserError("say why with --reason: somebody will have to decide when the hold ends")

    def add(connection: Connection) -> str:
        found = None if run is None else find_run(connection, run).id
        if batch is not None and not is_batch(connection, batch):
            raise UnknownRun(
                "there is no batch {batch!r}: `quorate batch list` shows them", batch=batch
            )
        added = add_hold(
            connection, run=found, batch=batch, reason=reason.strip()[:LONGEST_REASON], actor=actor
        )
        if not added:
            raise UserError(
                "{named} is held already (`quorate hold list`)", named=_named(found, batch)
            )
        return _named(found, batch)

    return backend.write(add)


def release(backend: Backend, *, run: str | None, batch: str | None) -> str:
    """Let it go; what it was. Raises UserError for what is not held."""
    if (run is None) == (batch is None):
        raise UserError("name one thing to let go: a run, or a batch with --batch")

    def remove(connection: Connection) -> str:
        found = None if run is None else find_run(connection, run).id
        if not remove_hold(connection, run=found, batch=batch):
            raise UserError("{named} is not held (`quorate hold list`)", named=_named(found, batch))
        return _named(found, batch)

    return backend.write(remove)


def holds(backend: Backend) -> list[Hold]:
    """All holds, the newest first."""
    return backend.read(list_holds)


def _named(run: str | None, batch: str | None) -> str:
    if batch is None:
        return Sentence("run {run}", run=run)
    return Sentence("batch {batch}", batch=batch)

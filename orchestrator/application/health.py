"""Whether an installation can work: what load balancers, containers and people ask, answered from what is the case."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from orchestrator.application.brokers import broker_counts
from shared.errors import EnvironmentFault
from shared.sentences import Sentence
from shared.settings import ServiceSettings
from shared.store.database import Database
from shared.store.migrate import HEAD, newer_schema, older_schema
from shared.store.processes import SILENCE_S, ProcessRow, list_processes
from shared.store.views import schema_revision

HANGS_AFTER_S = 60.0
"""A process ends itself when its heartbeats do not arrive for half as long (shared/delivery/presence.py)."""

SILENT = "it does not answer"


class ServiceRole(StrEnum):
    """What a service process does, as it is known among the processes."""

    ORCHESTRATOR = "orchestrator"
    TOOLS = "tools"
    TURNS = "turns"


@dataclass(frozen=True)
class HealthCheck:
    """Something that has to be the case; `why` says what is wrong, or what could not be found out."""

    name: str
    ok: bool
    why: str = ""


@dataclass(frozen=True)
class Health:
    """What was checked, and which kinds of processes live."""

    checks: Sequence[HealthCheck]
    revision: str | None = None
    living: Sequence[str] = ()

    @property
    def ok(self) -> bool:
        """True when everything is as it has to be."""
        return all(check.ok for check in self.checks)


def check_health(
    settings: ServiceSettings,
    database: Database,
    *,
    role: ServiceRole | None = None,
    host: str = "",
) -> Health:
    """Whether runs go on: the servers answer, the schema is this version's, and processes live.

    Of all kinds without a `role`; else of that kind alone, on `host`.
    """
    broker = list(_broker_checks(settings))
    try:
        revision = database.run(schema_revision, patience_s=0.0)
        rows = database.run(list_processes, patience_s=0.0) if revision == HEAD else []
    except EnvironmentFault:  # whose words name an address, which not everybody is told who may ask
        return Health([HealthCheck("database", ok=False, why=SILENT), *broker])
    living = [row for row in rows if row.silent_s <= SILENCE_S]
    wanted, place = (ServiceRole, "") if role is None else ((role,), host)
    checks = [HealthCheck("database", ok=True), _is_current(revision), *broker]
    checks += [_lives(kind, living, place) for kind in wanted]
    return Health(checks, revision, sorted({row.kind for row in living}))


def check_liveness(database: Database, role: ServiceRole, host: str) -> Health:
    """Whether a process of that kind on `host` hangs, so that a restart helps.

    It does not help against a server that is away: then nothing can be said, and nothing is.
    """
    try:
        current = database.run(schema_revision, patience_s=0.0) == HEAD
        rows = database.run(list_processes, patience_s=0.0) if current else None
    except EnvironmentFault:
        rows = None
    if rows is None:
        unknown = Sentence("not known: the database does not answer, or has another schema")
        return Health([HealthCheck(role, ok=True, why=unknown)])
    here = [row for row in rows if row.silent_s <= HANGS_AFTER_S]
    return Health([_lives(role, here, host)])


def _is_current(revision: str | None) -> HealthCheck:
    why = "" if revision == HEAD else newer_schema(revision) or older_schema(revision)
    return HealthCheck("schema", ok=not why, why=why)


def _lives(role: ServiceRole, living: Sequence[ProcessRow], host: str) -> HealthCheck:
    lives = any(row.kind == role and host in ("", row.host) for row in living)
    if lives:
        return HealthCheck(role, ok=True)
    why = Sentence("no {role} process shows a sign of life", role=str(role))
    if host:
        why = Sentence(
            "no {role} process on {host} shows a sign of life", role=str(role), host=host
        )
    return HealthCheck(role, ok=False, why=why)


def _broker_checks(settings: ServiceSettings) -> Iterator[HealthCheck]:
    waiting, refused = broker_counts(settings)
    for name, found in (("broker", waiting), ("redis", refused)):
        answers = found is not None
        yield HealthCheck(name, ok=answers, why="" if answers else SILENT)

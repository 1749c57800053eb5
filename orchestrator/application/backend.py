"""From settings to servers that answer: start the embedded ones, or check those that exist.

A command that is in a hurry makes a `Starting` first, does its own work while the servers come up, and then asks
for the connection. The services load Celery while the schema is made.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TypeVar

from orchestrator.application.notice_listener import NoticeListener
from orchestrator.embedded.processes import wait_until
from orchestrator.embedded.servers import ensure, is_up
from orchestrator.embedded.starting import Starting, replace_earlier, revive
from orchestrator.embedded.supervisor import is_wanted, leaving_supervisors
from orchestrator.presentation.locale.translator import Translator
from orchestrator.settings.languages import help_language
from shared.accounts import say
from shared.build import Build, read_build, this_build
from shared.errors import EnvironmentFault, UserError
from shared.models.notices import Notice, notice
from shared.sentences import Sentence
from shared.settings import ServiceSettings
from shared.store.database import LONGEST_REPORT_S, Connection, Database
from shared.store.migrate import HEAD, current, newer_schema, upgrade
from shared.store.processes import SILENCE_S, list_processes
from shared.store.projects import Projects, limited
from shared.store.sealing import require_keys
from shared.store.views import schema_revision

T = TypeVar("T")
TOLD_AFTER_S = 3.0
CONNECTIONS = 4
"""Of a command; a service that answers many at once has more."""


@dataclass(frozen=True)
class Backend:
    """An open way to the store and to the services. Embedded servers that were killed are brought back on the way."""

    settings: ServiceSettings
    database: Database
    environ: Mapping[str, str] = field(default_factory=dict)
    projects: Projects | None = None
    """Whose runs are seen by this way; None: all (shared/store/projects.py)."""

    def within(self, projects: Projects | None) -> Backend:
        """The same way for somebody who sees these projects only."""
        return replace(self, projects=projects)

    def read(self, work: Callable[[Connection], T]) -> T:
        """Look something up."""
        return self._run(work, atomic=False)

    def write(self, work: Callable[[Connection], T]) -> T:
        """Change something in one transaction."""
        return self._run(work, atomic=True)

    def revive(self) -> bool:
        """Start the embedded processes again if their supervisor was killed; False when there was nothing to do."""
        return bool(self.environ) and revive(self.settings, self.environ)

    def _run(self, work: Callable[[Connection], T], *, atomic: bool) -> T:
        def seeing(connection: Connection) -> T:
            with limited(connection, self.projects):
                return work(connection)

        try:
            return self.database.run(seeing, atomic=atomic)
        except UnicodeEncodeError as error:
            raise UserError(
                "the command line is not UTF-8, and the database can store nothing else"
            ) from error
        except EnvironmentFault:
            instance = self.settings.instance
            if self.settings.external is not None or not self.environ:
                raise
            if not is_wanted(instance) and not is_up(instance):
                raise EnvironmentFault(
                    "instance {instance} was stopped (`quorate down`); its runs go on after `quorate up`.",
                    instance=instance.name,
                ) from None
            ensure(instance, environ=self.environ)
            return self.database.run(seeing, atomic=atomic)

    def wake(self, run: str) -> None:
        """Ask the services to look at a run at once; they find out by themselves a second later."""
        from shared.delivery.signals import Signals  # loads redis-py: not needed to read

        signals = Signals(self.settings.endpoints.redis_url)
        signals.send(run)
        signals.close()

    def close(self) -> None:
        """Drop the connections."""
        self.database.close()


class OnStderr:
    """Tells what a command on its way to the servers has to tell, for commands without a listener of their own."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        """Speaks the terminal's language."""
        self._words = Translator(help_language(environ))

    def inform(self, notice: Notice) -> None:
        """One line."""
        say(self._words.translate(notice))

    warn = inform


def connect(
    starting: Starting,
    *,
    answer_s: float = LONGEST_REPORT_S,
    listener: NoticeListener | None = None,
    connections: int = CONNECTIONS,
) -> Backend:
    """Wait for the servers and open the way to them; the schema is current when this returns.

    Raises EnvironmentFault: what stands in the way of a server, or external servers of another version.
    """
    starting.wait()
    listener = listener or OnStderr(starting.environ)
    if starting.replaced is not None:
        listener.inform(_replaced(starting.replaced))
    settings = starting.settings
    endpoints = settings.endpoints
    database = Database(
        endpoints.database_url,
        pool_size=connections,
        patience_s=2.0,
        answer_s=answer_s,
        keys=settings.encryption_keys,
    )
    if settings.external is not None:
        require_schema(database)
        require_contract(database)
        _require_keys(database)
        return Backend(settings, database, starting.environ)
    try:
        upgrade_embedded(database, settings, starting.environ, listener)
    except EnvironmentFault:
        starting.again()
        upgrade_embedded(database, settings, starting.environ, listener)
    _require_keys(database)
    return Backend(settings, database, starting.environ)


def _require_keys(database: Database) -> None:
    database.run(lambda connection: require_keys(connection, database.sealer))


def upgrade_embedded(
    database: Database,
    settings: ServiceSettings,
    environ: Mapping[str, str],
    listener: NoticeListener | None = None,
) -> bool:
    """Bring an embedded database to this version's schema; True when something was applied. Raises EnvironmentFault.

    Processes that run the code of an earlier version cannot work with the new tables: the calls that they are making
    are finished first, and those of this version take their place.
    """
    revision = current(database)
    if revision == HEAD:
        return False
    if revision is None or revision > HEAD:
        return upgrade(database)
    listener = listener or OnStderr(environ)
    if (earlier := replace_earlier(settings, environ)) is not None:
        listener.inform(_replaced(earlier))
    if not wait_until(lambda: not leaving_supervisors(settings.instance), TOLD_AFTER_S):
        listener.warn(notice("upgrade_waits"))
        wait_until(lambda: not leaving_supervisors(settings.instance), math.inf, poll_s=0.1)
    return upgrade(database)


def _replaced(earlier: Build) -> Notice:
    return notice("processes_replaced", earlier=earlier.shown, now=this_build().shown)


def require_contract(database: Database) -> None:
    """Raise EnvironmentFault if a living process on external servers cannot understand this version's messages."""
    ours = this_build()
    for process in database.run(list_processes):
        theirs = read_build(process.version)
        if process.silent_s < SILENCE_S and theirs.contract != ours.contract:
            raise EnvironmentFault(
                "the process {process} on {host} (pid {pid}) is of version {theirs}, whose messages are not "
                "those of this version, {ours}: nothing was submitted. Bring both to one version "
                "(`quorate docs upgrading`).",
                process=process.kind,
                host=process.host,
                pid=process.pid,
                theirs=theirs.shown,
                ours=ours.shown,
            )


def require_schema(database: Database) -> None:
    """Raise EnvironmentFault unless an external database is at this version's schema."""
    revision = database.run(schema_revision)
    if revision == HEAD:
        return
    if newer := newer_schema(revision):
        raise EnvironmentFault(newer)
    have = (
        "is empty" if revision is None else Sentence("is at schema {revision}", revision=revision)
    )
    raise EnvironmentFault(
        "the database {have} and this version of Quorate needs {revision}: run `quorate db upgrade` "
        "once, while the processes of earlier versions are stopped (`quorate docs upgrading`).",
        have=have,
        revision=HEAD,
    )


@contextmanager
def connected(
    environ: Mapping[str, str],
    *,
    workers: bool = True,
    answer_s: float = LONGEST_REPORT_S,
    connections: int = CONNECTIONS,
) -> Iterator[Backend]:
    """The back end for one command. `workers` False starts no processes, only the servers."""
    settings = ServiceSettings.from_environment(environ)
    starting = Starting(settings, environ, workers=workers)
    backend = connect(starting, answer_s=answer_s, connections=connections)
    try:
        yield backend
    finally:
        backend.close()

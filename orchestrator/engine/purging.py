"""A purge from its beginning to its end, and the thread that does one regularly by the rules of the configuration."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial

import structlog

from shared.errors import ConfigurationError, EnvironmentFault
from shared.faults import failpoint
from shared.models.retention import BY_RULES, Purged, RetentionRule
from shared.store.daily_spending import sum_up
from shared.store.database import Database
from shared.store.purging import (
    LeaseLost,
    PurgeCursor,
    begin_purge,
    end_purge,
    forget_facts,
    kept_values,
    others_after,
    purge_batch,
    purge_documents,
    purge_runs,
    write_uses,
)
from shared.store.references import References

PURGED_EVERY_S = 3_600.0
FIRST_AFTER_S = 60.0
PAUSE_S = 0.05
"""Between two portions, where nobody waits for the end."""

log = structlog.get_logger(__name__)


def purge(
    database: Database,
    rules: Sequence[RetentionRule],
    actor: str,
    *,
    pause: Callable[[], object] = lambda: None,
) -> Purged | None:
    """Remove what these rules do not keep; None while another purge is at it. `pause` is called between portions.

    Raises LeaseLost when another purge took over.
    """
    number = database.run(partial(begin_purge, rules=rules, actor=actor), atomic=True)
    if number is None:
        return None
    database.run(partial(sum_up, enough=1))
    gone = _purge_runs(database, number, rules, pause)
    failpoint("runs-purged")
    gone += _purge_documents(database, number, pause)
    while database.run(forget_facts):
        pause()
    database.run(partial(end_purge, purge=number), atomic=True)
    return gone


def _purge_runs(
    database: Database, number: int, rules: Sequence[RetentionRule], pause: Callable[[], object]
) -> Purged:
    gone = Purged()
    batch = partial(purge_batch, purge=number, rules=rules)
    while (portion := database.run(batch, atomic=True)).batches:
        gone += portion
        failpoint("batch-purged")
    place: PurgeCursor | None = PurgeCursor()
    while place is not None:
        work = partial(purge_runs, purge=number, rules=rules, place=place)
        portion, place = database.run(work, atomic=True)
        gone += portion
        failpoint("portion-purged")
        pause()
    return gone


def _purge_documents(database: Database, number: int, pause: Callable[[], object]) -> Purged:
    references = References()
    while database.run(partial(write_uses, purge=number, references=references), atomic=True):
        pause()
    used = set[str]()
    run = ""
    while runs := database.run(partial(others_after, run=run)):
        run = runs[-1]
        found = database.run(partial(references.of_runs, runs=runs))
        used.update(*found.values())
    values = database.run(kept_values)
    used |= database.run(partial(references.of_values, values=values))
    gone = Purged()
    after: str | None = ""
    while after is not None:
        work = partial(purge_documents, purge=number, used=frozenset(used), after=after)
        portion, after = database.run(work, atomic=True)
        gone += portion
        failpoint("documents-purged")
        pause()
    return gone


class Purger:
    """A thread that purges every hour. One orchestrator at a time does; the others find its lease."""

    def __init__(self, database: Database, rules: Callable[[], Sequence[RetentionRule]]) -> None:
        """`database` without patience; `rules` reads what the configuration says now."""
        self._database = database
        self._rules = rules
        self._stop = threading.Event()

    def start(self) -> None:
        """Purge from now on, as long as there are rules."""
        threading.Thread(target=self._repeat, name="purger", daemon=True).start()

    def stop(self) -> None:
        """Begin no further portion: the lease runs out."""
        self._stop.set()

    def poll(self) -> Purged | None:
        """Purge once, if there are rules and nobody else is at it."""
        rules = self._rules()
        if not rules:
            return None
        gone = purge(self._database, rules, BY_RULES, pause=self._pause)
        if gone is not None and (gone.runs or gone.documents):
            log.info("purged", runs=gone.runs, batches=gone.batches, documents=gone.documents)
        return gone

    def _pause(self) -> None:
        if self._stop.wait(PAUSE_S):
            raise LeaseLost

    def _repeat(self) -> None:
        pause = FIRST_AFTER_S
        while not self._stop.wait(pause):
            pause = PURGED_EVERY_S
            try:
                self.poll()
            except LeaseLost:
                log.info("purge.left")
            except (ConfigurationError, EnvironmentFault, OSError) as fault:
                log.warning("purge.failed", why=str(fault))
            except Exception:
                log.exception("purge.bug")  # the next purge must come, whatever this one met

"""Read rows of the store: the runs, what waits for a person, what was spent, what was asked. No run is read whole."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Protocol

from orchestrator.application.backend import Backend
from orchestrator.presentation.listings import AwaitedAnswer, RunList
from shared.errors import UserError
from shared.models.outcomes import RunStatus
from shared.models.rows import DecisionRow, ListedRun, RunRow
from shared.store.database import Connection
from shared.store.listed_decisions import OpenCount, count_open, list_decisions
from shared.store.listed_runs import page_of_runs
from shared.store.run_filter import ALL_RUNS, RunFilter
from shared.store.spending import ROW_BY_ROW, Grouping, Spending, spending
from shared.store.views import find_run, list_children, list_runs
from shared.store.waiting_turns import WaitingTurn, waiting_turns


def runs(backend: Backend, *, limit: int, wanted: RunFilter = ALL_RUNS) -> RunList:
    """The newest runs that are wanted, and what these started unless a status was asked for."""

    def read(connection: Connection) -> RunList:
        found = list_runs(connection, limit=limit + 1, wanted=wanted)
        rows = found[:limit]
        children: dict[str, list[RunRow]] = {}
        generation = rows if wanted.status is None else []
        while generation:
            below = list_children(connection, [run.id for run in generation])
            children |= below
            generation = [child for started in below.values() for child in started]
        listed = RunList(rows, children, has_more=len(found) > limit)
        return replace(listed, awaited=_awaited(connection, tuple(listed.tree())))

    return backend.read(read)


def _awaited(connection: Connection, rows: Sequence[RunRow]) -> dict[str, AwaitedAnswer]:
    """What those of the runs wait for that wait for somebody. A list without such a run asks for nothing."""
    asking = {run.id for run in rows if run.status is RunStatus.WAITING}
    running = {run.id for run in rows if run.status is RunStatus.RUNNING}
    awaited: dict[str, AwaitedAnswer] = {}
    # Run by run: of all that are open, a list shows few.
    for run in asking:
        for row in list_decisions(connection, run=run, with_shown=False):
            awaited[run] = AwaitedAnswer(options=tuple(row.question.get("options") or ()))
    return awaited | (_whose_turns(connection, running) if running else {})


def _whose_turns(connection: Connection, runs: Collection[str]) -> dict[str, AwaitedAnswer]:
    """The people whose turns those runs wait for."""
    people: dict[str, tuple[str, ...]] = {}
    for turn in waiting_turns(connection):
        if turn.run_id in runs:
            people[turn.run_id] = (*people.get(turn.run_id, ()), turn.participant)
    return {run: AwaitedAnswer(people=names) for run, names in people.items()}


MOST_ON_A_PAGE = 200


@dataclass(frozen=True)
class RunsPage:
    """A page of a long list of runs, the newest first. `cursor` asks for the next one; None: this is the last."""

    rows: tuple[ListedRun, ...]
    cursor: str | None


def page_of(
    backend: Backend, wanted: RunFilter = ALL_RUNS, *, cursor: str | None = None, limit: int = 50
) -> RunsPage:
    """The runs that are wanted, from the cursor of the page before on. Raises UserError for what is no cursor."""
    limit = min(max(limit, 1), MOST_ON_A_PAGE)
    if cursor is not None:
        wanted = _after(wanted, cursor)
    found = backend.read(
        lambda connection: page_of_runs(connection, limit=limit + 1, wanted=wanted)
    )
    rows = tuple(found[:limit])
    return RunsPage(rows, _cursor_of(rows[-1]) if len(found) > limit else None)


def _cursor_of(run: ListedRun) -> str:
    return f"{run.created_at.astimezone(UTC):%Y%m%dT%H%M%S.%f}-{run.id}"


def _after(wanted: RunFilter, cursor: str) -> RunFilter:
    moment, _, run = cursor.partition("-")
    try:
        at = datetime.strptime(moment, "%Y%m%dT%H%M%S.%f").replace(tzinfo=UTC)
    except ValueError:
        at = None
    if at is None or not run.isalnum() or not run.isascii():
        raise UserError("this is no cursor of a list of runs: begin with the first page")
    return replace(wanted, before_at=at, before_id=run)


@dataclass(frozen=True)
class WaitingFilter:
    """What of all that waits for people is wanted; None: all."""

    repository: str | None = None
    batch: str | None = None
    workflow: str | None = None


@dataclass(frozen=True)
class Inbox:
    """What waits for a person, the oldest first; `has_more`: later decisions are not listed."""

    decisions: tuple[DecisionRow, ...]
    turns: tuple[WaitingTurn, ...]
    has_more: bool = False


def inbox(
    backend: Backend, wanted: WaitingFilter | None = None, *, limit: int | None = None
) -> Inbox:
    """The open decisions, without what they show, and the turns of people."""
    filters = dataclasses.asdict(wanted or WaitingFilter())
    most = None if limit is None else limit + 1

    def read(connection: Connection) -> Inbox:
        decisions = list_decisions(connection, **filters, limit=most, with_shown=False)
        turns = waiting_turns(connection, **filters)
        return Inbox(tuple(decisions[:limit]), tuple(turns), len(decisions) == most)

    return backend.read(read)


def asking(backend: Backend) -> tuple[OpenCount, ...]:
    """How many decisions are open, by workflow, batch and repository."""
    return tuple(backend.read(count_open))


class RunLists(Protocol):
    """Where runs are listed, and what waits for a person: in the store, or behind a service."""

    def listed(self, limit: int, wanted: RunFilter) -> RunList:
        """The newest runs that are wanted, and what these started."""

    def inbox(self, wanted: WaitingFilter) -> Inbox:
        """What waits for a person, as far as it is wanted."""

    def spent(self, by: Grouping, *, run: str | None, since_s: float | None) -> Spent:
        """What calls used. Raises UnknownRun or UserError for the name of a run."""


@dataclass(frozen=True)
class StoredLists:
    """The lists of the servers that this machine knows."""

    backend: Backend

    def listed(self, limit: int, wanted: RunFilter) -> RunList:
        """The newest runs."""
        return runs(self.backend, limit=limit, wanted=wanted)

    def inbox(self, wanted: WaitingFilter) -> Inbox:
        """What waits for a person."""
        return inbox(self.backend, wanted)

    def spent(self, by: Grouping, *, run: str | None, since_s: float | None) -> Spent:
        """The sums of the calls' rows."""
        return spent(self.backend, by, run=run, since_s=since_s)


def count_waiting(backend: Backend) -> int:
    """How many decisions are open, and turns of people wait."""

    def read(connection: Connection) -> int:
        decisions = sum(each.decisions for each in count_open(connection))
        return decisions + len(waiting_turns(connection))

    return backend.read(read)


LATELY_S = 7 * 86_400.0
"""How far back runs, turns and batches are listed unless somebody asks for more: there is no end of them."""


@dataclass(frozen=True)
class Spent:
    """What was spent, by participant, run, day, ...; `total` None: nothing, `since_s` None: at any time."""

    run: str | None
    since_s: float | None
    rows: tuple[Spending, ...]
    total: Spending | None


def spent(backend: Backend, by: Grouping, *, run: str | None, since_s: float | None) -> Spent:
    """Sum what calls used; by run, turn, workflow or batch only lately, unless a run or a time is named.

    Raises UnknownRun or UserError for the name of a run.
    """
    if since_s is None and run is None and by in ROW_BY_ROW:
        since_s = LATELY_S

    def read(connection: Connection) -> Spent:
        name = None if run is None else find_run(connection, run).id
        rows = spending(connection, by, run=name, since_s=since_s)
        totals = spending(connection, Grouping.TOTAL, run=name, since_s=since_s)
        return Spent(name, since_s, tuple(rows), totals[0] if totals else None)

    return backend.read(read)

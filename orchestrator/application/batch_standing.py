"""How stored batches stand: what a list of them needs, without what reads their results."""

from __future__ import annotations

from orchestrator.application.backend import Backend
from shared.errors import UnknownRun
from shared.models.batches import LAST, BatchRow, BatchStatus
from shared.patterns import regex
from shared.store.batches import count_items, find_batch, list_batches, spent_on
from shared.store.database import Connection
from shared.store.projects import projects_of

LONGEST_PROJECT = 80
_NOT_IN_NAMES = regex(r"[^\w.@+=,()-]")


def named_batch(connection: Connection, name: str) -> BatchRow:
    """The batch of that name (`last`: the newest), for a token of projects also by its own. Raises UnknownRun."""
    row = find_batch(connection, name)
    for project in projects_of(connection) or ():
        row = row or find_batch(connection, name_in(project, name))
    if row is None and name == LAST:
        row = next(iter(list_batches(connection, 1)), None)
    if row is None:
        raise UnknownRun(
            "there is no batch {name!r}: `quorate batch list` shows them",
            name=name,
        )
    return row


def name_in(project: str, name: str) -> str:
    """What a batch is called that a token of this project calls so: names of projects never meet.

    Its own name is a part of an address, and so is this one.
    """
    return f"{_NOT_IN_NAMES.sub('_', project)[:LONGEST_PROJECT]}:{name}"


def batch_status(backend: Backend, name: str, *, costs: bool = True) -> BatchStatus:
    """How a batch stands (`last`: the newest). Raises UnknownRun."""

    def read(connection: Connection) -> BatchStatus:
        row = named_batch(connection, name)
        counts = count_items(connection, [row.name])[row.name]
        return BatchStatus(row, counts, spent_on(connection, row.name) if costs else None)

    return backend.read(read)


def all_batches(backend: Backend, limit: int) -> list[BatchStatus]:
    """The newest batches."""

    def read(connection: Connection) -> list[BatchStatus]:
        rows = list_batches(connection, limit)
        counts = count_items(connection, [row.name for row in rows])
        return [BatchStatus(row, counts[row.name]) for row in rows]

    return backend.read(read)

"""Runs and steps written straight into a database, for tests of the store and of the workers."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from shared.models.outcomes import RunStatus
from shared.models.run import Budget, RunSpec
from shared.models.steps import Usage
from shared.store.database import Connection, Database
from shared.store.ends import StoredResponse
from shared.store.processes import beat
from shared.store.runs import Changes, NewDecision, NewRecord, NewStep, create_run, lock_run
from shared.store.saving import save
from shared.store.steps import Claim, Refusal, claim
from tests.support.review_panel import submission

_numbers = itertools.count(1)
T = TypeVar("T")


def new_step(key: str, position: int = 0, **fields: Any) -> NewStep:
    """A pending turn."""
    values: dict[str, Any] = {
        "key": key,
        "position": position,
        "kind": "turn",
        "participant": key,
        "role": "critique",
        "round": 1,
        "task": "quorate.turn.critique",
        "queue": "quorate.turns",
        "fingerprint": "f",
        "request": "{}",
        "max_attempts": 3,
        "lease_s": 30.0,
    }
    return NewStep(**{**values, **fields})


def new_run(
    database: Database,
    *steps: str | NewStep,
    decisions: Sequence[NewDecision] = (),
    budget: Budget | None = None,
    documents: Mapping[str, bytes] | None = None,
    spec: RunSpec | None = None,
    title: str | None = None,
    records: Sequence[NewRecord] = (),
) -> str:
    """A run with these steps pending; it waits if it has decisions and no step."""
    run = f"run{next(_numbers)}"
    rows = [s if isinstance(s, NewStep) else new_step(s, n) for n, s in enumerate(steps)]
    waits = bool(decisions) and not rows
    changes = Changes(
        status=RunStatus.WAITING if waits else RunStatus.RUNNING,
        phase="Reviewing",
        noted_steps=0,
        open_steps=sum(row.status == "pending" for row in rows),
        steps=tuple(rows),
        decisions=tuple(decisions),
        records=tuple(records),
        documents=documents or {},
    )

    def write(connection: Connection) -> None:
        create_run(
            connection,
            run=run,
            title=title or run,
            spec=spec or submission(budget=budget).spec,
            root_task=f"root-{run}",
            documents={},
        )
        locked = lock_run(connection, run)
        assert locked is not None
        save(connection, [(locked, changes)])

    database.run(write, atomic=True)
    return run


def take(database: Database, run: str, step: str, owner: str = "worker", nonce: str = "n") -> Claim:
    """Claim a step that is there to be claimed."""
    claimed = database.run(lambda connection: claim(connection, run, step, owner, nonce))
    assert isinstance(claimed, Claim), claimed
    return claimed


def refused(
    database: Database, run: str, step: str, owner: str = "other", nonce: str = "other"
) -> Refusal:
    """Claim a step that is not there to be claimed."""
    claimed = database.run(lambda connection: claim(connection, run, step, owner, nonce))
    assert isinstance(claimed, Refusal), claimed
    return claimed


def response(claimed: Claim, content: bytes = b"paid", attempt: str = "1:1") -> StoredResponse:
    """A paid answer to a claimed step."""
    return StoredResponse(
        run=claimed.run,
        step=claimed.step,
        token=claimed.token,
        worker="worker",
        participant="p",
        provider="openai",
        model="stub",
        request_sha="r",
        content=content,
        usage=Usage(input_tokens=3, output_tokens=4, cost_usd=0.5),
        attempt=attempt,
    )


def alive(
    database: Database, process: str, silent_s: float = 0.0, *, kind: str = "turns", slots: int = 0
) -> None:
    """A process that said something `silent_s` seconds ago."""
    database.run(
        lambda connection: beat(
            connection, process=process, kind=kind, host="h", pid=1, version="0", slots=slots
        )
    )
    execute(
        database,
        "UPDATE processes SET seen_at = now() - make_interval(secs => %s) WHERE id = %s",
        silent_s,
        process,
    )


def execute(database: Database, sql: str, *values: Any) -> None:
    """What no product code does: time passes, rows are tampered with."""
    database.run(lambda connection: connection.execute(sql, values))


def fetch(database: Database, sql: str, *values: Any) -> Any:
    """The only row of a query."""
    row = database.run(lambda connection: connection.execute(sql, values).fetchone())
    assert row is not None
    return row


def step_row(database: Database, run: str, step: str) -> Any:
    """A step as it is stored."""
    return fetch(database, "SELECT * FROM steps WHERE run_id = %s AND key = %s", run, step)


def run_row(database: Database, run: str) -> Any:
    """A run as it is stored."""
    return fetch(database, "SELECT * FROM runs WHERE id = %s", run)


def at_once(count: int, work: Callable[[int], T]) -> list[T]:
    """Call `work` in `count` threads that start together; their results in order."""
    barrier = threading.Barrier(count)

    def one(number: int) -> T:
        barrier.wait(60)
        return work(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(one, range(count)))

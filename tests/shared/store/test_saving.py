"""Locking, loading and writing many runs in one transaction, on real Postgres."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from shared.models.outcomes import RunStatus
from shared.store.database import Connection, Database
from shared.store.documents import address, get_documents, put_documents
from shared.store.ends import StoredResponse, store_response
from shared.store.events import list_events
from shared.store.journal import Wanted, load_journal, lock_with_journals
from shared.store.runs import Changes, NewRecord, lock_run, lock_runs
from shared.store.saving import save
from tests.support.runs import execute, fetch, new_run, new_step, response, run_row, take

pytestmark = pytest.mark.component

WAITING = (
    "SELECT count(*) AS n FROM pg_stat_activity "
    "WHERE wait_event_type = 'Lock' AND datname = current_database()"
)
ODD = 'quotes " and \\ backslashes, %s and {}, \n lines, 모든 글자, 🎤'


def changes(number: int, **fields: object) -> Changes:
    """What differs from run to run."""
    values = {
        "status": RunStatus.RUNNING,
        "phase": f"{ODD} {number}",
        "noted_steps": number,
        "open_steps": number + 1,
        "steps": tuple(
            new_step(f"new/{place}", place + 1, request=json.dumps({"said": ODD, "n": number}))
            for place in range(number)
        ),
        "records": (NewRecord("fact", "kind", 0, json.dumps({"n": number, "said": ODD})),),
        "events": tuple((f"kind.{place}", {"n": number, "said": ODD}) for place in range(number)),
        "documents": {address(content): content for content in (b"of all", b"of %d" % number)},
        **fields,
    }
    return Changes(**values)  # type: ignore[arg-type]


def saved(database: Database, *written: tuple[str, Changes]) -> None:
    def work(connection: Connection) -> None:
        locked = {run.id: run for run in lock_runs(connection, [run for run, _ in written])}
        assert save(connection, [(locked[run], change) for run, change in written]) == {}

    database.run(work, pipelined=True)


def test_what_is_written_of_many_runs_is_each_one_s_own(database: Database) -> None:
    runs = [new_run(database, "a") for _ in range(4)]
    before = {run: len(database.run(lambda c, run=run: list_events(c, run))) for run in runs}  # type: ignore[misc]

    saved(database, *((run, changes(number)) for number, run in enumerate(runs)))
    ends = {"outcome": json.dumps({"summary": ODD}), "verdict": "DONE", "ending": "so"}
    saved(
        database,
        (runs[3], changes(1, steps=(), records=(), status=RunStatus.COMPLETED, **ends)),
        (runs[2], changes(2, steps=(), records=(), blocked_reason=ODD)),
    )

    for number, run in enumerate(runs[:2]):
        row = run_row(database, run)
        assert (row.phase, row.noted_steps, row.open_steps) == (
            f"{ODD} {number}",
            number,
            number + 1,
        )
        assert (row.advances, row.outcome, row.verdict, row.finished_at) == (2, None, None, None)
    for number, run in enumerate(runs):
        stored = database.run(lambda c, run=run: load_journal(c, run))  # type: ignore[misc]
        assert [step.key for step in stored.steps] == ["a", *(f"new/{n}" for n in range(number))]
        assert [record.body for record in stored.records] == [{"n": number, "said": ODD}]
        events = database.run(lambda c, run=run: list_events(c, run))  # type: ignore[misc]
        assert [seq for seq, _, _ in events] == list(range(1, len(events) + 1))
        of_first = events[before[run] : before[run] + number]
        assert [kind for _, kind, _ in of_first] == [f"kind.{n}" for n in range(number)]
        assert [body for _, _, body in of_first] == [{"n": number, "said": ODD}] * number
    row = run_row(database, runs[3])
    assert (row.status, row.outcome, row.ending) == ("completed", {"summary": ODD}, "so")
    assert row.finished_at is not None
    assert run_row(database, runs[2]).blocked_reason == ODD
    names = [address(b"of all"), *(address(b"of %d" % number) for number in range(4))]
    assert len(database.run(lambda c: get_documents(c, names))) == 5


def test_many_are_never_waited_for_and_one_is(database: Database) -> None:
    runs = [new_run(database) for _ in range(3)]
    with database.transaction() as elsewhere:
        assert lock_run(elsewhere, runs[1]) is not None

        free = database.run(lambda c: {run.id for run in lock_runs(c, runs)}, atomic=True)
        none = database.run(lambda c: list(lock_runs(c, runs[1:2], wait=False)), atomic=True)
        with ThreadPoolExecutor(1) as other:
            waiting = other.submit(database.run, lambda c: lock_run(c, runs[1]), atomic=True)
            with pytest.raises(TimeoutError):
                waiting.result(timeout=0.3)
            elsewhere.execute("COMMIT")
            assert waiting.result(timeout=30) is not None

    assert free == {runs[0], runs[2]}
    assert none == []


def test_child_runs_are_locked_alone_because_their_end_asks_for_their_parent(
    database: Database,
) -> None:
    parent, child = new_run(database, "a"), new_run(database)
    execute(
        database,
        "UPDATE runs SET parent_run = %s, parent_step = 'a', root_run = %s WHERE id = %s",
        parent,
        parent,
        child,
    )

    def locked(*runs: str) -> set[str]:
        return database.run(lambda c: {run.id for run in lock_runs(c, runs)}, atomic=True)

    assert locked(parent, child) == {parent}
    assert locked(child) == {child}


def test_of_many_runs_what_is_wanted_is_loaded_in_the_order_of_the_question(
    database: Database,
) -> None:
    whole, part = new_run(database, "a", "b"), new_run(database, "a", "b", "c")

    wanted = [
        Wanted(part, False, ("c", "a", "unknown")),
        Wanted("nobody"),
        Wanted(whole, spec=True),
    ]
    found = database.run(lambda c: lock_with_journals(c, wanted), pipelined=True)

    assert [one.run.id for one in found] == [part, whole]
    assert [[step.key for step in one.journal.steps] for one in found] == [["a", "c"], ["a", "b"]]
    assert [one.spec is not None for one in found] == [False, True]


def test_a_paid_answer_is_stored_while_its_run_is_advanced(database: Database) -> None:
    """What a row refers to is not locked against it; else each answer would wait for a whole batch."""
    run = new_run(database, "a")
    claimed = take(database, run, "a")
    paid: StoredResponse = response(claimed)
    with database.transaction() as advancing:
        assert lock_run(advancing, run) is not None
        database.run(lambda c: store_response(c, paid), patience_s=0)

    assert fetch(database, "SELECT count(*) AS n FROM usage").n == 1


def test_transactions_that_store_the_same_documents_cannot_deadlock(database: Database) -> None:
    """Whoever stores several begins with the lowest name, whichever run it is of."""
    runs = [new_run(database), new_run(database)]
    (low, last), (high, first) = sorted((address(text), text) for text in (b"one", b"two"))
    written = [
        (run, changes(0, documents=stored, records=()))
        for run, stored in zip(runs, ({high: first}, {low: last}), strict=True)
    ]
    strict = Database(database.url, pool_size=2, patience_s=0)

    with ThreadPoolExecutor(1) as threads:
        with strict.transaction() as other:
            put_documents(other, {low: last})
            saving = threads.submit(saved, strict, *written)
            while not fetch(database, WAITING).n:
                assert not saving.done()
            put_documents(other, {high: first})
        saving.result(timeout=30)
    strict.close()

    assert len(database.run(lambda c: get_documents(c, [low, high]))) == 2

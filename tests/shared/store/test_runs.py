"""Runs, events, documents and what people read of them, on real Postgres."""

import json
from datetime import timedelta
from typing import Any

import pytest

from shared.errors import UnknownRun, UserError
from shared.models.decision import DecisionQuestion
from shared.models.outcomes import RunStatus
from shared.models.run import Budget, RunSpec
from shared.store.database import Connection, Database
from shared.store.documents import address, get_documents, put_documents
from shared.store.ends import finish, store_response
from shared.store.events import list_events
from shared.store.requests import step_request
from shared.store.run_filter import RunFilter
from shared.store.runs import (
    Changes,
    NewDecision,
    append_events,
    create_run,
    lock_run,
    root_tasks,
)
from shared.store.saving import save
from shared.store.views import RunCounts, count_runs, find_run, list_runs, list_steps, run_usage
from tests.support.review_panel import submission
from tests.support.runs import at_once, execute, fetch, new_run, response, run_row, take

pytestmark = pytest.mark.component


def submit(database: Database, run: str, key: str | None = None) -> str:
    submitted = submission()
    return database.run(
        lambda connection: create_run(
            connection,
            run=run,
            title="t",
            spec=submitted.spec,
            root_task="root",
            documents=submitted.documents,
            idempotency_key=key,
        ),
        atomic=True,
    )


def events(database: Database, run: str) -> list[tuple[int, str]]:
    return [(number, kind) for number, kind, _ in database.run(lambda c: list_events(c, run))]


# ---- submission ---------------------------------------------------------------------------------


def test_what_a_run_captured_comes_back_as_it_was(database: Database) -> None:
    submit(database, "r1")

    assert (
        RunSpec.model_validate(fetch(database, "SELECT spec FROM specs").spec) == submission().spec
    )
    names = list(submission().documents)
    assert database.run(lambda c: get_documents(c, names)) == submission().documents


def test_a_submission_that_was_committed_and_never_heard_of_is_the_same_run(
    database: Database,
) -> None:
    assert [submit(database, "r1"), submit(database, "r1")] == ["r1", "r1"]
    assert events(database, "r1") == [(1, "run.submitted")]


def test_one_key_is_one_run_however_many_submit_it_at_once(database: Database) -> None:
    names = at_once(8, lambda number: submit(database, f"r{number}", "the same"))

    assert len(set(names)) == 1
    assert fetch(database, "SELECT count(*) AS runs FROM runs").runs == 1
    assert submit(database, "other", "another") == "other"


# ---- the event log ------------------------------------------------------------------------------


def test_events_have_no_gap_and_no_double_however_many_write_at_once(database: Database) -> None:
    run = new_run(database)
    before = len(events(database, run))

    def write(number: int) -> None:
        def two(connection: Connection) -> None:
            lock_run(connection, run)
            append_events(connection, run, [("one", {"n": number}), ("two", {"텍스트": "둘"})])

        for _ in range(5):
            database.run(two, atomic=True)

    at_once(6, write)

    written = events(database, run)
    assert [number for number, _ in written] == list(range(1, before + 61))
    kinds = [kind for _, kind in written[before:]]
    assert kinds == ["one", "two"] * 30
    assert database.run(lambda c: list_events(c, run, before + 59)) == [
        (before + 60, "two", {"텍스트": "둘"})
    ]


# ---- documents ----------------------------------------------------------------------------------


def test_the_same_document_is_stored_once(database: Database) -> None:
    content = {address(text): text for text in (b"one", b"\x00\xff two")}

    at_once(6, lambda _n: database.run(lambda c: put_documents(c, content)))

    assert fetch(database, "SELECT count(*) AS n FROM documents").n == 2
    assert database.run(lambda c: get_documents(c, list(content))) == content
    with pytest.raises(UnknownRun, match="is not stored"):
        database.run(lambda c: get_documents(c, [*content, "f" * 64]))


# ---- the clock of a run -------------------------------------------------------------------------


def test_a_run_s_clock_stands_still_while_a_person_is_asked(database: Database) -> None:
    """Else the first advance after a slow answer would find the deadline passed and undo what was decided."""
    question = DecisionQuestion(kind="k", prompt="?", options=("yes",), shown={})
    decision = NewDecision("d", "k", question.model_dump_json(), "x", None, None)
    run = new_run(database, decisions=[decision], budget=Budget(max_seconds=60))
    deadline = run_row(database, run).deadline_at
    execute(database, "UPDATE decisions SET opened_at = opened_at - interval '2 h'")
    execute(database, "UPDATE runs SET deadline_at = now() - interval '1 h'")
    left = run_row(database, run).deadline_at

    def go_on(connection: Connection) -> bool:
        locked = lock_run(connection, run)
        assert locked is not None
        changes = Changes(RunStatus.RUNNING, "Fixing", 0, 0, consumed_decisions=("d",))
        save(connection, [(locked, changes)])
        return locked.overdue

    assert database.run(go_on, atomic=True) is False
    assert database.run(go_on, atomic=True) is False

    moved = run_row(database, run).deadline_at - left
    assert timedelta(hours=2) <= moved < timedelta(hours=2, seconds=30)
    assert deadline is not None


# ---- budgets ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("budget", "over"),
    [
        (Budget(), None),
        (Budget(max_calls=2), None),
        (Budget(max_calls=1), "calls"),
        (Budget(max_tokens=8), None),
        (Budget(max_tokens=7), "tokens"),
        (Budget(max_usd=0.75), None),
        (Budget(max_usd=0.5), "money"),
    ],
)
def test_a_budget_is_used_up_by_what_was_paid(
    database: Database, budget: Budget, over: str | None
) -> None:
    run = new_run(database, "a", budget=budget)
    claimed = take(database, run, "a")
    database.run(lambda c: store_response(c, response(claimed)))

    locked = database.run(lambda c: lock_run(c, run), atomic=True)

    assert locked is not None
    assert locked.over_budget == over
    assert locked.calls_left == (None if budget.max_calls is None else budget.max_calls - 1)


# ---- what people read ---------------------------------------------------------------------------


def test_runs_are_found_by_id_by_beginning_and_as_the_last(database: Database) -> None:
    for name in ("rab", "rac", "r%x"):
        submit(database, name)
    execute(database, "UPDATE runs SET created_at = created_at - interval '1 h' WHERE id <> 'rac'")

    def found(name: str) -> str:
        return database.run(lambda c: find_run(c, name)).id

    assert [found("rab"), found("r%"), found("last"), found("@")] == ["rab", "r%x", "rac", "rac"]
    with pytest.raises(UserError, match="fits several runs"):
        found("ra")
    with pytest.raises(UnknownRun, match="there is no run 'z'"):
        found("z")
    assert [row.id for row in database.run(lambda c: list_runs(c, limit=1))] == ["rac"]
    assert database.run(lambda c: list_runs(c, wanted=RunFilter(status="waiting"))) == []
    aside = "jsonb_set(spec, '{labels}', '{\"aside\": true}')"
    execute(database, f"UPDATE specs SET spec = {aside} WHERE run_id = 'rac'")
    assert (found("last"), found("rac")) == ("r%x", "rac")
    assert "rac" not in [row.id for row in database.run(list_runs)]
    asked = RunFilter(workflow="review")
    assert "rac" in [row.id for row in database.run(lambda c: list_runs(c, wanted=asked))]
    assert database.run(count_runs) == RunCounts({"running": 3})
    assert database.run(lambda c: root_tasks(c, ["rab", "none"])) == {"rab": ("root", False)}


def test_last_within_a_repository_passes_over_the_runs_of_other_ones(database: Database) -> None:
    for age, (name, repository) in enumerate((("ra", "shop"), ("rb", None), ("rc", "bank"))):
        submit(database, name)
        moved = f"UPDATE runs SET created_at = created_at + interval '{age} h' WHERE id = '{name}'"
        execute(database, moved)
        if repository is not None:
            labels = json.dumps({"repository": repository})
            execute(
                database,
                f"UPDATE specs SET spec = jsonb_set(spec, '{{labels}}', '{labels}') WHERE run_id = '{name}'",
            )

    def found(name: str) -> str:
        return database.run(lambda c: find_run(c, name)).id

    # What is of no repository, a question, was asked anywhere.
    assert [found("last@bank"), found("last@shop"), found("last")] == ["rc", "rb", "rc"]
    # Nobody typed an item of a batch here.
    item = """UPDATE specs SET spec = jsonb_set(spec, '{labels}', '{"batch": "night"}') WHERE run_id = 'rb'"""
    execute(database, item)
    assert [found("last@shop"), found("last")] == ["ra", "rc"]
    execute(database, "DELETE FROM runs WHERE id = 'rb'")
    assert [found("last@shop"), found("last@mill")] == ["ra", "rc"]


@pytest.mark.parametrize("name", ["", " ", "%", "_", "r\0", "\udcff", "r\n", "r" * 100_000])
def test_nothing_and_what_no_run_is_called_name_no_run(database: Database, name: str) -> None:
    """An empty variable in a script would cancel the only run there is."""
    submit(database, "rab")

    with pytest.raises(UnknownRun) as refused:
        database.run(lambda c: find_run(c, name))

    assert len(str(refused.value)) < 200


def test_a_timeline_shows_steps_in_their_order_with_what_they_cost(database: Database) -> None:
    run = new_run(database, "b", "a")
    claimed = take(database, run, "b")
    database.run(lambda c: store_response(c, response(claimed)))
    database.run(
        lambda c: finish(c, claimed, reply="{}", failure=None, tokens=7, cost_usd=0.5), atomic=True
    )

    first, second = database.run(lambda c: list_steps(c, run))

    assert [first.key, second.key] == ["b", "a"]
    assert (first.status, first.tokens, first.cost_usd) == ("done", 7, 0.5)
    assert (first.input_tokens, first.output_tokens) == (3, 4)
    assert (second.input_tokens, second.output_tokens) == (None, None)
    assert first.leased_at_s is not None
    assert first.finished_at_s is not None
    assert 0 <= first.queued_at_s <= first.leased_at_s <= first.finished_at_s
    assert (second.status, second.leased_at_s) == ("pending", None)
    usage = database.run(lambda c: run_usage(c, run))
    assert (usage.calls, usage.input_tokens, usage.output_tokens) == (1, 3, 4)
    assert (usage.cost_usd, usage.unknown_costs) == (0.5, 0)
    assert database.run(lambda c: step_request(c, run, "b")) == {}
    with pytest.raises(UnknownRun, match="has no step 'z'"):
        database.run(lambda c: step_request(c, run, "z"))


def test_runs_are_listed_by_repository_workflow_batch_and_age(database: Database) -> None:
    def submit(name: str, age_h: int, **labels: str) -> None:
        database.run(
            lambda c: c.execute(
                "UPDATE specs SET spec = jsonb_set(spec, '{labels}', %s) WHERE run_id = %s",
                (json.dumps(labels), name),
            )
        )
        execute(
            database,
            f"UPDATE runs SET created_at = now() - interval '{age_h} h' WHERE id = '{name}'",
        )

    old, new = new_run(database), new_run(database)
    submit(old, 5, repository="shop", batch="b")
    submit(new, 1, repository="blog")

    def listed(**wanted: Any) -> list[str]:
        found = database.run(lambda c: list_runs(c, wanted=RunFilter(**wanted)))
        return [row.id for row in found if row.id in (old, new)]

    assert listed(repository="shop") == listed(batch="b") == [old]
    assert listed(since_s=7200.0) == listed(repository="blog", status="running") == [new]
    assert listed(workflow="none") == listed(repository="shop", since_s=7200.0) == []
    assert listed() == [new, old]

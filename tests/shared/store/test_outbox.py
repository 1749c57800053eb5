"""Facts and their messages are one transaction: what is reported happened, and what happened is reported."""

import json
from functools import partial
from typing import Any

import pytest

from shared.models.batches import BatchLimits
from shared.models.decision import DecisionAnswer, DecisionQuestion
from shared.models.outcomes import RunStatus
from shared.models.webhooks import SUBSCRIBABLE, WebhookEvent
from shared.store.batches import cancel_batch, create_batch
from shared.store.database import Connection, Database
from shared.store.decisions import answer_decision, expire_decisions
from shared.store.outbox import finish_batches, reopen_batches
from shared.store.runs import Changes, NewDecision, cancel_run, lock_run
from shared.store.saving import save
from shared.store.webhooks import add_webhook, list_deliveries
from tests.support.runs import execute, new_run

pytestmark = pytest.mark.component

QUESTION = DecisionQuestion(
    kind="review", prompt="secret words?", options=("apply_fix", "skip"), shown={}
)


@pytest.fixture
def subscribed(database: Database) -> Database:
    add = partial(
        add_webhook, name="ci", url="https://example.com", secret="s", events=SUBSCRIBABLE
    )
    database.run(add)
    return database


def messages(database: Database) -> list[dict[str, Any]]:
    listed = database.run(partial(list_deliveries, limit=1000))
    return [json.loads(each.body) for each in reversed(listed)]


def ask(database: Database, timeout_s: float | None = None) -> str:
    decision = NewDecision(
        key="decision",
        kind="review",
        question=QUESTION.model_dump_json(),
        shown_sha256="a" * 64,
        timeout_s=timeout_s,
        on_timeout="skip",
    )
    return new_run(database, decisions=[decision])


def finish(connection: Connection, run: str, status: RunStatus = RunStatus.COMPLETED) -> None:
    locked = lock_run(connection, run)
    assert locked is not None
    ended = Changes(status=status, phase="", noted_steps=0, open_steps=0, verdict="approved")
    save(connection, [(locked, ended)])


def test_the_end_of_a_run_is_reported_with_its_commit(subscribed: Database) -> None:
    run = new_run(subscribed, "a")

    subscribed.run(partial(finish, run=run), atomic=True)

    [message] = messages(subscribed)
    assert message["type"] == "run.finished"
    assert message["data"]["run"] == run
    assert message["data"]["status"] == "completed"
    assert message["data"]["verdict"] == "approved"
    assert message["data"]["finished_at"].endswith("Z")


def test_what_is_rolled_back_is_not_reported(subscribed: Database) -> None:
    run = new_run(subscribed, "a")

    def fail(connection: Connection) -> None:
        finish(connection, run)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        subscribed.run(fail, atomic=True)
    assert messages(subscribed) == []


def test_a_run_that_goes_on_is_not_reported(subscribed: Database) -> None:
    run = new_run(subscribed, "a")

    subscribed.run(partial(finish, run=run, status=RunStatus.BLOCKED), atomic=True)

    assert messages(subscribed) == []


def test_child_runs_are_not_reported(subscribed: Database) -> None:
    parent, child = new_run(subscribed, "a"), new_run(subscribed, "b")
    execute(subscribed, "UPDATE runs SET parent_run = %s WHERE id = %s", parent, child)

    subscribed.run(partial(cancel_run, run=child, actor="me"), atomic=True)

    assert messages(subscribed) == []


def test_a_cancelled_run_is_reported_once(subscribed: Database) -> None:
    run = new_run(subscribed, "a")
    for _ in range(2):
        subscribed.run(partial(cancel_run, run=run, actor="me"), atomic=True)

    [message] = messages(subscribed)
    assert message["data"]["status"] == "cancelled"


def test_a_decision_is_reported_when_it_is_asked_and_when_it_is_answered(
    subscribed: Database,
) -> None:
    run = ask(subscribed)
    answer = DecisionAnswer(choice="skip", actor="Jane Doe", channel="cli", message="private")
    for _ in range(2):
        subscribed.run(
            partial(answer_decision, run=run, key="decision", answer=answer, shown_sha256=None),
            atomic=True,
        )

    asked, answered = messages(subscribed)
    assert (asked["type"], answered["type"]) == ("decision.asked", "decision.answered")
    assert asked["data"]["options"] == ["apply_fix", "skip"]
    assert answered["data"]["choice"] == "skip"
    text = json.dumps([asked, answered])
    assert not any(word in text for word in ("secret", "Jane", "private"))


def test_a_deadline_is_an_answer(subscribed: Database) -> None:
    ask(subscribed, timeout_s=-1)
    subscribed.run(expire_decisions, atomic=True)

    assert messages(subscribed)[-1]["type"] == "decision.answered"
    assert messages(subscribed)[-1]["data"]["channel"] == "deadline"


def test_a_webhook_gets_what_it_asked_for_and_nothing_while_it_is_disabled(
    database: Database,
) -> None:
    for name, events in (
        ("runs", [WebhookEvent.RUN_FINISHED]),
        ("decisions", [WebhookEvent.DECISION_ASKED]),
        ("off", SUBSCRIBABLE),
    ):
        database.run(
            partial(add_webhook, name=name, url="https://example.com", secret="s", events=events)
        )
    execute(database, "UPDATE webhooks SET disabled_at = now() WHERE name = 'off'")
    run = ask(database)
    database.run(partial(cancel_run, run=run, actor="me"), atomic=True)

    listed = database.run(partial(list_deliveries, limit=10))
    assert {(each.webhook, each.event.value) for each in listed} == {
        ("runs", "run.finished"),
        ("decisions", "decision.asked"),
    }


def batch_of(database: Database, *runs: str) -> None:
    limits = BatchLimits(None, None)
    database.run(
        partial(
            create_batch, name="b1", source="x", fingerprint="f", total=len(runs), limits=limits
        )
    )
    for position, run in enumerate(runs):
        execute(
            database,
            "INSERT INTO batch_items (batch, position, custom_id, key, run_id, body) "
            "VALUES ('b1', %s, %s, 'k', %s, '{}')",
            position,
            str(position),
            run,
        )
        execute(database, "UPDATE runs SET batch = 'b1' WHERE id = %s", run)
    execute(database, "UPDATE batches SET state = 'open' WHERE name = 'b1'")


def test_a_batch_is_reported_once_when_its_last_run_has_ended(subscribed: Database) -> None:
    first, second = new_run(subscribed, "a"), new_run(subscribed, "a")
    batch_of(subscribed, first, second)
    subscribed.run(partial(finish, run=first), atomic=True)
    assert subscribed.run(finish_batches, atomic=True) == 0

    subscribed.run(partial(finish, run=second), atomic=True)
    assert subscribed.run(finish_batches, atomic=True) == 1
    assert subscribed.run(finish_batches, atomic=True) == 0

    reported = [each for each in messages(subscribed) if each["type"] == "batch.finished"]
    assert [each["data"] for each in reported] == [{"batch": "b1", "state": "open", "total": 2}]

    subscribed.run(partial(reopen_batches, run=first), atomic=True)
    assert subscribed.run(finish_batches, atomic=True) == 1


def test_a_cancelled_batch_reports_the_runs_that_never_began(subscribed: Database) -> None:
    first, second = new_run(subscribed, "a"), new_run(subscribed, "a")
    batch_of(subscribed, first, second)
    execute(subscribed, "UPDATE runs SET status = 'queued'")

    assert subscribed.run(partial(cancel_batch, name="b1", actor="me"), atomic=True) == 2
    assert subscribed.run(partial(cancel_batch, name="b1", actor="me"), atomic=True) == 0
    assert subscribed.run(finish_batches, atomic=True) == 1

    kinds = [each["type"] for each in messages(subscribed)]
    assert sorted(kinds) == ["batch.finished", "run.finished", "run.finished"]

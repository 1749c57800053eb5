"""What waits without a task: which waits there are, and what became of them."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from shared.models.decision import DecisionAnswer, DecisionQuestion
from shared.models.outcomes import FailureKind
from shared.store.database import Database
from shared.store.decisions import answer_decision, expire_decisions
from shared.store.people import answer_turn
from shared.store.runs import NewDecision, cancel_run
from shared.store.steps import fail_open_steps, hand_back
from shared.store.waits import (
    Wait,
    WaitKey,
    WaitKind,
    WaitLater,
    Waits,
    WaitState,
    later,
    newest_waits,
)
from tests.support.runs import execute, new_run, new_step, take

REQUEST = json.dumps({"participant": {"name": "kim", "provider": "person"}})


def waits(database: Database, limit: int = 10) -> Waits:
    return database.run(lambda connection: newest_waits(connection, limit))


def only(database: Database) -> Wait:
    (wait,) = waits(database).newest
    return wait


def became(database: Database, *keys: WaitKey) -> Sequence[WaitLater]:
    return database.run(lambda connection: later(connection, keys))


def state_and_word(database: Database, key: WaitKey) -> tuple[WaitState, str]:
    (found,) = became(database, key)
    assert found.key == key
    return found.state, found.word


def asking(kind: str = "review", choices: tuple[str, ...] = ("apply_fix", "skip")) -> NewDecision:
    question = DecisionQuestion(
        kind=kind,
        prompt="SECRET?",
        options=choices,
        shown={"patch": "SECRET"},
        timeout_s=600,
        on_timeout=choices[-1],
    )
    return NewDecision(
        "decision",
        kind,
        question.model_dump_json(),
        "hash",
        question.timeout_s,
        question.on_timeout,
    )


def answered(database: Database, run: str, choice: str) -> None:
    given = DecisionAnswer(choice=choice, actor="SECRET", channel="cli", message="SECRET")
    database.run(lambda c: answer_decision(c, run, "decision", given, None), atomic=True)


def cancelled(database: Database, run: str) -> None:
    database.run(lambda connection: cancel_run(connection, run, "tester"), atomic=True)


def person(database: Database) -> str:
    run = new_run(database, new_step("me", request=REQUEST, participant="kim", role="answer"))
    give_back(database, run)
    return run


def give_back(database: Database, run: str, nonce: str = "n") -> None:
    claimed = take(database, run, "me", nonce=nonce)
    assert database.run(lambda connection: hand_back(connection, claimed, 3600, counted=False))


def parent_and_child(database: Database) -> tuple[str, str]:
    parent = new_run(database, new_step("review", kind="run", participant="", role=""))
    child = new_run(database, "model")
    execute(
        database,
        "UPDATE runs SET parent_run = %s, root_run = %s, parent_step = 'review' WHERE id = %s",
        parent,
        parent,
        child,
    )
    return parent, child


# ---- what there is -------------------------------------------------------------------------------


def test_an_open_decision_waits_with_its_declared_words_and_without_a_text(database: Database):
    run = new_run(database, decisions=[asking()])
    wait = only(database)
    assert wait.key == WaitKey(WaitKind.DECISION, run, "decision")
    assert (wait.purpose, wait.options, wait.workflow) == (
        "review",
        ("apply_fix", "skip"),
        "review",
    )
    assert wait.root_task == f"root-{run}"
    assert wait.until is not None
    assert (wait.until - wait.since).total_seconds() == pytest.approx(600, abs=5)
    assert "SECRET" not in repr(wait)


def test_words_that_no_workflow_declares_are_not_shown(database: Database):
    new_run(database, decisions=[asking("A SECRET kind", ("yes", "my SECRET answer"))])
    assert (only(database).purpose, only(database).options) == ("", ("yes",))


def test_a_persons_turn_waits_once_a_worker_has_given_it_back(database: Database):
    run = new_run(database, new_step("me", request=REQUEST, participant="kim", role="answer"))
    assert waits(database) == Waits((), 0)
    give_back(database, run)
    wait = only(database)
    assert wait.key == WaitKey(WaitKind.PERSON, run, "me")
    assert (wait.asked, wait.purpose, wait.round) == ("kim", "answer", 1)


def test_a_models_turn_that_is_tried_again_later_waits_for_nobody(database: Database):
    run = new_run(database, new_step("me"))
    give_back(database, run)
    assert waits(database).total == 0


def test_a_parent_waits_for_its_child(database: Database):
    parent, child = parent_and_child(database)
    wait = only(database)
    assert wait.key == WaitKey(WaitKind.CHILD, parent, "review")
    assert (wait.asked, wait.purpose) == (child, "review")


def test_the_newest_are_given_and_all_are_counted(database: Database):
    runs = [new_run(database, decisions=[asking()]) for _ in range(4)]
    runs.append(person(database))
    found = waits(database, 2)
    assert [wait.key.run for wait in found.newest] == [runs[4], runs[3]]
    assert found.total == 5


# ---- what became of it ---------------------------------------------------------------------------


def test_an_answered_decision_ended_with_its_word(database: Database):
    run = new_run(database, decisions=[asking()])
    key = only(database).key
    assert state_and_word(database, key)[0] is WaitState.OPEN
    answered(database, run, "apply_fix")
    assert waits(database).total == 0
    assert state_and_word(database, key) == (WaitState.ANSWERED, "apply_fix")


def test_a_decision_that_ran_out_of_time_ended_with_what_silence_means(database: Database):
    run = new_run(database, decisions=[asking()])
    key = only(database).key
    execute(database, "UPDATE decisions SET deadline_at = now() WHERE run_id = %s", run)
    database.run(expire_decisions, atomic=True)
    assert state_and_word(database, key) == (WaitState.ANSWERED, "skip")


def test_an_answered_turn_ended_when_its_answer_was_stored(database: Database):
    run = person(database)
    key = only(database).key
    database.run(lambda c: answer_turn(c, run, "me", "SECRET", "me"), atomic=True)
    assert waits(database).total == 0
    assert state_and_word(database, key) == (WaitState.ANSWERED, "answered")


def test_a_person_who_is_asked_again_waits_anew(database: Database):
    run = person(database)
    first = only(database).key
    database.run(lambda c: answer_turn(c, run, "me", "hm", "me"), atomic=True)
    give_back(database, run, "again")
    second = only(database)
    assert second.key == WaitKey(WaitKind.PERSON, run, "me", answers=1)
    assert {each.key: each.state for each in became(database, first, second.key)} == {
        first: WaitState.ANSWERED,
        second.key: WaitState.OPEN,
    }


def test_a_turn_that_a_worker_looks_at_has_not_ended(database: Database):
    run = person(database)
    key = only(database).key
    execute(database, "UPDATE steps SET not_before = now() WHERE run_id = %s", run)
    take(database, run, "me", nonce="the hour is over")
    assert state_and_word(database, key)[0] is WaitState.OPEN


def test_a_missed_turn_failed_with_its_kind(database: Database):
    run = person(database)
    key = only(database).key
    database.run(
        lambda c: fail_open_steps(c, run, FailureKind.DEADLINE, "SECRET words"), atomic=True
    )
    assert state_and_word(database, key) == (WaitState.FAILED, FailureKind.DEADLINE.value)


def test_what_is_cancelled_ended_as_cancelled(database: Database):
    decided, asked = new_run(database, decisions=[asking()]), person(database)
    keys = [wait.key for wait in waits(database).newest]
    for run in (decided, asked):
        cancelled(database, run)
    assert {each.state for each in became(database, *keys)} == {WaitState.CANCELLED}
    assert waits(database).total == 0


@pytest.mark.parametrize(
    ("status", "verdict", "told"),
    [
        ("completed", "APPROVED", (WaitState.ANSWERED, "APPROVED")),
        ("failed", None, (WaitState.FAILED, "failed")),
        ("blocked", None, (WaitState.FAILED, "blocked")),
        ("cancelled", None, (WaitState.CANCELLED, "cancelled")),
    ],
)
def test_a_wait_for_a_child_ends_as_the_child_did(
    database: Database, status: str, verdict: str | None, told: tuple[WaitState, str]
):
    parent, child = parent_and_child(database)
    key = only(database).key
    execute(
        database, "UPDATE runs SET status = %s, verdict = %s WHERE id = %s", status, verdict, child
    )
    execute(
        database,
        "UPDATE steps SET status = 'done', finished_at = now() WHERE run_id = %s",
        parent,
    )
    assert state_and_word(database, key) == told


def test_nothing_is_said_of_a_run_that_is_gone(database: Database):
    run = new_run(database, decisions=[asking()])
    key = only(database).key
    execute(database, "DELETE FROM runs WHERE id = %s", run)
    assert became(database, key) == []

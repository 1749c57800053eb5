"""Turns of people in the store: they wait, are answered once, and end with their run."""

from __future__ import annotations

import json

import pytest

from shared.errors import DecisionConflict, UnknownRun
from shared.models.outcomes import FailureKind
from shared.store.database import Database
from shared.store.events import list_events
from shared.store.people import answer_turn, missed, remind
from shared.store.runs import cancel_run, lock_run
from shared.store.steps import fail_open_steps, hand_back
from shared.store.sweeping import due_runs
from shared.store.views import list_steps
from shared.store.waiting_turns import WaitingTurn, waiting_turns
from tests.support.runs import execute, fetch, new_run, new_step, step_row, take

REQUEST = json.dumps({"participant": {"name": "me", "provider": "person"}, "reply_model": "answer"})


def patient(limit_s: float) -> str:
    """The request of a turn with its own deadline."""
    who = {"name": "me", "provider": "person", "options": {"answer_within_s": limit_s}}
    return json.dumps({"participant": who, "reply_model": "answer"})


def overdue(database: Database, run: str) -> bool:
    locked = database.run(lambda connection: lock_run(connection, run), atomic=True)
    assert locked is not None
    return locked.overdue


def waiting_run(database: Database) -> str:
    """A run with a person's turn that a worker has given back."""
    run = new_run(database, new_step("me", request=REQUEST), new_step("model", 1))
    claimed = take(database, run, "me")
    assert database.run(lambda connection: hand_back(connection, claimed, 3600, counted=False))
    return run


def waiting(database: Database, run: str) -> list[WaitingTurn]:
    return database.run(lambda connection: waiting_turns(connection, run=run))


def answer(database: Database, run: str, step: str = "me", text: str = "yes") -> WaitingTurn:
    return database.run(
        lambda connection: answer_turn(connection, run, step, text, "tester"), atomic=True
    )


def test_only_the_turns_of_people_wait(database: Database) -> None:
    run = waiting_run(database)
    (turn,) = waiting(database, run)
    assert (turn.step, turn.reply_model, turn.answers) == ("me", "answer", 0)


def test_a_turn_waits_only_once_a_worker_has_given_it_back(database: Database) -> None:
    run = new_run(database, new_step("me", request=REQUEST))
    assert waiting(database, run) == []
    with pytest.raises(DecisionConflict, match="does not wait"):
        answer(database, run)


def test_an_answer_makes_the_step_ready_and_is_found_by_its_next_claim(database: Database) -> None:
    run = waiting_run(database)
    answer(database, run, text="it's fine; 좋습니다")
    row = step_row(database, run, "me")
    assert (row.status, row.not_before, row.dispatched_at, row.attempts) == (
        "pending",
        None,
        None,
        0,
    )
    claimed = take(database, run, "me", nonce="again")
    (stored,) = [json.loads(content) for content in claimed.responses]
    assert stored["text"] == "it's fine; 좋습니다"
    used = fetch(database, "SELECT * FROM usage WHERE run_id = %s", run)
    assert (used.participant, used.provider, used.worker) == ("me", "person", "person:tester")
    assert used.cost_usd == 0.0


def test_a_second_answer_is_refused_while_the_first_is_taken(database: Database) -> None:
    run = waiting_run(database)
    answer(database, run)
    with pytest.raises(DecisionConflict, match="nothing was changed"):
        answer(database, run, text="no")
    assert fetch(database, "SELECT count(*) AS n FROM usage WHERE run_id = %s", run).n == 1


def test_an_unusable_answer_can_be_followed_by_another(database: Database) -> None:
    run = waiting_run(database)
    answer(database, run, text="hm")
    claimed = take(database, run, "me", nonce="again")
    database.run(lambda connection: hand_back(connection, claimed, 3600, counted=False))
    (turn,) = waiting(database, run)
    assert turn.answers == 1
    answer(database, run, text="better")
    third = take(database, run, "me", nonce="third")
    assert [json.loads(content)["text"] for content in third.responses] == ["hm", "better"]


def test_what_is_no_turn_of_a_person_is_not_answered(database: Database) -> None:
    run = waiting_run(database)
    for step in ("model", "nowhere"):
        with pytest.raises(UnknownRun):
            answer(database, run, step)
    with pytest.raises(UnknownRun):
        answer(database, "no-run")


def test_the_time_of_people_does_not_count_against_the_run(database: Database) -> None:
    run = waiting_run(database)
    execute(
        database,
        "UPDATE steps SET created_at = now() - interval '2 hours' WHERE run_id = %s AND key = 'me'",
        run,
    )
    before = fetch(database, "SELECT deadline_at FROM runs WHERE id = %s", run).deadline_at
    answer(database, run)
    after = fetch(database, "SELECT deadline_at FROM runs WHERE id = %s", run).deadline_at
    assert 7190 < (after - before).total_seconds() < 7290


def test_a_turn_ends_with_its_run(database: Database) -> None:
    cancelled, overdue = waiting_run(database), waiting_run(database)
    database.run(lambda connection: cancel_run(connection, cancelled, "tester"), atomic=True)
    database.run(
        lambda connection: fail_open_steps(connection, overdue, FailureKind.DEADLINE, "over"),
        atomic=True,
    )
    for run in (cancelled, overdue):
        assert waiting(database, run) == []
        with pytest.raises(DecisionConflict):
            answer(database, run)


# ---- a turn's own deadline -----------------------------------------------------------------------


def test_the_runs_deadline_stands_still_while_a_person_has_their_own_time(
    database: Database,
) -> None:
    run = new_run(database, new_step("me", request=patient(3600)))
    execute(database, "UPDATE runs SET deadline_at = now() - interval '1 s' WHERE id = %s", run)
    assert not overdue(database, run)
    assert run not in database.run(lambda connection: due_runs(connection, 3600))


def test_a_turn_that_nobody_ended_in_its_time_does_not_hold_up_the_runs_end(
    database: Database,
) -> None:
    run = new_run(database, new_step("me", request=patient(3600)))
    execute(
        database,
        "UPDATE steps SET created_at = now() - interval '2 hours' WHERE run_id = %s",
        run,
    )
    execute(database, "UPDATE runs SET deadline_at = now() - interval '1 s' WHERE id = %s", run)
    assert overdue(database, run)
    assert run in database.run(lambda connection: due_runs(connection, 3600))


def test_a_person_without_their_own_time_does_not_hold_up_the_runs_end(database: Database) -> None:
    run = waiting_run(database)
    execute(database, "UPDATE runs SET deadline_at = now() - interval '1 s' WHERE id = %s", run)
    assert overdue(database, run)


def test_the_inbox_knows_by_when_an_answer_is_wanted(database: Database) -> None:
    run = new_run(database, new_step("me", request=patient(3600)))
    claimed = take(database, run, "me")
    database.run(lambda connection: hand_back(connection, claimed, 0, counted=False))
    (turn,) = waiting(database, run)
    assert turn.answer_by is not None
    assert (turn.answer_by - turn.asked_at).total_seconds() == 3600


def test_a_reminder_is_noted_once_and_a_missed_turn_gives_its_time_back(database: Database) -> None:
    run = new_run(database, new_step("me", request=patient(3600)))
    execute(
        database,
        "UPDATE steps SET created_at = now() - interval '1 hour' WHERE run_id = %s",
        run,
    )
    execute(database, "UPDATE runs SET deadline_at = now() WHERE id = %s", run)
    for tell in (remind, remind, missed):
        database.run(lambda connection, tell=tell: tell(connection, run, "me"), atomic=True)
    rows = database.run(lambda connection: list_events(connection, run))
    told = [kind for _, kind, _ in rows if kind in ("turn.reminded", "turn.missed")]
    assert told == ["turn.reminded", "turn.missed"]
    left = fetch(
        database,
        "SELECT extract(epoch FROM deadline_at - now())::float AS s FROM runs WHERE id = %s",
        run,
    )
    assert 3500 < left.s < 3700


# ---- what a step waits for -----------------------------------------------------------------------


def test_the_deadline_says_of_a_step_that_waited_what_it_waited_for(database: Database) -> None:
    run = new_run(database, "a", "b")
    claimed = take(database, run, "a")
    database.run(lambda c: hand_back(c, claimed, 30.0, why="a is paused"))
    assert step_row(database, run, "a").note == "a is paused"

    database.run(lambda c: fail_open_steps(c, run, FailureKind.DEADLINE, "too late"))

    told = [step_row(database, run, step) for step in ("a", "b")]
    assert [row.failure_message for row in told] == ["too late; a is paused", "too late"]
    assert [row.note for row in told] == ["", ""]


def test_it_is_known_since_when_a_turn_was_given_back(database: Database) -> None:
    run = waiting_run(database)
    held, untaken = database.run(lambda connection: list_steps(connection, run))

    assert held.leased_at_s is not None
    assert held.held_back_at_s is not None
    assert held.queued_at_s <= held.leased_at_s <= held.held_back_at_s
    assert untaken.held_back_at_s is None

"""Decisions on real Postgres: asked once, answered once, bound to what was shown."""

from concurrent.futures import ThreadPoolExecutor, wait

import pytest

from shared.errors import DecisionConflict, UnknownRun, UserError
from shared.models.decision import DecisionAnswer, DecisionQuestion, DecisionState
from shared.models.rows import DecisionRow
from shared.store.database import Database
from shared.store.decisions import answer_decision, expire_decisions
from shared.store.events import list_events
from shared.store.listed_decisions import list_decisions
from shared.store.runs import NewDecision, append_events, cancel_run, lock_run
from shared.store.views import find_run, list_runs
from tests.support.runs import at_once, execute, new_run

pytestmark = pytest.mark.component

SHOWN = "a" * 64
QUESTION = DecisionQuestion(
    kind="review",
    prompt="?",
    options=("apply_fix", "skip"),
    shown={},
    selectable=("F1", "F2"),
)


def asked(database: Database, timeout_s: float | None = None, on_timeout: str = "skip") -> str:
    return new_run(
        database,
        decisions=[
            NewDecision(
                key="decision",
                kind="review",
                question=QUESTION.model_dump_json(),
                shown_sha256=SHOWN,
                timeout_s=timeout_s,
                on_timeout=on_timeout,
            )
        ],
    )


def say(choice: str, actor: str = "me", only: tuple[str, ...] | None = None) -> DecisionAnswer:
    return DecisionAnswer(choice=choice, actor=actor, channel="cli", only=only)


def decide(
    database: Database, run: str, answer: DecisionAnswer, shown: str | None = SHOWN
) -> DecisionRow:
    return database.run(
        lambda connection: answer_decision(connection, run, "decision", answer, shown), atomic=True
    )


def kinds_of_events(database: Database, run: str) -> list[str]:
    return [kind for _, kind, _ in database.run(lambda c: list_events(c, run))]


def state(database: Database, run: str) -> DecisionRow:
    (row,) = database.run(lambda c: list_decisions(c, run=run, only_open=False))
    return row


def test_an_answer_is_kept_and_told_once(database: Database) -> None:
    run = asked(database)

    row = decide(database, run, say("apply_fix", only=("F1",)))

    assert row.state is DecisionState.ANSWERED
    assert row == state(database, run) or row.answer == state(database, run).answer
    assert row.answer is not None
    assert row.answer["only"] == ["F1"]
    assert kinds_of_events(database, run).count("decision.answered") == 1
    assert database.run(list_decisions) == []


def test_the_same_answer_again_is_no_answer_at_all(database: Database) -> None:
    run = asked(database)
    decide(database, run, say("apply_fix", only=("F1", "F2")))

    again = decide(database, run, say("apply_fix", "somebody else", only=("F2", "F1")))

    assert again.answer is not None
    assert again.answer["actor"] == "me"
    assert kinds_of_events(database, run).count("decision.answered") == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (say("apply_fix"), say("skip")),
        (say("apply_fix"), say("apply_fix", only=("F1",))),
        (say("apply_fix"), say("apply_fix", only=())),
        (say("apply_fix", only=("F1",)), say("apply_fix", only=("F2",))),
    ],
    ids=["choice", "all-some", "all-none", "selection"],
)
def test_another_answer_is_a_conflict_and_the_first_one_stands(
    database: Database, first: DecisionAnswer, second: DecisionAnswer
) -> None:
    run = asked(database)
    decide(database, run, first)

    with pytest.raises(DecisionConflict, match="already answered 'apply_fix' by me"):
        decide(database, run, second)

    kept = state(database, run).answer
    assert kept is not None
    assert DecisionAnswer.model_validate(kept) == first


def test_of_two_answers_at_once_one_is_taken_and_the_other_told_so(database: Database) -> None:
    for _ in range(5):
        run = asked(database)

        def work(number: int, run: str = run) -> str:
            try:
                decide(database, run, say(("apply_fix", "skip")[number % 2]))
            except DecisionConflict:
                return "conflict"
            return "taken"

        assert sorted(at_once(8, work)) == ["conflict"] * 4 + ["taken"] * 4
        assert kinds_of_events(database, run).count("decision.answered") == 1


def test_an_answer_takes_its_turn_in_the_run_s_log(database: Database) -> None:
    run = asked(database)

    with ThreadPoolExecutor(1) as pool:
        with database.transaction() as other:
            lock_run(other, run)
            append_events(other, run, [("first", {})])
            answering = pool.submit(decide, database, run, say("skip"))
            assert wait([answering], timeout=0.3).not_done
        assert answering.result(20).state is DecisionState.ANSWERED

    assert kinds_of_events(database, run)[-2:] == ["first", "decision.answered"]


def test_what_was_looked_at_must_be_what_is_asked(database: Database) -> None:
    run = asked(database)

    with pytest.raises(DecisionConflict, match="now shows something else"):
        decide(database, run, say("apply_fix"), "b" * 64)

    assert state(database, run).state is DecisionState.OPEN
    assert decide(database, run, say("apply_fix"), None).state is DecisionState.ANSWERED


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (say("merge"), "'merge' is not offered here: choose one of apply_fix, skip"),
        (say("apply_fix", only=("F9",)), r"F9 cannot be selected here \(selectable: F1, F2\)"),
    ],
)
def test_only_what_is_offered_can_be_answered(
    database: Database, answer: DecisionAnswer, message: str
) -> None:
    run = asked(database)

    with pytest.raises(UserError, match=message):
        decide(database, run, answer)

    assert state(database, run).state is DecisionState.OPEN


def test_an_unknown_decision_is_said_to_be_unknown(database: Database) -> None:
    with pytest.raises(UnknownRun, match="run nowhere has no decision 'decision'"):
        decide(database, "nowhere", say("skip"))


def test_at_the_deadline_the_policy_answers(database: Database) -> None:
    run, patient = asked(database, timeout_s=3600), asked(database, timeout_s=3600)
    assert database.run(expire_decisions, atomic=True) == []
    execute(database, "UPDATE decisions SET deadline_at = now() WHERE run_id = %s", run)

    assert database.run(expire_decisions, atomic=True) == [(run, "decision")]
    assert database.run(expire_decisions, atomic=True) == []

    row = state(database, run)
    assert row.state is DecisionState.EXPIRED
    assert row.answer is not None
    assert DecisionAnswer.model_validate(row.answer).choice == "skip"
    assert kinds_of_events(database, run)[-1] == "decision.expired"
    assert state(database, patient).state is DecisionState.OPEN
    with pytest.raises(DecisionConflict, match="is expired"):
        decide(database, run, say("skip"))


def test_an_answer_and_the_deadline_at_once_leave_one_of_them(database: Database) -> None:
    for _ in range(5):
        run = asked(database, timeout_s=0.0)

        def work(number: int, run: str = run) -> str:
            if number:
                return "expired" if database.run(expire_decisions, atomic=True) else "nothing"
            try:
                decide(database, run, say("apply_fix"))
            except DecisionConflict:
                return "conflict"
            return "taken"

        outcome = at_once(2, work)

        assert outcome in (["taken", "nothing"], ["conflict", "expired"])
        row = state(database, run)
        assert (row.state is DecisionState.ANSWERED) == (outcome[0] == "taken")


def test_a_cancelled_run_asks_nothing_any_more(database: Database) -> None:
    run = asked(database)
    database.run(lambda c: cancel_run(c, run, "me"), atomic=True)

    with pytest.raises(DecisionConflict, match="is cancelled"):
        decide(database, run, say("skip"))


def test_a_run_does_not_count_the_time_in_which_a_person_was_waited_for(database: Database) -> None:
    run = asked(database)
    ago = "now() - interval '{} s' WHERE {} = %s".format
    execute(database, f"UPDATE runs SET created_at = {ago(100, 'id')}", run)
    execute(database, f"UPDATE decisions SET opened_at = {ago(90, 'run_id')}", run)
    (waits,) = (row for row in database.run(list_runs) if row.id == run)
    assert (round(waits.elapsed_s, -1), round(waits.worked_s, -1)) == (100, 10)
    execute(database, f"UPDATE decisions SET answered_at = {ago(50, 'run_id')}", run)
    answered = database.run(lambda connection: find_run(connection, run))
    assert round(answered.worked_s, -1) == 60

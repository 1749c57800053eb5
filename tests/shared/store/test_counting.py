"""What ended is counted once, whoever counts and however often, and stays counted when it is deleted."""

import random
from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any

import psycopg
import pytest

from shared.models.decision import DecisionAnswer
from shared.models.metrics import METRIC_BY_NAME, MetricKind, MetricSample
from shared.models.outcomes import FailureKind
from shared.models.steps import Failure
from shared.store.connections import APPLICATION
from shared.store.counting import count, counted, settled_moment
from shared.store.daily_spending import sum_up
from shared.store.database import Connection, Database
from shared.store.decisions import answer_decision
from shared.store.ends import finish, store_response
from shared.store.forking import Fork, create_fork
from shared.store.gauges import gauges, spent
from shared.store.runs import NewDecision, cancel_run
from shared.store.steps import hand_back
from tests.support.review_panel import submission
from tests.support.runs import alive, at_once, execute, fetch, new_run, new_step, response, take

pytestmark = pytest.mark.component

ASKED = NewDecision(
    key="decision",
    kind="apply_fix",
    question='{"kind": "apply_fix", "prompt": "?", "options": ["yes", "no"], "shown": {}}',
    shown_sha256="x",
    on_timeout="no",
    timeout_s=None,
)
Values = dict[tuple[str, ...], float]


def tell(database: Database, look: Callable[[Connection], list[MetricSample]] = counted) -> Values:
    """What is told, by name and labels; every sample has the labels of its metric."""
    found = {}
    for sample in database.run(look):
        metric = METRIC_BY_NAME[sample.name]
        extra = metric.kind is MetricKind.HISTOGRAM
        assert len(sample.labels) == len(metric.labels) + extra, sample
        found[sample.name, *sample.labels] = sample.value
    return found


def count_now(database: Database) -> Values:
    assert database.run(count, atomic=True)
    return tell(database)


def end(database: Database, run: str, step: str, failure: FailureKind | None = None) -> None:
    claimed = take(database, run, step, nonce=step)
    refused = failure and Failure(kind=failure, message="no")
    reply = None if refused else "{}"
    database.run(lambda c: finish(c, claimed, reply=reply, failure=refused or None))


def test_turns_are_counted_by_who_spoke_and_what_came_of_it(database: Database) -> None:
    run = new_run(database, "paid", "refused", new_step("tool", 3, kind="tool"))
    paid = take(database, run, "paid", nonce="1")
    database.run(lambda c: store_response(c, response(paid)))
    database.run(lambda c: finish(c, paid, reply="{}", failure=None))
    asked = '{"refused": {"participant": {"provider": "gemini"}}}'
    execute(database, "UPDATE requests SET bodies = %s WHERE run_id = %s", asked, run)
    end(database, run, "refused", FailureKind.REFUSAL)
    end(database, run, "tool")

    counts = count_now(database)

    assert counts["quorate_turns_total", "paid", "openai", "done"] == 1
    assert counts["quorate_turns_total", "refused", "gemini", "refusal"] == 1
    assert counts["quorate_tool_runs_total", "tool", "done"] == 1
    assert count_now(database) == counts, "counted twice"


def test_waits_are_told_apart_by_their_causes(database: Database) -> None:
    run = new_run(database, "claude", "bob")
    held = take(database, run, "claude", nonce="1")
    database.run(lambda c: hand_back(c, held, 30.0))
    execute(database, "UPDATE steps SET not_before = NULL WHERE run_id = %s", run)
    again = take(database, run, "claude", nonce="2")
    database.run(lambda c: finish(c, again, reply="{}", failure=None))
    asked = '{"claude": {"participant": {"provider": "x"}}, "bob": {"participant": {"provider": "person"}}}'
    execute(database, "UPDATE requests SET bodies = %s WHERE run_id = %s", asked, run)
    end(database, run, "bob")
    took = "leased_at = created_at + interval '50 s', finished_at = created_at + interval '57 s'"
    execute(database, f"UPDATE steps SET {took} WHERE run_id = %s", run)
    held_back = "held_back_at = created_at + interval '20 s'"
    execute(database, f"UPDATE steps SET {held_back} WHERE run_id = %s AND key = 'claude'", run)
    earlier = ", ".join(
        f"{moment} = {moment} - interval '1 h'"
        for moment in ("created_at", "held_back_at", "leased_at", "finished_at")
    )
    execute(database, f"UPDATE steps SET {earlier}")

    counts = count_now(database)

    waits = {key[1:]: v for key, v in counts.items() if key[0] == "quorate_turn_wait_seconds_total"}
    assert waits == {
        ("x", "queue"): pytest.approx(20.0),
        ("x", "limit"): pytest.approx(30.0),
        ("x", "model"): pytest.approx(7.0),
        ("person", "human"): pytest.approx(57.0),
    }


def test_runs_are_counted_by_how_they_ended_and_how_long_they_took(database: Database) -> None:
    moments = "created_at = now() - interval '400 s', finished_at = now() - interval '10 s'"
    done = new_run(database, "a", decisions=[ASKED])
    execute(
        database,
        f"UPDATE runs SET status = 'completed', verdict = 'APPROVED', ending = 'converged', {moments} WHERE id = %s",
        done,
    )
    waited = "state = 'answered', opened_at = now() - interval '300 s', answered_at = now() - interval '10 s'"
    execute(database, f"UPDATE decisions SET {waited} WHERE run_id = %s", done)
    database.run(lambda c: cancel_run(c, new_run(database, "b"), "me"), atomic=True)

    counts = count_now(database)

    assert counts["quorate_runs_submitted_total", "review"] == 2
    assert counts["quorate_runs_ended_total", "review", "completed", "APPROVED"] == 1
    assert counts["quorate_runs_ended_total", "review", "cancelled", ""] == 1
    assert counts["quorate_discussions_ended_total", "review", "converged"] == 1
    assert counts["quorate_run_seconds", "review", "300"] == 1, "390 s, of which a person took 290"
    assert counts["quorate_run_seconds", "review", "sum"] == pytest.approx(100, abs=1)
    assert counts["quorate_decision_wait_seconds_total", "review"] == pytest.approx(290, abs=1)


def test_what_a_fork_took_over_is_not_counted_again(database: Database) -> None:
    run = new_run(database, "a", decisions=[ASKED])
    end(database, run, "a")
    answer = DecisionAnswer(choice="yes", actor="me", channel="cli")
    database.run(lambda c: answer_decision(c, run, "decision", answer, "x"), atomic=True)
    fork = Fork("fork", run, "end", "fork", submission().spec, "root", ("a",), ("decision",))
    database.run(lambda c: create_fork(c, fork, {}), atomic=True)

    counts = count_now(database)

    assert counts["quorate_turns_total", "a", "", "done"] == 1
    assert counts["quorate_decisions_ended_total", "review", "apply_fix", "answered", "cli"] == 1
    assert counts["quorate_runs_submitted_total", "review"] == 2


def test_counters_stay_when_runs_are_deleted(database: Database) -> None:
    run = new_run(database, "a")
    end(database, run, "a")
    before = count_now(database)

    execute(database, "DELETE FROM runs")

    assert count_now(database) == before


def test_what_a_slow_transaction_commits_late_is_neither_lost_nor_counted_twice(
    database: Database,
) -> None:
    run = new_run(database, "early", "late")
    late = take(database, run, "late", nonce="late")
    with database.transaction() as slow:
        finish(slow, late, reply="{}", failure=None)
        other = new_run(database, "meanwhile")
        end(database, other, "meanwhile")
        assert ("quorate_turns_total", "late", "", "done") not in count_now(database)

    counts = count_now(database)

    for name in ("late", "meanwhile"):
        assert counts["quorate_turns_total", name, "", "done"] == 1


def test_sessions_of_others_do_not_hold_up_the_count(database: Database) -> None:
    url = database.url.replace("+psycopg", "")
    with psycopg.connect(url, application_name="pg_dump") as dump:
        dump.execute("SELECT 1")
        began = fetch(database, "SELECT clock_timestamp() AS at").at
        assert database.run(settled_moment) > began
    with psycopg.connect(url, application_name=APPLICATION) as ours:
        ours.execute("SELECT 1")
        began = fetch(database, "SELECT clock_timestamp() AS at").at
        assert database.run(settled_moment) < began


@pytest.mark.parametrize("seed", range(3))
def test_however_many_count_while_others_end_each_is_counted_once(
    database: Database, seed: int
) -> None:
    order = random.Random(seed)
    steps = [f"step{number}" for number in range(24)]
    run = new_run(database, *steps)
    works: list[Callable[[], Any]] = [partial(end, database, run, step) for step in steps]
    works += [partial(database.run, count, atomic=True)] * 12
    order.shuffle(works)

    at_once(6, lambda number: [work() for work in works[number::6]])

    turns = [v for key, v in count_now(database).items() if key[0] == "quorate_turns_total"]
    assert turns == [1.0] * len(steps)


def test_what_is_open_is_told_as_it_stands(database: Database) -> None:
    run = new_run(database, "held", "put off", "ready", decisions=[ASKED])
    take(database, run, "held", nonce="1")
    put_off = take(database, run, "put off", nonce="2")
    database.run(lambda c: hand_back(c, put_off, 60.0))
    execute(database, "UPDATE steps SET created_at = now() - interval '40 s'")
    execute(database, "UPDATE decisions SET opened_at = now() - interval '90 s'")
    alive(database, "w1", slots=10)
    alive(database, "w2", silent_s=60.0, slots=10)

    now = tell(database, gauges)

    steps = {key[1:]: v for key, v in now.items() if key[0] == "quorate_steps_open"}
    assert steps == {("quorate.turns", state): 1 for state in ("in_flight", "delayed", "ready")}
    assert now["quorate_step_oldest_ready_seconds", "quorate.turns"] == pytest.approx(40, abs=5)
    assert now["quorate_decisions_open", "review", "apply_fix"] == 1
    assert now["quorate_decision_oldest_open_seconds",] == pytest.approx(90, abs=5)
    assert now["quorate_processes", "turns", "living"] == 1
    assert now["quorate_processes", "turns", "silent"] == 1
    assert now["quorate_slots", "turns"] == 10
    assert now["quorate_runs", "running"] == 1


def test_what_was_spent_is_the_same_before_and_after_it_is_summed_up(database: Database) -> None:
    for _ in range(7):
        held = take(database, new_run(database, "a"), "a")
        database.run(partial(store_response, response=response(held)))
    execute(database, "UPDATE usage SET cost_usd = 0.1, output_tokens = NULL WHERE id %% 2 = 0")
    execute(database, "UPDATE usage SET cost_usd = NULL WHERE id %% 3 = 0")
    before = tell(database, spent)

    database.run(partial(sum_up, enough=1))

    assert tell(database, spent) == before
    assert before["quorate_calls_total", "p", "openai"] == 7
    assert before["quorate_calls_unpriced_total", "p", "openai"] == 2
    assert before["quorate_tokens_total", "p", "openai", "input"] == 21


def test_the_moment_until_which_was_counted_is_told(database: Database) -> None:
    before: datetime = fetch(database, "SELECT now() AS at").at
    count_now(database)

    assert tell(database, gauges)["quorate_counted_until_timestamp_seconds",] >= before.timestamp()

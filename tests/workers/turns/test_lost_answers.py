"""A call whose answer is lost may have been paid: it is counted as unknown, and made at most once more."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from shared.errors import ProviderError
from shared.models.outcomes import FailureKind
from shared.models.panel import Participant
from shared.store.database import Database
from tests.support.model_process import ModelServer
from tests.support.notices import column_words
from tests.support.runs import execute, fetch, step_row
from tests.support.turns import calls, openai, turn, work
from tests.workers.providers.calls import at, call_of
from workers.providers.registry import load_provider
from workers.turns.steps import StepWorker

pytestmark = pytest.mark.component


def work_until_ended(worker: StepWorker, database: Database, run: str) -> int:
    """How many times a worker took the step."""
    for taken in range(1, 10):
        if work(worker, run).status in ("done", "failed"):
            return taken
        execute(database, "UPDATE steps SET not_before = NULL")
    raise AssertionError("it never ended")


# ---- what may have been charged ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "kind", "charged"),
    [
        ("malformed", FailureKind.UNPARSEABLE, True),
        ("nobody", FailureKind.UNPARSEABLE, True),
        ("cut", FailureKind.UNREACHABLE, True),
        ("reset", FailureKind.UNREACHABLE, True),
        ("500", FailureKind.OVERLOADED, False),
        ("429", FailureKind.RATE_LIMITED, False),
        ("401", FailureKind.CREDENTIALS, False),
    ],
)
@pytest.mark.parametrize("watched", [False, True])
def test_only_a_call_that_was_sent_whole_and_not_refused_may_have_been_charged(
    model_server: ModelServer, fault: str, kind: FailureKind, charged: bool, watched: bool
) -> None:
    call = call_of("openai", f"charged?fault={fault}", options=at(model_server))
    if watched:
        call = replace(call, watch=lambda _: None)
    with pytest.raises(ProviderError) as raised:
        load_provider("openai").complete(call, threading.Event())
    assert raised.value.kind in {kind, FailureKind.UNREACHABLE if watched else kind}
    assert bool(raised.value.charged) is charged


def test_a_call_that_reached_nobody_was_not_charged() -> None:
    call = call_of("openai", "m", options={"base_url": "http://127.0.0.1:1/v1"})
    with pytest.raises(ProviderError) as raised:
        load_provider("openai").complete(call, threading.Event())
    assert not raised.value.charged


def test_a_call_that_was_given_up_in_its_middle_may_have_been_charged(
    model_server: ModelServer,
) -> None:
    for deadline_s in (0.5, 20.0):
        model = f"given-up-{deadline_s}?latency=60"
        call = call_of("openai", model, options=at(model_server), deadline_s=deadline_s)
        with pytest.raises(ProviderError) as raised:
            load_provider("openai").complete(call, threading.Event())
        if model_server.calls(model):  # else the machine stood still until the call's time was over
            break
    assert (raised.value.kind, raised.value.charged) == (FailureKind.TIMEOUT, True)


# ---- what a step does about it -------------------------------------------------------------------


@pytest.mark.parametrize("fault", ["malformed", "cut", "reset"])
def test_a_lost_answer_is_asked_for_once_more_and_both_calls_count_as_unknown(
    worker: StepWorker, database: Database, model_server: ModelServer, fault: str
) -> None:
    model = f"lost-{fault}--fault={fault}"
    run = turn(database, openai(model_server, model))

    assert work_until_ended(worker, database, run) == 2

    assert len(model_server.calls(model)) == calls(database) == 2
    assert fetch(database, "SELECT count(*) AS n FROM usage WHERE cost_usd IS NULL").n == 2
    row = step_row(database, run, "a")
    assert (row.status, row.tokens, row.cost_usd) == ("failed", None, None)


def test_a_lost_answer_that_comes_the_second_time_is_a_reply_whose_cost_is_unknown(
    worker: StepWorker, database: Database, model_server: ModelServer
) -> None:
    model = "lost-once--fault=cut--times=1"
    run = turn(database, openai(model_server, model))

    assert work_until_ended(worker, database, run) == 2

    row = step_row(database, run, "a")
    assert (row.status, row.tokens) == ("done", None)
    assert "asked again after a lost answer" in column_words(row.note)
    assert "adopted" not in row.note
    assert len(model_server.calls(model)) == calls(database) == 2


def test_a_lost_call_is_no_gift_when_the_store_answers_the_second_time(
    worker: StepWorker, database: Database, model_server: ModelServer
) -> None:
    model = "lost-then-reused--fault=cut--times=1"
    run = turn(database, openai(model_server, model), reuse=True)
    assert work(worker, run).status == "handed back"
    other = turn(database, openai(model_server, model), marker="n" * 24)
    assert work(worker, other).status == "done"

    work_until_ended(worker, database, run)

    row = step_row(database, run, "a")
    assert (row.status, row.tokens, row.cost_usd) == ("done", None, None)
    assert len(model_server.calls(model)) == 2
    assert "reused" in column_words(row.note)
    assert "asked again" not in row.note


def test_behind_a_lost_answer_an_unusable_one_is_not_mended(
    worker: StepWorker, database: Database, model_server: ModelServer
) -> None:
    model = "lost-then-garbage--fault=garbage"
    run = turn(database, openai(model_server, "lost-then-garbage--fault=malformed"))
    assert work(worker, run).status == "handed back"
    execute(database, "UPDATE steps SET not_before = NULL")
    execute(
        database,
        "UPDATE requests SET bodies = jsonb_set(bodies, '{a,participant,model}', to_jsonb(%s::text))",
        model,
    )

    assert work(worker, run).status == "failed"

    row = step_row(database, run, "a")
    assert row.failure_kind == FailureKind.UNPARSEABLE
    assert "lost" in row.failure_message
    assert len(model_server.calls(model)) == 1
    assert calls(database) == 2


def test_who_stands_in_is_asked_once_both_calls_are_lost(
    worker: StepWorker, database: Database, model_server: ModelServer
) -> None:
    fallback = openai(model_server, "stands-in").model_copy(update={"name": "other"})
    model = "lost-for-good--fault=reset"
    who: Participant = openai(model_server, model).model_copy(update={"fallback": (fallback,)})
    run = turn(database, who)

    assert work_until_ended(worker, database, run) == 2

    row = step_row(database, run, "a")
    assert (row.status, row.tokens) == ("done", None)
    assert "spoken by other" in column_words(row.note)
    assert len(model_server.calls(model)) == 2
    assert len(model_server.calls("stands-in")) == 1
    assert calls(database) == 3


def test_a_call_that_used_up_its_time_is_counted_and_not_repeated(
    worker: StepWorker, database: Database, model_server: ModelServer
) -> None:
    for timeout_s in (0.7, 20.0):
        execute(database, "DELETE FROM usage")
        model = f"lost-slow-{timeout_s}--latency=60"
        who = openai(model_server, model).model_copy(update={"timeout_s": timeout_s})
        run = turn(database, who)
        assert work_until_ended(worker, database, run) == 1
        if model_server.calls(model):  # else the machine stood still until the turn's time was over
            break

    assert step_row(database, run, "a").failure_kind == FailureKind.TIMEOUT
    assert len(model_server.calls(model)) == calls(database) == 1

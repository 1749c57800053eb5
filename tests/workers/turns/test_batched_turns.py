"""A turn through a provider's batch API: it waits holding nothing, is answered once and paid half."""

from __future__ import annotations

import pytest

from shared.models.run import Budget
from shared.store.database import Database
from shared.store.runs import cancel_run, lock_run
from shared.store.sweeping import due_runs
from tests.support.batch_stand import BatchStand
from tests.support.batched_turns import (
    FULL_USD,
    HALF_USD,
    batched,
    carry,
    courier,
    finished,
    make_due,
    state,
)
from tests.support.notices import column_words
from tests.support.runs import execute, fetch, new_run, new_step, run_row, step_row
from tests.support.turns import asked, calls, turn, work
from workers.turns.steps import StepWorker

pytestmark = pytest.mark.component

PROVIDERS = ("anthropic", "openai", "openai-responses", "gemini")


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_turn_waits_holding_nothing_and_adopts_its_answer_at_half_the_price(
    worker: StepWorker, database: Database, stand: BatchStand, provider: str
) -> None:
    run = turn(database, batched(stand, provider))
    assert work(worker, run).status == "handed back"
    waits = step_row(database, run, "a")
    assert (waits.status, waits.owner, waits.attempts) == ("pending", None, 0)
    assert "waits_batch" in waits.note
    assert stand.asked == []

    carry(database, stand, courier(database))
    row = finished(worker, database, run)

    assert (row.status, row.reply["summary"]) == ("done", "from a batch")
    assert row.cost_usd == pytest.approx(HALF_USD)
    assert (calls(database), len(stand.posted())) == (1, 1)
    assert fetch(database, "SELECT body FROM batched_calls").body is None
    assert all(batch.deleted or not stand.files for batch in stand.batches)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_many_turns_go_into_one_batch_and_each_gets_its_own_answer(
    worker: StepWorker, database: Database, stand: BatchStand, provider: str
) -> None:
    runs = [turn(database, batched(stand, provider)) for _ in range(20)]
    for run in runs:
        work(worker, run)
    carry(database, stand, courier(database))
    rows = [finished(worker, database, run) for run in runs]
    assert [row.status for row in rows] == ["done"] * 20
    assert len(stand.batches) == 1
    assert len(set(stand.posted())) == 20
    spent = fetch(database, "SELECT count(*) AS n, sum(cost_usd) AS usd FROM usage")
    assert (spent.n, spent.usd) == (20, pytest.approx(20 * HALF_USD))


@pytest.mark.parametrize("provider", PROVIDERS)
def test_models_and_addresses_do_not_share_a_batch(
    worker: StepWorker, database: Database, stand: BatchStand, provider: str
) -> None:
    for model in ("one", "two"):
        work(worker, turn(database, batched(stand, provider, model=model)))
    courier(database).tick()
    assert len(stand.batches) == 2


ERRORS = {
    "anthropic": ("invalid_request_error:prompt is too long", "overloaded_error"),
    "openai": ("400:maximum context length", "500:"),
    "openai-responses": ("400:maximum context length", "500:"),
    "gemini": ("400:input token count exceeds the maximum", "503:"),
}


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_partial_failure_is_typed_call_by_call(
    worker: StepWorker, database: Database, stand: BatchStand, provider: str
) -> None:
    runs = [turn(database, batched(stand, provider)) for _ in range(3)]
    for run in runs:
        work(worker, run)
    names = [state(database, run).id for run in runs]
    stand.outcome = {names[0]: ERRORS[provider][0]}.get  # type: ignore[assignment]
    stand.outcome = lambda name, _: ERRORS[provider][0] if name == names[0] else "answered"
    carrier = courier(database)
    carrier.tick()
    stand.finish(but=names[1:2])
    make_due(database)
    carrier.tick()

    good = finished(worker, database, runs[2])
    bad = finished(worker, database, runs[0])
    gone = finished(worker, database, runs[1])
    assert good.status == "done"
    assert (bad.status, bad.failure_kind) == ("failed", "context_overflow")
    assert (gone.status, gone.failure_kind) == ("failed", "unreachable")
    assert "ended without an answer" in column_words(gone.failure_message)
    assert calls(database) == 1


@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_overloaded_call_is_put_into_another_batch(
    worker: StepWorker, database: Database, stand: BatchStand, provider: str
) -> None:
    run = turn(database, batched(stand, provider))
    work(worker, run)
    stand.outcome = lambda _name, _body: ERRORS[provider][1]
    carrier = courier(database)
    carry(database, stand, carrier)
    finished(worker, database, run)
    assert step_row(database, run, "a").attempts == 1
    execute(database, "UPDATE steps SET not_before = now()")
    work(worker, run)
    stand.outcome = lambda _name, _body: "answered"
    carry(database, stand, carrier)
    assert finished(worker, database, run).status == "done"
    assert len(stand.batches) == 2


@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_expired_is_a_timeout_that_says_so(
    worker: StepWorker, database: Database, stand: BatchStand, provider: str
) -> None:
    run = turn(database, batched(stand, provider))
    work(worker, run)
    carrier = courier(database)
    carrier.tick()
    stand.outcome = lambda _name, _body: "expired"
    stand.finish("expired" if provider == "gemini" else "ended")
    make_due(database)
    carrier.tick()
    row = finished(worker, database, run)
    assert (row.status, row.failure_kind) == ("failed", "timeout")
    assert "within the batch's time" in column_words(row.failure_message)
    assert calls(database) == 0


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_refused_creation_is_tried_again_later_and_nothing_is_lost(
    worker: StepWorker, database: Database, stand: BatchStand, provider: str
) -> None:
    run = turn(database, batched(stand, provider))
    work(worker, run)
    error = {"error": {"type": "rate_limit_error", "message": "too many batches"}}
    stand.refuse = [(429, error, {"retry-after": "30"})]
    carrier = courier(database)
    carrier.tick()
    assert (state(database, run).status, stand.batches) == ("queued", [])
    carrier.tick()
    assert stand.batches == []
    make_due(database)
    carry(database, stand, carrier)
    assert finished(worker, database, run).status == "done"


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_refusal_for_good_fails_every_call_of_the_batch(
    worker: StepWorker, database: Database, stand: BatchStand, provider: str
) -> None:
    runs = [turn(database, batched(stand, provider)) for _ in range(2)]
    for run in runs:
        work(worker, run)
    error = {"error": {"type": "authentication_error", "message": "no such key"}}
    stand.refuse = [(401, error, {})]
    courier(database).tick()
    for run in runs:
        row = finished(worker, database, run)
        assert (row.status, row.failure_kind) == ("failed", "credentials")


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_batch_whose_creation_was_not_heard_of_is_found_and_never_posted_again(
    worker: StepWorker, database: Database, stand: BatchStand, provider: str
) -> None:
    """Beside another batch of the same size, of somebody else who has the same key."""
    run = turn(database, batched(stand, provider))
    work(worker, run)
    stand.accept({"foreign": {"model": "stub"}}, name="foreign", endpoint="/v1/chat/completions")
    stand.cut_after_accepting = 1
    carrier = courier(database)
    carrier.tick()
    assert len(stand.batches) == 2
    for _ in range(3):
        make_due(database)
        carrier.tick()
    stand.finish()
    for _ in range(2):
        make_due(database)
        carrier.tick()
    assert finished(worker, database, run).status == "done"
    assert len(stand.batches) == 2
    assert not stand.batches[0].deleted
    assert calls(database) == 1


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_batch_that_never_arrived_is_posted_once_more(
    worker: StepWorker, database: Database, stand: BatchStand, provider: str
) -> None:
    run = turn(database, batched(stand, provider))
    work(worker, run)
    stand.refuse = [(502, {"error": {"message": "bad gateway"}}, {})]
    carrier = courier(database)
    carrier.tick()
    assert stand.batches == []
    for _ in range(2):
        make_due(database)
        carrier.tick()
    carry(database, stand, carrier)
    assert finished(worker, database, run).status == "done"
    assert len(stand.batches) == 1


@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_unusable_answer_is_mended_through_another_batch(
    worker: StepWorker, database: Database, stand: BatchStand, provider: str
) -> None:
    run = turn(database, batched(stand, provider), prompt=({"text": "SPOIL it"},))
    work(worker, run)
    carrier = courier(database)
    carry(database, stand, carrier)
    finished(worker, database, run)
    assert state(database, run).number == 2
    carry(database, stand, carrier)
    row = finished(worker, database, run)
    assert (row.status, row.cost_usd) == ("done", pytest.approx(2 * HALF_USD))
    assert calls(database) == 2


@pytest.mark.parametrize("provider", PROVIDERS)
def test_when_all_its_runs_have_ended_a_batch_is_cancelled_and_what_it_did_is_counted(
    worker: StepWorker, database: Database, stand: BatchStand, provider: str
) -> None:
    runs = [turn(database, batched(stand, provider)) for _ in range(2)]
    for run in runs:
        work(worker, run)
    carrier = courier(database)
    carrier.tick()
    for number, run in enumerate(runs):
        database.run(lambda c, run=run: cancel_run(c, run, "tester"), atomic=True)  # type: ignore[misc]
        make_due(database)
        carrier.tick()
        assert stand.batches[0].cancelled == (number == 1)
    stand.batches[0].cancelled = False  # it was too late: everything had been answered
    stand.finish()
    make_due(database)
    carrier.tick()
    assert [run_row(database, run).status for run in runs] == ["cancelled"] * 2
    assert calls(database) == 2
    assert (
        fetch(database, "SELECT count(*) AS n FROM batched_calls WHERE released_at IS NULL").n == 0
    )


def test_what_was_cancelled_before_it_was_sent_is_never_sent(
    worker: StepWorker, database: Database, stand: BatchStand
) -> None:
    run = turn(database, batched(stand))
    work(worker, run)
    database.run(lambda c: cancel_run(c, run, "tester"), atomic=True)
    courier(database).tick()
    assert stand.asked == []
    assert fetch(database, "SELECT count(*) AS n FROM batched_calls").n == 0


def test_a_mixed_panel_waits_for_its_batched_participant_only(
    worker: StepWorker, database: Database, stand: BatchStand
) -> None:
    slow = asked(batched(stand))
    quick = asked(
        batched(stand, name="other").model_copy(
            update={
                "provider": "scripted",
                "options": {"replies": [{"reply": {"verdict": "APPROVED", "summary": "now"}}]},
            }
        )
    )
    run = new_run(database, new_step("a", request=slow), new_step("b", 1, request=quick))
    assert work(worker, run, "a").status == "handed back"
    assert work(worker, run, "b").status == "done"
    carry(database, stand, courier(database))
    assert finished(worker, database, run).status == "done"
    assert run_row(database, run).open_steps == 0


def test_the_clock_of_a_run_stands_still_while_its_calls_wait_and_counts_once(
    worker: StepWorker, database: Database, stand: BatchStand
) -> None:
    request = asked(batched(stand))
    run = new_run(database, new_step("a", request=request), new_step("b", 1, request=request))
    work(worker, run, "a")
    work(worker, run, "b")
    execute(database, "UPDATE batched_calls SET created_at = now() - interval '5 hours'")
    execute(database, "UPDATE runs SET deadline_at = now() - interval '1 hour'")
    locked = database.run(lambda c: lock_run(c, run), atomic=True)
    assert locked is not None
    assert not locked.overdue
    assert due_runs_of(database) == []
    carry(database, stand, courier(database))
    left = fetch(database, "SELECT extract(epoch FROM deadline_at - now()) AS s FROM runs").s
    assert left == pytest.approx(4 * 3600, abs=60)


def due_runs_of(database: Database) -> list[str]:
    return database.run(lambda c: due_runs(c, 0.0))


def test_what_waits_in_a_batch_is_reserved_from_the_budget(
    worker: StepWorker, database: Database, stand: BatchStand
) -> None:
    """Half the price is put aside, once, until the answer is there."""
    request = asked(batched(stand, max_output_tokens=10_000), budgeted=True)
    most = 10_000 * 15 / 1e6 / 2 + 0.01
    run = new_run(
        database,
        new_step("a", request=request),
        new_step("b", 1, request=request),
        budget=Budget(max_usd=most),
    )
    work(worker, run, "a")
    work(worker, run, "b")
    assert "waits_batch" in step_row(database, run, "a").note
    assert "waits_budget" in step_row(database, run, "b").note
    assert fetch(database, "SELECT count(*) AS n FROM reservations").n == 1
    carry(database, stand, courier(database))
    assert finished(worker, database, run).status == "done"
    execute(database, "UPDATE steps SET not_before = NULL")
    work(worker, run, "b")
    assert "waits_batch" in step_row(database, run, "b").note
    assert FULL_USD > HALF_USD > 0

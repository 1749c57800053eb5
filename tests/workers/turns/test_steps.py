"""Work on steps, in this process, with real Postgres: whatever happens ends in a typed outcome in the step's row."""

from __future__ import annotations

import json
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from pydantic import JsonValue

from shared.delivery.contracts import Receipt
from shared.models.outcomes import FailureKind
from shared.models.panel import Participant
from shared.models.steps import PromptPart
from shared.store.database import Database
from shared.store.documents import address
from shared.store.events import list_events
from shared.store.runs import cancel_run
from shared.store.steps import claim_steps
from tests.support.bad_servers import read_request, reply, server
from tests.support.notices import column_words
from tests.support.runs import execute, fetch, new_run, new_step, run_row, step_row, take
from tests.support.turns import Entry, asked, calls, scripted, tool, turn, until, work
from workers.turns.steps import StepWorker
from workers.turns.turn import TurnWorker

pytestmark = pytest.mark.component

APPROVED = {"verdict": "APPROVED", "summary": "좋습니다"}


# ---- ends ---------------------------------------------------------------------------------------


def test_a_turn_is_done_and_its_receipt_holds_ids_only(
    worker: StepWorker, database: Database
) -> None:
    run = turn(database, scripted({"reply": APPROVED}))

    receipt = work(worker, run)

    assert receipt == Receipt(step="a", status="done", ready=True)
    row = step_row(database, run, "a")
    assert (row.status, row.reply["summary"], row.owner) == (
        "done",
        "좋습니다",
        worker.presence.process_id,
    )
    assert worker.presence.in_flight.snapshot() == set()
    assert calls(database) == 1


def test_a_step_that_is_not_the_last_is_not_ready(worker: StepWorker, database: Database) -> None:
    run = new_run(database, new_step("a", request=asked(scripted({"reply": APPROVED}))), "b")

    assert work(worker, run) == Receipt(step="a", status="done", ready=False)


class Stopped(Database):
    """This process stands still after each claim, and another one takes what was claimed."""

    def run(self, work: Any, **options: Any) -> Any:
        result = super().run(work, **options)
        if getattr(work, "func", None) is claim_steps:
            execute(self, "UPDATE steps SET owner = 'another', token = token + 1")
        return result


@pytest.mark.parametrize(("stood_still_s", "paid"), [(0.0, 0), (60.0, 1)])
def test_a_process_that_was_stopped_after_its_claim_pays_for_nothing_that_others_took(
    worker: StepWorker, database: Database, database_url: str, stood_still_s: float, paid: int
) -> None:
    run = turn(database, scripted({"reply": APPROVED}))
    stopped = Stopped(database_url)
    try:
        mine = replace(worker, turns=TurnWorker(stopped), stood_still_s=stood_still_s)

        assert work(mine, run).status == "stale"

        assert calls(database) == paid
        assert step_row(database, run, "a").owner == "another"
        mine.close()
    finally:
        stopped.close()


@pytest.mark.parametrize(
    ("fault", "kind", "paid"),
    [
        ("refusal", FailureKind.REFUSAL, 1),
        ("empty", FailureKind.EMPTY, 1),
        ("garbage", FailureKind.UNPARSEABLE, 2),
        ("truncated", FailureKind.TRUNCATED, 1),
        ("context_overflow", FailureKind.CONTEXT_OVERFLOW, 0),
        ("credentials", FailureKind.CREDENTIALS, 0),
        ("timeout", FailureKind.TIMEOUT, 0),
    ],
)
def test_every_fault_of_a_participant_is_a_typed_failure_and_its_calls_are_counted(
    worker: StepWorker, database: Database, fault: str, kind: FailureKind, paid: int
) -> None:
    run = turn(database, scripted({"fault": fault, "reply": APPROVED}))

    assert work(worker, run) == Receipt(step="a", status="failed", ready=True, failure=kind.value)

    row = step_row(database, run, "a")
    assert (row.status, row.failure_kind) == ("failed", kind)
    assert "critic" in row.failure_message
    assert row.reply is None
    assert calls(database) == paid


def test_an_answer_in_a_bad_form_is_repaired_once(worker: StepWorker, database: Database) -> None:
    run = turn(database, scripted({"fault": "unparseable_once", "reply": APPROVED}))

    assert work(worker, run).status == "done"

    assert column_words(step_row(database, run, "a").note) == "repaired"
    assert calls(database) == 2


@pytest.mark.parametrize("summary", ["zero \x00 byte", "half \ud800 character", "\u202e turned"])
def test_text_that_a_database_cannot_hold_does_not_stop_a_turn(
    worker: StepWorker, database: Database, summary: str
) -> None:
    run = turn(database, scripted())
    escaped = {"reply": json.dumps({"verdict": "APPROVED", "summary": summary})}
    request = asked(scripted(escaped))
    execute(database, "UPDATE requests SET bodies = jsonb_build_object('a', %s::jsonb)", request)

    assert work(worker, run).status == "done"
    assert step_row(database, run, "a").reply["verdict"] == "APPROVED"


def test_large_prompts_and_scripts_are_brought_in_from_the_store(
    worker: StepWorker, database: Database
) -> None:
    prompt, script = b"the needle is here", b'[{"when": {"contains": "needle"}, "reply": "%s"}]'
    script %= b'{\\"verdict\\": \\"APPROVED\\"}'
    participant = Participant(
        name="critic", provider="scripted", options={"replies": {"document": address(script)}}
    )
    request = asked(participant, prompt=(PromptPart(document=address(prompt), fence="diff"),))
    run = new_run(
        database,
        new_step("a", request=request),
        documents={address(text): text for text in (prompt, script)},
    )

    assert work(worker, run).status == "done"


def test_a_rule_based_turn_costs_no_call(worker: StepWorker, database: Database) -> None:
    rules = Participant(name="author", provider="rules")
    brief: Entry = {"findings": []}
    run = turn(database, rules, role="rebuttal", reply_model="rebuttal.review", brief=brief)

    assert work(worker, run).status == "done"
    assert calls(database) == 0


def test_an_unknown_provider_and_an_unknown_tool_are_said_to_be_unknown(
    worker: StepWorker, database: Database
) -> None:
    provider = turn(database, Participant(name="critic", provider="opnai"))
    unknown_tool = tool(database, "rufff")

    assert work(worker, provider).status == "failed"
    assert work(worker, unknown_tool).status == "failed"

    row = step_row(database, provider, "a")
    assert row.failure_kind == FailureKind.BAD_REQUEST
    assert "did you mean 'openai'?" in column_words(row.failure_message)
    assert step_row(database, unknown_tool, "a").failure_kind == FailureKind.TOOL_ERROR


def test_a_document_that_was_purged_is_a_failure_and_no_crash(
    worker: StepWorker, database: Database
) -> None:
    missing = (PromptPart(document="0" * 64),)
    run = turn(database, scripted({"reply": APPROVED}), prompt=missing)

    assert work(worker, run).status == "failed"
    assert "is not stored" in step_row(database, run, "a").failure_message


def test_a_request_that_this_worker_cannot_read_is_a_failed_step_without_its_text(
    worker: StepWorker, database: Database
) -> None:
    run = new_run(database, new_step("a", request='{"from_the_future": "canary-7f3a"}'))

    assert work(worker, run).status == "failed"
    assert "canary" not in step_row(database, run, "a").failure_message


# ---- twice, late, not at all --------------------------------------------------------------------


def test_a_doubled_message_finds_the_step_done_and_leaves(
    worker: StepWorker, database: Database
) -> None:
    run = turn(database, scripted({"reply": APPROVED}))
    work(worker, run)

    assert work(worker, run) == Receipt(step="a", status="done", ready=True)
    assert calls(database) == 1
    assert work(worker, run, "z") == Receipt(step="z", status="unknown")
    assert work(worker, "nobody") == Receipt(step="a", status="unknown")


def test_eight_messages_at_once_are_one_call(worker: StepWorker, database: Database) -> None:
    run = turn(database, scripted({"reply": APPROVED, "latency_s": 0.2}))

    with ThreadPoolExecutor(8) as pool:
        receipts = list(pool.map(lambda _n: work(worker, run), range(8)))

    assert sorted(receipt.status for receipt in receipts)[0] == "done"
    assert calls(database) == 1
    assert step_row(database, run, "a").attempts == 1


def test_a_provider_that_asks_to_wait_is_asked_three_times_and_then_given_up(
    worker: StepWorker, database: Database
) -> None:
    run = turn(database, scripted({"fault": "rate_limited", "retry_after_s": 0}))

    statuses = [work(worker, run).status for _ in range(3)]

    assert statuses == ["handed back", "handed back", "failed"]
    row = step_row(database, run, "a")
    assert (row.attempts, row.failure_kind) == (3, FailureKind.RATE_LIMITED)
    assert run_row(database, run).open_steps == 0


def test_a_step_that_was_handed_back_is_not_taken_before_its_time(
    worker: StepWorker, database: Database
) -> None:
    run = turn(database, scripted({"fault": "overloaded", "retry_after_s": 30}))

    assert work(worker, run).status == "handed back"
    assert work(worker, run) == Receipt(step="a", status="pending")

    waits = fetch(database, "SELECT extract(epoch FROM not_before - now())::float AS s FROM steps")
    assert 20 < waits.s <= 30


def test_a_provider_that_asks_for_longer_than_a_round_can_wait_is_given_up(
    worker: StepWorker, database: Database
) -> None:
    run = turn(database, scripted({"fault": "rate_limited", "retry_after_s": 3600}))

    assert work(worker, run).status == "failed"


def test_another_attempt_may_succeed(worker: StepWorker, database: Database) -> None:
    run = turn(
        database,
        scripted(
            {"when": {"attempt": 1}, "fault": "overloaded", "retry_after_s": 0},
            {"when": {"attempt": 2}, "reply": APPROVED},
        ),
    )

    assert [work(worker, run).status for _ in range(2)] == ["handed back", "done"]


def test_a_worker_whose_step_was_taken_over_writes_nothing(
    worker: StepWorker, database: Database
) -> None:
    taken_over = threading.Event()
    message = {"content": json.dumps(APPROVED)}
    body = json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]}).encode()

    def answer_too_late(connection: socket.socket) -> None:
        read_request(connection)
        taken_over.wait(60)
        connection.sendall(reply(body))

    with server(answer_too_late) as url, ThreadPoolExecutor(1) as pool:
        options: dict[str, JsonValue] = {"base_url": url}
        who = Participant(name="critic", provider="openai", model="late", options=options)
        run = turn(database, who)
        late = pool.submit(work, worker, run)
        until(lambda: step_row(database, run, "a").status == "leased")
        execute(database, "UPDATE steps SET status = 'pending', owner = NULL")
        take(database, run, "a", "another", "another")
        taken_over.set()

        assert late.result(60) == Receipt(step="a", status="stale")

    row = step_row(database, run, "a")
    assert (row.status, row.owner, row.reply) == ("leased", "another", None)
    assert run_row(database, run).open_steps == 1


def test_a_cancelled_run_stops_the_call_within_seconds(
    worker: StepWorker, database: Database
) -> None:
    run = turn(database, scripted({"fault": "hang"}, timeout_s=600))
    with ThreadPoolExecutor(1) as pool:
        receipt = pool.submit(work, worker, run)
        until(lambda: step_row(database, run, "a").status == "leased")
        database.run(lambda c: cancel_run(c, run, "me"), atomic=True)

        assert receipt.result(60) == Receipt(step="a", status="stale")

    assert step_row(database, run, "a").status == "cancelled"


# ---- people -------------------------------------------------------------------------------------


def test_a_person_is_reminded_in_the_last_quarter_and_missed_at_the_end(
    worker: StepWorker, database: Database
) -> None:
    me = Participant(name="me", provider="person", options={"answer_within_s": 3600})
    run = turn(database, me)

    for later, told in (
        ("50 min", ["turn.reminded"]),
        ("11 min", ["turn.reminded", "turn.missed"]),
    ):
        execute(
            database,
            "UPDATE steps SET created_at = created_at - %s::interval, not_before = NULL WHERE run_id = %s",
            later,
            run,
        )
        work(worker, run)
        rows = database.run(lambda connection: list_events(connection, run))
        assert [kind for _, kind, _ in rows if kind.startswith("turn.")] == told

    assert step_row(database, run, "a").failure_kind == FailureKind.TIMEOUT

"""Turns in a worker with limits, breaker, budget and reuse: what ends up in the step's row."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import JsonValue

from shared.delivery.contracts import StepPayload
from shared.delivery.presence import Presence
from shared.models.panel import Participant
from shared.models.run import Budget
from shared.models.steps import PromptPart, TurnRequest
from shared.providers.limits import pause, resume
from shared.store.database import Database
from tests.support.model_process import ModelServer
from tests.support.notices import column_words
from tests.support.runs import execute, fetch, new_run, new_step, step_row
from workers.limits.limiter import Limiter
from workers.limits.shared_state import SharedState
from workers.turns.spool import Spool
from workers.turns.steps import StepWorker
from workers.turns.turn import TurnWorker

pytestmark = pytest.mark.component

APPROVED = {"verdict": "APPROVED", "summary": "좋습니다"}


@pytest.fixture
def worker(database: Database, redis_url: str, tmp_path: Path) -> Iterator[StepWorker]:
    presence = Presence(database, "turns")
    presence.start()
    limiter = Limiter(SharedState(redis_url, breaker_after=2))
    yield StepWorker(TurnWorker(database, limiter), presence, Spool(tmp_path / "spool"))
    limiter.close()
    presence.stop()


def model(server: ModelServer, name: str, **fields: Any) -> Participant:
    options = {"base_url": server.base_url, **fields.pop("options", {})}
    return Participant(
        name=fields.pop("speaker", "gpt"), provider="openai", model=name, options=options, **fields
    )


def stand_in() -> Participant:
    options = {"replies": [{"reply": APPROVED}]}
    return Participant.model_validate(
        {"name": "scripted-one", "provider": "scripted", "options": options}
    )


def turn(
    database: Database, participant: Participant, *, budget: Budget | None = None, **fields: Any
) -> str:
    """A run of one step `a`, in which the participant speaks."""
    request = {
        "participant": participant,
        "role": "critique",
        "round": 1,
        "reply_model": "critique.review",
        "prompt": (PromptPart(text="Review it."), PromptPart(text="x = 1", fence="subject")),
        "marker": "m" * 24,
        "budgeted": budget is not None,
    }
    body = TurnRequest.model_validate({**request, **fields}).model_dump_json()
    return new_run(database, new_step("a", request=body), budget=budget)


def work(worker: StepWorker, run: str) -> str:
    return worker.work(StepPayload(run=run, step="a")).status


def ripe(database: Database) -> None:
    execute(database, "UPDATE steps SET not_before = NULL WHERE status = 'pending'")


# ---- waiting ------------------------------------------------------------------------------------


def test_a_turn_that_must_wait_is_handed_back_as_often_as_needed(
    worker: StepWorker, database: Database, model_server: ModelServer, redis_url: str
) -> None:
    run = turn(database, model(model_server, "paused-turn"))
    pause(redis_url, "gpt")
    for _ in range(5):
        assert work(worker, run) == "handed back"
        row = step_row(database, run, "a")
        assert (row.status, row.attempts, row.owner) == ("pending", 0, None)
        ripe(database)
    assert model_server.calls("paused-turn") == []

    resume(redis_url, "gpt")

    assert work(worker, run) == "done"
    assert step_row(database, run, "a").attempts == 1


def test_a_waiting_turn_is_published_again_as_soon_as_its_time_has_come(
    worker: StepWorker, database: Database, model_server: ModelServer, redis_url: str
) -> None:
    run = turn(database, model(model_server, "paused-turn-2"))
    pause(redis_url, "gpt")
    work(worker, run)

    row = step_row(database, run, "a")
    assert row.dispatched_at is None
    assert row.not_before is not None


def test_who_looks_at_a_waiting_turn_sees_what_it_waits_for_until_it_is_done(
    worker: StepWorker, database: Database, model_server: ModelServer, redis_url: str
) -> None:
    run = turn(database, model(model_server, "paused-turn-3"))
    pause(redis_url, "gpt")
    work(worker, run)
    assert column_words(step_row(database, run, "a").note).startswith(
        "gpt waits: an operator paused 'gpt'"
    )

    resume(redis_url, "gpt")
    ripe(database)
    work(worker, run)
    assert step_row(database, run, "a").note == ""


def test_a_refusal_for_being_too_fast_is_what_the_turn_waits_for(
    worker: StepWorker, database: Database, model_server: ModelServer
) -> None:
    run = turn(database, model(model_server, "slow-down?fault=429"))

    assert work(worker, run) == "handed back"

    assert "(HTTP 429)" in column_words(step_row(database, run, "a").note)


def test_a_provider_that_is_down_uses_up_the_attempts_and_ends_typed(
    worker: StepWorker, database: Database, model_server: ModelServer
) -> None:
    run = turn(database, model(model_server, "down-for-good?fault=529"))
    statuses = []
    for _ in range(3):
        statuses.append(work(worker, run))
        ripe(database)

    assert statuses == ["handed back", "handed back", "failed"]
    row = step_row(database, run, "a")
    assert row.failure_kind == "overloaded"
    assert "(HTTP 529)" in row.failure_message  # two calls opened the breaker, the third was none


# ---- fallback -----------------------------------------------------------------------------------


def test_when_a_key_is_refused_the_fallback_speaks_and_the_note_says_so(
    worker: StepWorker, database: Database, model_server: ModelServer
) -> None:
    first = model(model_server, "wrong-key?fault=401", fallback=(stand_in(),))
    run = turn(database, first)

    assert work(worker, run) == "done"

    row = step_row(database, run, "a")
    assert column_words(row.note) == "gpt is out of service (credentials), spoken by scripted-one"
    assert row.reply["summary"] == "좋습니다"
    spoken = fetch(database, "SELECT participant, provider FROM usage WHERE run_id = %s", run)
    assert tuple(spoken) == ("scripted-one", "scripted")


def test_while_a_breaker_is_open_the_fallback_speaks_without_a_call(
    worker: StepWorker, database: Database, model_server: ModelServer
) -> None:
    name = "breaks?fault=529"
    for _ in range(2):
        assert work(worker, turn(database, model(model_server, name))) == "handed back"
    before = len(model_server.calls(name))

    run = turn(database, model(model_server, name, fallback=(stand_in(),)))

    assert work(worker, run) == "done"
    assert "spoken by scripted-one" in column_words(step_row(database, run, "a").note)
    assert len(model_server.calls(name)) == before


def test_a_failure_that_is_not_tried_again_leaves_the_turn_to_the_fallback_at_once(
    worker: StepWorker, database: Database
) -> None:
    options: dict[str, JsonValue] = {"command": ["no-such-program-anywhere"]}
    first = Participant(name="cli", provider="command", options=options, fallback=(stand_in(),))
    run = turn(database, first, allow_external=True)

    assert work(worker, run) == "done"

    note = step_row(database, run, "a").note
    assert column_words(note) == "cli is out of service (unreachable), spoken by scripted-one"


def test_a_turn_that_waits_for_its_limit_is_not_given_to_a_fallback(
    worker: StepWorker, database: Database, model_server: ModelServer, redis_url: str
) -> None:
    pause(redis_url, "gpt")
    run = turn(database, model(model_server, "stub", fallback=(stand_in(),)))

    assert work(worker, run) == "handed back"


def test_when_nobody_who_stands_in_can_speak_either_all_of_them_are_named(
    worker: StepWorker, database: Database, model_server: ModelServer
) -> None:
    second = model(model_server, "second?fault=401", speaker="second")
    second = second.model_copy(update={"options": {**second.options, "account": "second"}})
    run = turn(database, model(model_server, "first?fault=401", fallback=(second,)))

    assert work(worker, run) == "failed"

    message = step_row(database, run, "a").failure_message
    assert column_words(message).startswith("second refused the key")
    assert column_words(message).endswith("(gpt is out of service (credentials))")


# ---- money --------------------------------------------------------------------------------------


def test_over_budget_no_call_is_made_and_the_failure_is_typed(
    worker: StepWorker, database: Database, model_server: ModelServer
) -> None:
    dear = model(model_server, "too-dear", options={"price": {"in": 1.0, "out": 1000.0}})
    run = turn(database, dear, budget=Budget(max_usd=1.0))

    assert work(worker, run) == "failed"

    row = step_row(database, run, "a")
    assert row.failure_kind == "over_budget"
    assert model_server.calls("too-dear") == []


def test_within_the_budget_a_turn_is_paid_and_its_repair_is_reserved_as_well(
    worker: StepWorker, database: Database, model_server: ModelServer
) -> None:
    price = {"price": {"in": 1.0, "out": 1.0}}
    clumsy = model(model_server, "clumsy?fault=garbage&times=1", options=price)
    run = turn(database, clumsy, budget=Budget(max_usd=1.0))

    assert work(worker, run) == "done"

    rows = fetch(
        database,
        "SELECT (SELECT array_agg(attempt ORDER BY attempt) FROM reservations) AS reserved, "
        "(SELECT array_agg(attempt ORDER BY attempt) FROM usage) AS used",
    )
    assert rows.reserved == rows.used == ["1:1", "1:2"]
    assert step_row(database, run, "a").cost_usd > 0


# ---- reuse --------------------------------------------------------------------------------------


def test_an_identical_turn_is_answered_from_the_store_when_the_run_wants_it(
    worker: StepWorker, database: Database, model_server: ModelServer
) -> None:
    name = "reused-one"
    first = turn(database, model(model_server, name))
    assert work(worker, first) == "done"

    again = turn(database, model(model_server, name, speaker="gpt-2"), marker="n" * 24, reuse=True)
    assert work(worker, again) == "done"

    row = step_row(database, again, "a")
    assert (column_words(row.note), row.tokens, row.cost_usd) == ("reused", 0, 0.0)
    assert row.reply == step_row(database, first, "a").reply
    assert len(model_server.calls(name)) == 1


def test_a_run_that_does_not_ask_for_it_pays_again(
    worker: StepWorker, database: Database, model_server: ModelServer
) -> None:
    for _ in range(2):
        assert work(worker, turn(database, model(model_server, "paid-twice"))) == "done"

    assert len(model_server.calls("paid-twice")) == 2


@pytest.mark.parametrize(
    "change",
    [
        {"prompt": (PromptPart(text="Review that."),)},
        {"temperature": 0.1},
        {"reply_model": "critique.red-team"},
    ],
)
def test_another_prompt_or_parameter_is_another_turn(
    worker: StepWorker, database: Database, model_server: ModelServer, change: dict[str, Any]
) -> None:
    name = f"differs-{next(iter(change))}"
    assert work(worker, turn(database, model(model_server, name))) == "done"

    work(worker, turn(database, model(model_server, name), reuse=True, **change))

    assert len(model_server.calls(name)) >= 2


def test_a_failure_is_never_reused(
    worker: StepWorker, database: Database, model_server: ModelServer
) -> None:
    name = "refuses-once?fault=refusal&times=1"
    assert work(worker, turn(database, model(model_server, name))) == "failed"

    run = turn(database, model(model_server, name), reuse=True)

    assert work(worker, run) == "done"
    assert "reused" not in step_row(database, run, "a").note


def test_of_a_repaired_turn_the_repaired_answer_is_reused(
    worker: StepWorker, database: Database, model_server: ModelServer
) -> None:
    name = "repaired-once?fault=garbage&times=1"
    assert work(worker, turn(database, model(model_server, name))) == "done"
    before = len(model_server.calls(name))

    run = turn(database, model(model_server, name), reuse=True)

    assert work(worker, run) == "done"
    assert column_words(step_row(database, run, "a").note) == "reused"
    assert len(model_server.calls(name)) == before


def test_who_cannot_be_paid_leaves_the_turn_to_the_next_who_can(
    worker: StepWorker, database: Database, model_server: ModelServer
) -> None:
    def priced(name: str, out: float) -> Participant:
        options: dict[str, JsonValue] = {"price": {"in": 1.0, "out": out}}
        return model(model_server, f"{name}-of-a-budget", speaker=name, options=options)

    dear = priced("dear", 1000.0).model_copy(
        update={"fallback": (priced("dearer", 2000.0), priced("cheap", 1.0))}
    )
    run = turn(database, dear, budget=Budget(max_usd=1.0))

    assert work(worker, run) == "done"

    assert column_words(step_row(database, run, "a").note) == (
        "dear cannot be paid (over_budget), dearer cannot be paid (over_budget), spoken by cheap"
    )
    calls = [len(model_server.calls(f"{n}-of-a-budget")) for n in ("dear", "dearer", "cheap")]
    assert calls == [0, 0, 1]

"""Submit and advance on real Postgres, with nobody to publish to: what is committed, returned, parked."""

import pytest

from orchestrator.engine.advance import Engine
from orchestrator.engine.staging import shown_hash
from shared.store.database import Database
from shared.store.events import list_events
from shared.store.listed_decisions import list_decisions
from shared.store.runs import cancel_run, unblock_run
from shared.store.views import (
    list_assessments,
    list_findings,
)
from tests.support.driving import (
    answer,
    approving,
    conceding,
    do,
    drive,
    event_kinds,
    keys,
    submit,
)
from tests.support.review_panel import submission
from tests.support.runs import at_once, execute, run_row, step_row

pytestmark = pytest.mark.component

FIRST_ROUND = ["critique/1/critic1", "critique/1/critic2"]


@pytest.fixture
def engine(database: Database) -> Engine:
    return Engine(database)


# ---- the ordinary way ---------------------------------------------------------------------------


def test_a_submitted_run_is_durable_and_its_first_advance_schedules_the_first_round(
    engine: Engine,
) -> None:
    run = submit(engine)
    assert run_row(engine.database, run).status == "running"

    scheduled = engine.advance(run)

    assert scheduled is not None
    assert keys(scheduled) == FIRST_ROUND
    assert {step.queue for step in scheduled.steps} == {"quorate.turns"}
    assert scheduled.root_task == run_row(engine.database, run).root_task
    row = run_row(engine.database, run)
    assert (row.open_steps, row.phase, row.advances) == (2, "Reviewing", 1)


def test_a_whole_review_from_submission_to_applied_fix(engine: Engine) -> None:
    run = submit(engine)

    before = drive(engine, run, conceding)
    assert run_row(engine.database, run).status == "waiting"
    assert run_row(engine.database, run).phase == "WaitingForReviewDecision"
    answer(engine, run, "apply_fix")
    after = drive(engine, run, conceding)

    assert [*before, *after] == [
        FIRST_ROUND,
        ["rebuttal/2/author"],
        ["critique/3/critic1", "critique/3/critic2"],
        ["synthesis/chair"],
        ["fixes/check"],
        ["apply"],
    ]
    row = run_row(engine.database, run)
    assert (row.status, row.ending, row.phase) == ("completed", "converged", "Executing")
    assert row.outcome["detail"]["applied"][0]["branch"] == "quorate/r1"
    assert row.finished_at is not None
    assert engine.advance(run) is None


def test_what_the_rounds_brought_is_there_to_be_read(engine: Engine) -> None:
    run = submit(engine)
    drive(engine, run, conceding)

    assessments = engine.database.run(lambda c: list_assessments(c, run))
    findings = engine.database.run(lambda c: list_findings(c, run))

    assert [one["key"] for one in assessments] == ["round/1", "round/2", "round/3"]
    assert [one["ending"] for one in assessments][-1] == "converged"
    assert [(one["id"], one["status"]) for one in findings] == [("F1", "accepted")]
    assert {name for one in findings for name in one["stances"]} == {"critic1", "critic2", "author"}
    events = engine.database.run(lambda c: list_events(c, run))
    assert [number for number, _, _ in events] == list(range(1, len(events) + 1))
    kinds = [kind for _, kind, _ in events]
    assert kinds.count("step.done") == 7
    assert kinds.count("round.assessed") == 3
    assert kinds[-1] == "decision.opened"


def test_an_answer_is_bound_to_exactly_what_was_asked(engine: Engine) -> None:
    run = submit(engine)
    drive(engine, run, conceding)

    (row,) = engine.database.run(lambda c: list_decisions(c, run=run))

    assert row.shown_sha256 == shown_hash(row.question["shown"])
    assert row.question["options"] == ["apply_fix", "skip"]


def test_a_run_that_nobody_knows_is_nothing_to_do(engine: Engine) -> None:
    assert engine.advance("nobody") is None


def test_the_same_key_is_the_same_run(engine: Engine) -> None:
    wanted = submission()
    names = {
        engine.submit(wanted.spec, "t", wanted.documents, idempotency_key="k") for _ in range(3)
    }

    assert len(names) == 1


# ---- twice, early, at once ----------------------------------------------------------------------


def test_a_trigger_that_comes_twice_or_too_early_writes_nothing(engine: Engine) -> None:
    run = submit(engine)
    engine.advance(run)
    before = run_row(engine.database, run)

    assert [engine.advance(run) for _ in range(3)] == [None, None, None]
    assert run_row(engine.database, run) == before

    do(engine.database, run, FIRST_ROUND[0], conceding)
    early = engine.advance(run)  # tells the step's end to the timeline, and nothing else
    assert keys(early) == []
    assert engine.advance(run) is None
    assert event_kinds(engine, run).count("step.done") == 1


def test_six_triggers_at_once_schedule_every_stage_once(engine: Engine) -> None:
    run = submit(engine)
    stages: list[list[str]] = []
    while True:
        scheduled = at_once(6, lambda _n: keys(engine.advance(run)))
        (stage, *others) = sorted(scheduled, key=len, reverse=True)
        assert others == [[]] * 5
        if not stage:
            break
        stages.append(stage)
        at_once(len(stage), lambda n, stage=stage: do(engine.database, run, stage[n], conceding))  # type: ignore[misc]

    assert [len(stage) for stage in stages] == [2, 1, 2, 1, 1]
    kinds = event_kinds(engine, run)
    assert kinds.count("step.done") == 7
    assert kinds.count("step.scheduled") == 7
    assert kinds.count("decision.opened") == 1
    positions = engine.database.run(
        lambda c: c.execute("SELECT position FROM steps ORDER BY position").fetchall()
    )
    assert [row.position for row in positions] == list(range(7))


def test_finishing_and_advancing_at_once_loses_no_end(engine: Engine) -> None:
    critics = 5
    run = submit(engine, submission(critics=critics))
    names = keys(engine.advance(run))

    def work(number: int) -> list[str]:
        if number < critics:
            do(engine.database, run, names[number], approving)
        return keys(engine.advance(run))

    scheduled = [stage for stage in at_once(critics + 3, work) if stage]

    assert scheduled == [["synthesis/chair"]]
    assert event_kinds(engine, run).count("step.done") == critics


def test_a_cancelled_run_is_not_advanced(engine: Engine) -> None:
    run = submit(engine)
    engine.advance(run)
    engine.database.run(lambda c: cancel_run(c, run, "me"), atomic=True)

    assert engine.advance(run) is None
    assert run_row(engine.database, run).status == "cancelled"


# ---- parked -------------------------------------------------------------------------------------


def test_a_step_that_is_recorded_as_something_else_parks_the_run_and_loses_nothing(
    engine: Engine,
) -> None:
    run = submit(engine)
    engine.advance(run)
    for name in FIRST_ROUND:
        do(engine.database, run, name, conceding)
    mended = step_row(engine.database, run, FIRST_ROUND[0]).fingerprint
    set_fingerprint = "UPDATE steps SET fingerprint = %s WHERE key = %s"
    execute(engine.database, set_fingerprint, "other", FIRST_ROUND[0])

    assert engine.advance(run) is None

    row = run_row(engine.database, run)
    assert row.status == "blocked"
    assert "is recorded as something else" in row.blocked_reason
    assert engine.advance(run) is None
    assert event_kinds(engine, run)[-1] == "run.blocked"
    assert step_row(engine.database, run, FIRST_ROUND[0]).reply is not None

    execute(engine.database, set_fingerprint, mended, FIRST_ROUND[0])
    assert engine.database.run(lambda c: unblock_run(c, run))
    assert keys(engine.advance(run)) == ["rebuttal/2/author"]
    assert run_row(engine.database, run).blocked_reason is None


def test_a_run_of_another_version_waits_for_a_code_that_knows_it(engine: Engine) -> None:
    run = submit(engine, submission(version=99))

    assert engine.advance(run) is None

    row = run_row(engine.database, run)
    assert row.status == "blocked"
    assert "no workflow 'review' of version 99" in row.blocked_reason


@pytest.mark.parametrize(
    ("tamper", "reason"),
    [
        ("UPDATE specs SET spec = spec || '{\"from_the_future\": 1}'", "RunSpec"),
        ('UPDATE steps SET reply = \'{"verdict": "MAYBE"}\'', "ReviewCritique"),
        ("DELETE FROM documents", "is not stored"),
    ],
    ids=["spec", "reply", "document"],
)
def test_what_this_code_cannot_read_parks_the_run_too(
    engine: Engine, tamper: str, reason: str
) -> None:
    run = submit(engine)
    engine.advance(run)
    for name in FIRST_ROUND:
        do(engine.database, run, name, conceding)
    execute(engine.database, tamper)

    assert Engine(engine.database).advance(run) is None

    row = run_row(engine.database, run)
    assert row.status == "blocked"
    assert reason in row.blocked_reason
    assert "MAYBE" not in row.blocked_reason  # what was said stays out of messages

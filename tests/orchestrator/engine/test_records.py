"""Facts that a workflow writes into its journal, of whatever kind: stored, sent again, listed, refused when unknown."""

import pytest

from orchestrator.engine.advance import Engine
from shared.models.steps import StepResult
from shared.store.database import Database
from shared.store.runs import unblock_run
from shared.store.views import list_assessments, list_records
from tests.support.driving import approving, do, drive, event_kinds, keys, submit
from tests.support.runs import execute, run_row
from tests.support.small_workflows import SMALL_WORKFLOWS, small

pytestmark = pytest.mark.component


@pytest.fixture
def engine(database: Database) -> Engine:
    return Engine(database, SMALL_WORKFLOWS)


def anything(_asked: object) -> StepResult:
    return StepResult(reply={"verdict": "APPROVED", "summary": "so it is"})


def test_facts_of_a_workflow_s_own_kind_are_written_once_and_listed_in_their_order(
    engine: Engine,
) -> None:
    run = submit(engine, small("machine"))

    drive(engine, run, anything)

    row = run_row(engine.database, run)
    assert (row.status, row.outcome["summary"]) == ("completed", "idle > planning > coding")
    written = engine.database.run(lambda c: list_records(c, run))
    assert [(fact.key, fact.kind, fact.body["before"]) for fact in written] == [
        ("mode/planning", "transition", "idle"),
        ("mode/coding", "transition", "planning"),
    ]
    assert event_kinds(engine, run).count("record.written") == 2
    assert engine.database.run(lambda c: list_assessments(c, run)) == []


def test_what_was_written_is_sent_again_and_not_computed_anew(engine: Engine) -> None:
    run = submit(engine, small("machine"))
    assert keys(engine.advance(run)) == ["planning"]
    execute(
        engine.database,
        'UPDATE records SET body = body || \'{"after": "elsewhere"}\' WHERE run_id = %s',
        run,
    )

    # Another orchestrator goes on: this one has what it wrote.
    drive_on(Engine(engine.database, SMALL_WORKFLOWS), run, "planning")

    assert run_row(engine.database, run).outcome["summary"] == "idle > elsewhere > coding"


def drive_on(engine: Engine, run: str, step: str) -> None:
    do(engine.database, run, step, anything)
    drive(engine, run, anything)


def test_a_record_of_an_unknown_kind_parks_the_run_and_is_kept(engine: Engine) -> None:
    run = submit(engine, small("machine"))
    engine.advance(run)
    do(engine.database, run, "planning", anything)
    execute(engine.database, "UPDATE records SET kind = 'from-the-future' WHERE run_id = %s", run)

    assert engine.advance(run) is None

    row = run_row(engine.database, run)
    assert row.status == "blocked"
    assert "record 'mode/planning' is of the kind 'from-the-future'" in row.blocked_reason
    execute(engine.database, "UPDATE records SET kind = 'transition' WHERE run_id = %s", run)
    engine.database.run(lambda c: unblock_run(c, run))
    drive(engine, run, anything)
    assert run_row(engine.database, run).status == "completed"


def test_a_round_s_record_is_the_kind_assessment_beside_which_its_findings_are_listed(
    engine: Engine,
) -> None:
    run = submit(engine)
    drive(engine, run, approving)

    written = engine.database.run(lambda c: list_records(c, run))

    assert {fact.kind for fact in written} == {"assessment"}
    listed = engine.database.run(lambda c: list_assessments(c, run))
    assert [fact["key"] for fact in listed] == [fact.key for fact in written]

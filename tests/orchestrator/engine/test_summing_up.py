"""The sweeper sums up what was spent."""

import pytest
from celery import Celery

from orchestrator.engine.advance import Engine
from orchestrator.engine.sweeper import Sweeper
from shared.store.daily_spending import ENOUGH
from shared.store.database import Database
from tests.support.runs import execute, fetch, new_run

pytestmark = pytest.mark.component


def test_a_sweep_sums_up_what_was_spent(database: Database, app: Celery) -> None:
    execute(
        database,
        "INSERT INTO usage (run_id, step, token, worker, participant, provider, request_sha, attempt) "
        "SELECT %s, 'a', 1, 'w', 'p', 'x', 'sha', n FROM generate_series(1, %s) n",
        new_run(database, "a"),
        ENOUGH,
    )

    Sweeper(database, app, Engine(database)).sweep()

    assert fetch(database, "SELECT sum(calls)::int AS n FROM daily_spending").n == ENOUGH

"""Steps that end with one statement."""

from dataclasses import replace

import pytest

from shared.store.database import Database
from shared.store.ends import StepEnd, finish_steps
from tests.support.runs import new_run, take

pytestmark = pytest.mark.component


def test_of_steps_that_end_together_one_is_the_last_of_its_run(database: Database) -> None:
    """Whoever reads that nothing is open publishes what follows: once, also when the answer to a commit was lost."""
    one, other = new_run(database, "a", "b", "c"), new_run(database, "a", "b")
    steps = [(one, "a"), (other, "a"), (one, "b"), (one, "c")]
    ends = [StepEnd(take(database, *step, nonce=f"{step}"), reply="{}") for step in steps]
    stale = StepEnd(replace(ends[1].claimed, token=7), reply="{}")

    for _ in range(2):
        left = database.run(lambda c: finish_steps(c, [*ends, stale]))
        assert left == [2, 1, 1, 0, None]

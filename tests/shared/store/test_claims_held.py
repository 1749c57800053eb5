"""A worker that slept asks whether its claim still holds before it changes anything outside."""

from __future__ import annotations

from shared.store.database import Database
from shared.store.runs import cancel_run
from shared.store.steps import Claim, is_held
from tests.support.runs import execute, new_run, take


def test_a_claim_holds_as_long_as_its_token_and_its_run_do(database: Database) -> None:
    run = new_run(database, "a", "b")
    mine, lost = take(database, run, "a"), take(database, run, "b")

    def holds(claimed: Claim) -> bool:
        return database.run(lambda c: is_held(c, claimed))

    assert (holds(mine), holds(lost)) == (True, True)
    execute(database, "UPDATE steps SET token = token + 1 WHERE key = 'b'")
    assert (holds(mine), holds(lost)) == (True, False)
    database.run(lambda c: cancel_run(c, run, "somebody"), atomic=True)
    assert not holds(mine)

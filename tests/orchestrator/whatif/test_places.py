"""Where a run that is not over can be forked."""

from dataclasses import replace

import pytest

from shared.errors import UnknownRun
from tests.orchestrator.whatif.test_forking import FIRST, forked, reviewed


def test_the_round_after_one_that_is_not_over_cannot_be_forked() -> None:
    whole = reviewed()
    done, open_ = whole.stored.steps[:2]
    stored = replace(
        whole.stored,
        steps=(done, replace(open_, status="leased", reply=None)),
        records={},
        decisions={},
    )
    recording = replace(whole, run=replace(whole.run, outcome=None), stored=stored)
    with pytest.raises(UnknownRun, match="round 1 of run r1 is not over: wait for it, or fork it"):
        forked(recording, "round:2")
    assert forked(recording, "round:1").then == FIRST

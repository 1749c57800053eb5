"""Runs that earlier versions recorded: this version asks for the same steps, judges alike, ends alike."""

import pytest

from tests.recorded_runs.reading import Moment, RecordedRun, advanced, different, otherwise, runs

MOMENTS = 12
ENDED = [run for run in runs() if run.row["status"] == "completed"]


def chosen(run: RecordedRun) -> list[Moment]:
    """The first moment, the last one, and some between."""
    every = list(run.moments())
    last = len(every) - 1
    return [every[at] for at in sorted({round(n * last / (MOMENTS - 1)) for n in range(MOMENTS)})]


@pytest.mark.parametrize("run", ENDED, ids=lambda run: run.name)
def test_the_whole_journal_leads_to_the_outcome_that_is_stored(run: RecordedRun) -> None:
    assert different(run) == []


@pytest.mark.parametrize("run", runs(), ids=lambda run: run.name)
def test_from_every_moment_a_run_goes_on_as_it_did(run: RecordedRun) -> None:
    for moment in chosen(run):
        assert otherwise(moment.advance, advanced(run, moment)) == []


def test_every_workflow_and_ending_and_both_versions_of_the_review_were_recorded() -> None:
    endings = {run.row["ending"] for run in ENDED}
    assert endings >= set(
        "converged stalled looping oscillating exhausted degraded over_budget".split()
    )
    found = {(run.spec.workflow, run.spec.workflow_version) for run in ENDED}
    assert found >= {("ask", 1), ("forum", 2), ("panel", 1), ("plan", 1), ("undo", 1)}
    assert found >= {("review", 1), ("review", 2)}

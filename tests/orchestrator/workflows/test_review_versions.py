"""Runs that an earlier version of the workflow began are finished as they were begun."""

from __future__ import annotations

import pytest

from orchestrator.workflows.registry import start_workflow
from orchestrator.workflows.review.options import ReviewOptions
from shared.models.decision import DecisionAnswer
from shared.models.findings import FindingStatus
from shared.models.steps import StepResult
from tests.support.review_panel import PATCH, submission
from tests.support.review_replies import Step, critique, finding, finished
from tests.support.simulator import Simulation

SKIP = DecisionAnswer(choice="skip", actor="somebody", channel="cli")


def undecided_patch(step: Step) -> StepResult:
    """One critic raises something with a patch, and nobody else says anything of it."""
    if step.role == "critique" and step.key.endswith("critic1"):
        return critique(step, [finding(patch=PATCH)] if step.round == 1 else [])
    return critique(step) if step.role == "critique" else finished(step)


@pytest.mark.parametrize(("version", "tried"), [(1, True), (2, False)])
def test_only_what_the_panel_accepted_is_fixed_and_runs_of_before_end_as_they_began(
    version: int, tried: bool
) -> None:
    run = submission(options=ReviewOptions(rounds=1), version=version)
    start = start_workflow(run.spec, run.materials)
    simulation = Simulation(start, undecided_patch, lambda _: SKIP)
    outcome = simulation.run()
    assert outcome.findings[0].status is FindingStatus.UNDECIDED
    assert any("fixes" in key for key in simulation.steps) is tried

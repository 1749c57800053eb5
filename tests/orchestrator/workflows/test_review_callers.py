"""Who calls what changed: looked up once for models, shown in their first critiques, and missing without harm."""

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.core.replay.commands import Outcome, Turn
from orchestrator.workflows.registry import start_workflow
from orchestrator.workflows.review.options import ReviewOptions
from orchestrator.workflows.review.prompts import CALLERS_TOKENS
from shared.models.decision import DecisionAnswer
from shared.models.outcomes import Verdict
from shared.models.panel import Panel, Participant
from shared.models.steps import StepResult
from tests.support.debates import fail
from tests.support.review_panel import Submission, participant, submission
from tests.support.review_replies import Step, critique, finding, finished, reply, stances
from tests.support.simulator import Simulation

SKIP = DecisionAnswer(choice="skip", actor="somebody", channel="cli")
ON = ReviewOptions(callers=True, rounds=3)
DOCUMENT = "c" * 64


def disputed(step: Step) -> StepResult:
    """A finding that the author denies, so that critics speak again."""
    match step.role, step.round:
        case "critique", 1:
            return critique(step, [finding("it fails")])
        case "critique", _:
            return critique(step, said=stances("agree", "F1"))
        case "rebuttal", _:
            return reply(
                step.reply_model, stances=stances("disagree", "F1", quote="return eval(x)")
            )
    return finished(step)


def hold(run: Submission, found: StepResult) -> tuple[Outcome, Simulation]:
    def script(step: Step) -> StepResult:
        return found if step.role == "callers" else disputed(step)

    workflow = start_workflow(run.spec, run.materials)
    simulation = Simulation(workflow, script, lambda _: SKIP)
    return simulation.run(), simulation


def shown_to(simulation: Simulation) -> set[str]:
    """The turns that are shown the callers."""
    turns = (step for step in simulation.commands.values() if isinstance(step, Turn))
    return {
        turn.key
        for turn in turns
        if any(part.document == DOCUMENT and part.fence for part in turn.prompt().user)
    }


def test_the_first_critiques_are_shown_callers_and_tests_as_fenced_data() -> None:
    _, simulation = hold(submission(options=ON), reply("graph.callers", document=DOCUMENT))
    asked: Any = simulation.commands["callers"]
    assert asked.stored_inputs()["tokens"] == CALLERS_TOKENS
    assert shown_to(simulation) == {"critique/1/critic1", "critique/1/critic2"}


def test_where_nothing_calls_what_changed_nothing_is_shown() -> None:
    outcome, simulation = hold(submission(options=ON), reply("graph.callers"))
    assert shown_to(simulation) == set()
    assert outcome.warnings == ()


def test_without_a_graph_the_review_goes_on_and_says_so() -> None:
    outcome, simulation = hold(submission(options=ON), fail())
    assert shown_to(simulation) == set()
    assert [warning.code for warning in outcome.warnings] == ["review_callers_unknown"]
    assert outcome.verdict is not Verdict.INCONCLUSIVE


RULES = Participant(name="ruff", provider="analyser", tool="ruff")
KEYLESS = Panel(critics=(RULES,), author=participant("author"), chair=participant("chair"))


@pytest.mark.parametrize(
    "run",
    [
        submission(options=ON.model_copy(update={"callers": False})),
        submission(options=ON, version=2),
        submission(options=ON, panel=KEYLESS),
    ],
    ids=["switched off", "begun by an earlier version", "rules alone"],
)
def test_nothing_is_looked_up_where_nobody_would_read_it(run: Submission) -> None:
    _, simulation = hold(run, fail())
    assert "callers" not in simulation.commands

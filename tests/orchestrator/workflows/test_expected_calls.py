"""An estimate holds what the workflows really do: the shortest course at its lower end, the longest at its upper."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from orchestrator.core.discussion.estimate import Estimate, ExpectedCall, Range, estimate
from orchestrator.core.replay.commands import Turn
from orchestrator.workflows.ask.options import AskOptions
from orchestrator.workflows.forum.options import ForumOptions
from orchestrator.workflows.panel.options import PanelOptions
from orchestrator.workflows.plan.options import PlanOptions
from orchestrator.workflows.registry import WORKFLOWS
from shared.models.run import RunSpec
from shared.models.steps import StepResult
from tests.support import debates, question_panel
from tests.support.debates import decides, give, member
from tests.support.forum_cast import WORDS, Cast, ends_in
from tests.support.panel_cast import PanelCast
from tests.support.plan_cast import PlanCast, stance
from tests.support.simulator import Simulation


def calls(spec: RunSpec) -> Sequence[ExpectedCall]:
    foreseen = WORKFLOWS[spec.workflow].calls_of(spec, 100)
    assert foreseen is not None
    return foreseen


def found(spec: RunSpec) -> Estimate:
    return estimate(calls(spec), lambda *_: 0.01)


def expected_roles(spec: RunSpec, *, shortest: bool) -> Counter[str]:
    return Counter(call.role for call in calls(spec) if call.certain or not shortest)


def roles(simulation: Simulation) -> Counter[str]:
    turns = (step for step in simulation.commands.values() if isinstance(step, Turn))
    return Counter(turn.role for turn in turns)


def ask(options: AskOptions, names: tuple[str, ...]) -> tuple[RunSpec, Counter[str]]:
    def script(step: Any) -> Any:
        if step.role == "answer":
            return give(step, answer="so")
        if step.role == "ranking":
            return give(step, ranking=["A", "B"])
        return give(step, summary="all of it")

    run = question_panel.submitted("ask", options, names=names)
    _, simulation = question_panel.hold(run, script)
    return run.spec, roles(simulation)


def test_every_workflow_that_can_be_submitted_can_be_estimated():
    without = [name for name, workflow in WORKFLOWS.items() if workflow.run.expected is None]
    assert without == ["undo", "graph"]


@pytest.mark.parametrize("names", [("a",), ("a", "b"), ("a", "b", "c"), ("a", "b", "c", "d")])
@pytest.mark.parametrize("ranking", [True, False])
@pytest.mark.parametrize("synthesis", [True, False])
def test_the_calls_of_ask_are_known_beforehand(
    names: tuple[str, ...], ranking: bool, synthesis: bool
):
    spec, made = ask(AskOptions(ranking=ranking, synthesis=synthesis), names)
    assert expected_roles(spec, shortest=True) == expected_roles(spec, shortest=False) == made
    assert found(spec).calls == Range(made.total(), made.total())


@pytest.mark.parametrize("blind_opening", [True, False])
@pytest.mark.parametrize("ballot", [True, False])
@pytest.mark.parametrize("rounds", [1, 2, 4])
def test_a_forum_is_between_one_speech_and_all_rounds(
    rounds: int, ballot: bool, blind_opening: bool
):
    options = ForumOptions(max_rounds=rounds, ballot=ballot, blind_opening=blind_opening)
    run = question_panel.submitted("forum", options)
    _, short = question_panel.hold(run, Cast(selection=ends_in(2)))
    _, long = question_panel.hold(run, Cast(selection=ends_in(99)))
    assert roles(short) == expected_roles(run.spec, shortest=True)
    assert roles(long) == expected_roles(run.spec, shortest=False)


class Content(PlanCast):
    """Nobody objects to anything."""

    def challenge(self, step: Turn) -> StepResult:
        return give(step, verdict="ACCEPT")

    risk_analysis = innovation_analysis = cross_review = challenge


class Restless(PlanCast):
    """Something new is wrong in every round."""

    def challenge(self, step: Turn) -> StepResult:
        title = WORDS[step.round + 4 * step.key.count("plan2/")]
        return give(step, verdict="REVISE", findings=[{"title": title, "severity": "MAJOR"}])

    risk_analysis = innovation_analysis = cross_review = challenge

    def defense(self, step: Turn) -> StepResult:
        return give(step, stances=stance("disagree", "F1"), revised_plan=f"Plan {step.round}")


@pytest.mark.parametrize("strategy", ["debate", "perspectives"])
@pytest.mark.parametrize("given", [True, False])
@pytest.mark.parametrize("names", [("ada",), ("ada", "bob", "cyd")])
def test_a_plan_is_between_one_content_version_and_all_rounds_of_all_versions(
    strategy: str, given: bool, names: tuple[str, ...]
):
    options = PlanOptions(strategy=strategy, given=given, rounds=3, max_revisions=1)
    run = debates.submitted(options, names=names)
    _, short = debates.hold(run, Content(), decides("accept"))
    _, long = debates.hold(run, Restless(), decides("revise"))
    assert roles(short) == expected_roles(run.spec, shortest=True)
    assert roles(long) == expected_roles(run.spec, shortest=False)


@pytest.mark.parametrize("strategy", ["sequential", "parallel", "quick", "delphi"])
@pytest.mark.parametrize("moderated", [True, False])
@pytest.mark.parametrize("ballot", [True, False])
def test_a_panel_is_between_agreement_at_once_and_all_rounds(
    strategy: str, moderated: bool, ballot: bool
):
    options = PanelOptions(
        strategy=strategy,
        max_rounds=3,
        moderator=member("mod") if moderated else None,
        ballot=ballot,
    )
    run = debates.submitted(options)

    def unsure(step: Turn) -> StepResult:
        return give(step, consensus_score=0.1, feedback="they differ")

    _, short = debates.hold(run, PanelCast())
    _, long = debates.hold(run, PanelCast(argument=wavering, moderation=unsure))
    assert roles(short) == expected_roles(run.spec, shortest=True)
    assert roles(long) == expected_roles(run.spec, shortest=False)


def wavering(step: Turn) -> StepResult:
    """A new answer from everybody in every round."""
    said = WORDS[4 * ("ada", "bob", "cyd").index(step.participant.name) + step.round - 1]
    return give(step, position=said, argument=said)

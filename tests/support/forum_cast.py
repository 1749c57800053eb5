"""A forum's cast for tests: everybody asks, says something new and agrees, unless a test gives a role another act."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from orchestrator.core.replay.commands import Outcome, Turn
from orchestrator.workflows.forum.options import ForumOptions
from shared.models.steps import StepResult
from tests.support.question_panel import Script, fail, give, hold, submitted
from tests.support.simulator import Simulation

WORDS = (
    "A monolith is the simplest thing that can work for three people, and simple things survive.",
    "Queues between the parts would let the billing job fail without taking the shop down.",
    "Whoever splits a database early pays for it with every report that joins two tables.",
    "Tests run in seconds as long as everything lives in one process, which keeps us honest.",
    "Deployments on Friday were the real problem last year, and no architecture repairs that.",
    "Modules with their own schemas give most of the freedom at a tenth of the price.",
    "The mobile client needs one stable interface, whatever happens behind it.",
    "Nobody here has operated a service mesh, and nobody wants to be woken by one.",
    "Costs grow with every running container, and the budget is fixed until spring.",
    "Logs in one place are worth more than independence when something breaks at night.",
    "Growth to ten thousand users changes nothing that an index would not solve first.",
    "Teams of one service each would leave two services without anybody who knows them.",
)


class Cast:
    """All ask in every round, say something new and agree; the orchestrator is dead, so the rule gives the floor."""

    def __init__(self, **acts: Callable[[Turn], StepResult]) -> None:
        self.acts = acts

    def __call__(self, step: Turn) -> StepResult:
        name = "opening" if step.reply_model == "opening.forum" else step.role
        act = self.acts.get(name) or getattr(self, name)
        result: StepResult = act(step)
        return result

    def opening(self, step: Turn) -> StepResult:
        """A position of everybody's own."""
        name = step.participant.name
        return give(step, position=f"{name} would build one process", confidence=0.6)

    def bid(self, step: Turn) -> StepResult:
        """Everybody has a point."""
        return give(step, action="REQUEST", reason=f"{step.participant.name} has a point")

    def selection(self, step: Turn) -> StepResult:
        """A dead orchestrator."""
        return fail()

    def speech(self, step: Turn) -> StepResult:
        """Something new in every round."""
        return give(step, speech=WORDS[step.round - 1])

    def synthesis(self, step: Turn) -> StepResult:
        """A conclusion on demand."""
        return give(step, conclusion="One process, several modules.", open_points=["when to split"])

    def ballot(self, step: Turn) -> StepResult:
        """Agreement."""
        return give(step, position="agree", confidence=0.9, reason="that is what I hold")


def held(script: Script, **options: Any) -> tuple[Outcome, Simulation]:
    """A forum of three with four rounds unless said otherwise."""
    return hold(submitted("forum", ForumOptions(**{"max_rounds": 4, **options})), script)


def passing(step: Turn) -> StepResult:
    """No request."""
    return give(step, action="PASS", reason="nothing new")


def unanswered(_step: Turn) -> StepResult:
    """Nothing comes."""
    return fail()


def ends_in(number: int) -> Callable[[Turn], StepResult]:
    """An orchestrator that selects whoever waits, and ends in a round."""

    def act(step: Turn) -> StepResult:
        if step.round >= number:
            return give(step, action="END", conclusion="One process.", reason="they agree")
        return give(step, action="SELECT", speaker=("claude", "gemini", "codex")[step.round % 3])

    return act


def votes(**positions: str) -> Callable[[Turn], StepResult]:
    """Ballots by name; who is not named agrees."""

    def act(step: Turn) -> StepResult:
        said = positions.get(step.participant.name, "agree")
        return give(step, position=said, confidence=0.9, reason=f"{said}, for a reason")

    return act


def rounds_of(outcome: Outcome) -> Any:
    """The outcome's rounds."""
    return outcome.detail["rounds"]


def agreement_of(outcome: Outcome) -> Any:
    """The outcome's count of ballots."""
    return outcome.detail["agreement"]

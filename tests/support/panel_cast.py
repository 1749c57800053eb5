"""Debaters, moderator and judge who do as a test says, and agree where it says nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from orchestrator.core.replay.commands import Turn
from shared.models.steps import StepResult
from tests.support.debates import Script, give

QUESTION = "Should the shop move to the new server? Orders were lost in March."
NAMES = ("ada", "bob", "cyd")


def stances(position: str, *points: str, reason: str = "orders were lost") -> list[Any]:
    return [{"finding": one, "position": position, "reason": reason} for one in points]


class PanelCast:
    """Everybody says yes from the start, the moderator is glad, everybody votes for it, the judge follows."""

    def __init__(self, **acts: Callable[[Turn], StepResult]) -> None:
        self.acts = acts

    def __call__(self, step: Turn) -> StepResult:
        name = step.reply_model.replace(".", "_")
        act = self.acts.get(name) or getattr(self, name)
        result: StepResult = act(step)
        return result

    def opening(self, step: Turn) -> StepResult:
        return give(step, position="Yes", confidence=0.7, reason="it is old")

    def argument(self, step: Turn) -> StepResult:
        said = stances("agree", "P1") if step.round > 1 else []
        text = f"{step.participant.name}'s own reason in round {step.round}"
        return give(step, position="Yes.", argument=text, confidence=0.8, stances=said)

    def moderation(self, step: Turn) -> StepResult:
        return give(step, consensus_score=0.9, feedback="all say yes")

    def ballot_choice(self, step: Turn) -> StepResult:
        return give(step, choice="P1", confidence=0.9, reason="still yes")

    def judgement(self, step: Turn) -> StepResult:
        return give(step, verdict="Yes, it should.", choice="P1", confidence=0.8, reasoning="age")


def sides(*, ballots: dict[str, str] | None = None, **scripted: Any) -> Script:
    """ada says yes, bob and cyd say no, and all stay with it; each has a new reason every round."""
    words = ("copying", "downtime", "money", "people", "backups", "latency", "licences", "trust")

    def argument(step: Turn) -> StepResult:
        name, number = step.participant.name, step.round
        own, other = ("P1", "P2") if name == "ada" else ("P2", "P1")
        why = f"{name} thinks of {words[number - 1]} and of nothing else in this round"
        said = [*stances("agree", own, reason=why), *stances("disagree", other, reason=why)]
        text = "Yes" if name == "ada" else "No"
        return give(step, position=text, argument=why, stances=said if number > 1 else [])

    def ballot(step: Turn) -> StepResult:
        votes = ballots or {"ada": "P1"}
        return give(step, choice=votes.get(step.participant.name, "P2"), confidence=0.8)

    acts = {"argument": argument, "ballot_choice": ballot, **scripted}
    return PanelCast(**acts)


def one_of_two_is_settled(step: Turn) -> StepResult:
    """All agree on a claim, and not on the answer."""
    own = "Yes" if step.participant.name == "ada" else "No"
    point = {"claim": "The server is old", "evidence": "bought in 2012"}
    said = []
    if step.round > 1:
        said = [
            *stances("agree", "P2"),
            *stances("agree" if own == "Yes" else "disagree", "P1"),
        ]
    return give(step, position=own, argument="so", points=[point], stances=said)


def persuaded(step: Turn) -> StepResult:
    """cyd says no and is persuaded in the second round."""
    if step.participant.name != "cyd":
        said = [*stances("agree", "P1"), *stances("disagree", "P2")] if step.round > 1 else []
        return give(step, position="Yes", argument="two disks failed", stances=said, cost_usd=0.1)
    if step.round == 1:
        return give(step, position="No", argument="it is dear", cost_usd=0.1)
    return give(
        step,
        position="P1",
        argument="that is a reason",
        changed_because="disks do fail",
        quote="Two disks failed",
        stances=stances("withdraw", "P2"),
        cost_usd=0.1,
    )

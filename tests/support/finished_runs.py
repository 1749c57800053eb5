"""A finished run of each deliberating workflow, with everything that a result can have: dissent, absence, a receipt."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from orchestrator.core.replay.commands import Outcome, Turn
from orchestrator.workflows.ask.options import AskOptions
from orchestrator.workflows.forum.options import ForumOptions
from orchestrator.workflows.panel.options import PanelOptions
from orchestrator.workflows.plan.options import PlanOptions
from shared.models.steps import StepResult
from tests.support import debates, question_panel
from tests.support.forum_cast import Cast, ends_in, votes
from tests.support.panel_cast import QUESTION, PanelCast, persuaded
from tests.support.plan_cast import PlanCast
from tests.support.review_panel import Submission
from tests.support.simulator import Simulation

TEXTS = {
    "claude": "Start with **one process**.\n\n```python\nif users < 10_000:\n    keep(monolith)\n```",
    "gemini": "Modules with their own schemas.\n- cheap\n- reversible",
}


@dataclass(frozen=True)
class Held:
    """What was submitted, what became of it, and every step on the way."""

    run: Submission
    outcome: Outcome
    simulation: Simulation

    def with_result(self, **changes: Any) -> Held:
        """The same with other fields in its result; those of a `receipt` are changed one by one."""
        detail = self.outcome.detail
        if isinstance(receipt := detail.get("receipt"), dict) and "receipt" in changes:
            changes["receipt"] = {**receipt, **changes["receipt"]}
        result = type(self.outcome.result).model_validate({**detail, **changes})
        return replace(self, outcome=replace(self.outcome, result=result))


def asked(language: str = "en") -> Held:
    """Three of four answer, rank one another, and the chair sums up."""

    def act(step: Turn) -> StepResult:
        name = step.participant.name
        if step.role == "answer" and name == "qwen":
            return question_panel.fail()
        if step.role == "answer":
            text = TEXTS.get(name, f"{name} has the third answer.")
            known = {"tokens": 120, "cost_usd": 0.0021} if name == "claude" else {}
            reply = question_panel.give(step, answer=text, confidence=0.8)
            return reply.model_copy(update=known)
        if step.role == "ranking":
            return question_panel.give(step, ranking=["B", "A"], reason="it is shorter")
        return question_panel.give(
            step,
            summary="One process with modules.",
            consensus=["no services yet"],
            remaining_concerns=["when to split"],
        )

    run = question_panel.submitted(
        "ask",
        AskOptions(ranking=True, synthesis=True),
        names=("claude", "gemini", "codex", "qwen"),
        language=language,
    )
    return Held(run, *question_panel.hold(run, act))


def discussed(language: str = "en", **positions: str) -> Held:
    """Three speeches, an end by the orchestrator while somebody still asks, and ballots."""
    run = question_panel.submitted("forum", ForumOptions(max_rounds=6), language=language)
    script = Cast(selection=ends_in(4), ballot=votes(**positions))
    return Held(run, *question_panel.hold(run, script))


def planned(language: str = "en") -> Held:
    """A plan that is revised once and then accepted."""
    run = debates.submitted(PlanOptions(), language=language)
    person = debates.decides("revise", "accept", message="keep it short")
    return Held(run, *debates.hold(run, PlanCast(), person))


def judged(language: str = "en") -> Held:
    """A panel in which one debater is persuaded."""
    options = PanelOptions(strategy="parallel", max_rounds=3)
    run = debates.submitted(options, text=QUESTION, language=language)
    return Held(run, *debates.hold(run, PanelCast(argument=persuaded)))


HELD = {"ask": asked, "forum": discussed, "plan": planned, "panel": judged}

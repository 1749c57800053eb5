"""The planner writes the plan, and writes it again with what the debate brought."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from orchestrator.core.discussion.contested import Agenda
from orchestrator.core.discussion.turn_results import TurnResult, take_turn, why_failed
from orchestrator.core.replay.commands import Effect, Prompt, Turn
from orchestrator.core.wording import reply_text
from orchestrator.workflows.plan.context import DebatedVersion, PlanContext, PlanVersion
from orchestrator.workflows.plan.discussion import proposal
from orchestrator.workflows.plan.prompts import PlanView
from orchestrator.workflows.plan.roles import PlanRole
from shared.models.findings import FindingStatus
from shared.models.notices import Notice, notice
from shared.models.outcomes import FailureKind
from shared.models.planning import Plan

# What a revision has to answer: everything that the panel did not reject.
_TO_ANSWER = frozenset(FindingStatus) - {FindingStatus.REJECTED}


@dataclass(frozen=True)
class Planned:
    """A version of the plan, or why there is none."""

    version: PlanVersion | None
    turns: tuple[TurnResult, ...] = ()
    warnings: tuple[Notice, ...] = ()
    over_budget: bool = False


def first_plan(context: PlanContext) -> Effect[Planned]:
    """The plan that was given, or one that the planner writes for the task."""
    if context.options.given:
        return Planned(PlanVersion(1, context.prompts.question.text, by=None))
    return (yield from _write(context, 1, lambda: context.prompts.planning(context.planner)))


def revised_plan(context: PlanContext, debate: DebatedVersion, attempt: int) -> Effect[Planned]:
    """The next version, written with the synthesis, the open objections and the deciding person's words.

    From the second `attempt` on the version before it came back unchanged.
    """
    history, plan = debate.history, debate.plan
    to_answer = tuple(finding for finding in history.findings if finding.status in _TO_ANSWER)
    view = PlanView(
        number=len(history.rounds),
        plan=plan.text,
        critics=len(context.critics),
        agenda=Agenda(to_answer),
        proposal=proposal(history),
    )
    synthesis = reply_text(debate.synthesis.text.model_dump(mode="json"))
    note = debate.answer.message if debate.answer else ""
    planned = yield from _write(
        context,
        plan.number + 1,
        lambda: context.prompts.revision(context.planner, view, synthesis, note),
        attempt,
    )
    if planned.version is not None and _is_same(plan.text, planned.version.text):
        warning = notice("plan_same_again", who=context.planner.name)
        return Planned(None, planned.turns, (warning,))
    return planned


def _write(
    context: PlanContext, number: int, prompt: Callable[[], Prompt], attempt: int = 1
) -> Effect[Planned]:
    planner = context.planner
    stage = f"plan/{number}" if attempt == 1 else f"plan/{number}/{attempt}"
    result = yield from take_turn(
        Turn(
            key=f"{stage}/{planner.name}",
            participant=planner,
            role=PlanRole.PLAN,
            round=number,
            reply_model="plan",
            prompt=prompt,
        )
    )
    if result.failure is not None:
        warning = notice("plan_unwritten", who=planner.name, why=why_failed(result.failure))
        refused = result.failure.kind is FailureKind.OVER_BUDGET
        return Planned(None, (result,), (warning,), refused)
    plan = Plan.model_validate(result.result.reply)
    answers = tuple({"point": answer.point, "reason": answer.reason} for answer in plan.answers)
    version = PlanVersion(number, plan.plan, planner.name, plan.assumptions, answers)
    return Planned(version, (result,))


def _is_same(before: str, after: str) -> bool:
    return before.split() == after.split()

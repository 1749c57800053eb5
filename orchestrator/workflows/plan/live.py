"""How the debate of a plan is followed: versions of the plan, and what is held against them."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.core.discussion.strategies import critics_roles, role_names
from orchestrator.core.lines import Line, Span, Style, line
from orchestrator.core.views.context import shortened, took_s
from orchestrator.core.views.live import (
    INDENT,
    SHORT,
    LiveView,
    RenderContext,
    Reply,
    Station,
    headed,
    objections,
)
from orchestrator.workflows.plan.roles import PlanRole
from orchestrator.workflows.plan.strategies import STRATEGIES
from shared.models.rows import StepRow


def _planning(group: Sequence[StepRow], names: str, context: RenderContext) -> list[Line]:
    return headed(context.message("asks_plan", who=names, version=_version(group[0], context)))


def _plan(step: StepRow, reply: Reply, context: RenderContext) -> list[Line]:
    sentence = context.message("plan_came", who=step.participant, version=_version(step, context))
    took = context.message("seconds", s=took_s(step) or 0.0)
    first = shortened(str(reply.get("plan") or ""), SHORT)
    return [line(sentence, Span(f" ({took})", Style.DIM)), line(INDENT, Span(first, Style.DIM))]


def _version(step: StepRow, context: RenderContext) -> str:
    return context.message("plan_version", n=max(step.round, 1))


LIVE = LiveView(
    begins={PlanRole.PLAN: _planning},
    ends={PlanRole.PLAN: _plan, **dict.fromkeys(critics_roles(STRATEGIES), objections)},
    rounds=frozenset(role_names(STRATEGIES)),
    course=(
        Station(("Planning",), (PlanRole.PLAN,)),
        Station(("Debating",), tuple(role_names(STRATEGIES))),
        Station(("Synthesizing",), (PlanRole.SYNTHESIS,)),
        Station(("WaitingForDebateDecision",), decides=True),
    ),
)

"""One iteration of the critic: router, tools, critique, and feedback, which may send it back."""

from __future__ import annotations

from dataclasses import dataclass, replace

from orchestrator.core.discussion.cycles import Cycle
from orchestrator.core.replay.commands import Effect, phase, record
from orchestrator.workflows.case.context import CaseContext
from orchestrator.workflows.case.critique import CritiqueHistory, CritiqueTask, criticise
from orchestrator.workflows.case.feedback import give_feedback
from orchestrator.workflows.case.mappings import clean_state_to_agent_state
from orchestrator.workflows.case.proceedings import (
    PlannedNode,
    Proceedings,
    read_reply,
    take_nodes,
    tool_run,
)
from orchestrator.workflows.case.records import FeedbackRecord, RoutingRecord
from orchestrator.workflows.case.reflection import CriticPass
from orchestrator.workflows.case.result import CaseRouting
from orchestrator.workflows.case.roles import CaseRole
from orchestrator.workflows.case.routing import lens_cards, requested, route
from orchestrator.workflows.case.state import GraphState
from shared.models.case import LensResult
from shared.models.notices import notice


@dataclass(frozen=True)
class CriticTaken:
    """What an iteration came to: the state with the tools' results, the iteration itself, and the choices of tools."""

    state: GraphState
    taken: CriticPass
    routings: tuple[CaseRouting, ...]
    feedback: tuple[FeedbackRecord, ...]


def run_critic(
    context: CaseContext,
    proceedings: Proceedings,
    state: GraphState,
    before: CritiqueHistory,
    task: CritiqueTask,
) -> Effect[CriticTaken]:
    """Pick tools, run them, have the critique written, and send it back up to `feedback_rounds` times."""
    yield from phase("critic")
    cycle, options = task.cycle, context.options
    picked = yield from route(context, proceedings, state, cycle)
    routings, judged = [picked.routing], []
    ran = list(picked.picked)
    state = yield from run_lenses(context, proceedings, state, cycle, picked.picked)
    history = yield from criticise(context, proceedings, state, before, task)
    while True:
        left = options.max_tools - len(ran)
        feedback = yield from give_feedback(context, proceedings, state, history, task, left)
        judged.append(feedback)
        if feedback.ok or task.feedback >= options.feedback_rounds or history.broke:
            break
        task = replace(task, feedback=task.feedback + 1, instructions=feedback.patch_instructions)
        more = yield from _more_tools(state, task, feedback, left)
        if more is not None:
            routings.append(more.routing)
            ran += more.picked
            state = yield from run_lenses(context, proceedings, state, cycle, more.picked)
        elif not context.models:
            break  # nobody could write it otherwise
        history = yield from criticise(context, proceedings, state, history, task)
    taken = CriticPass(cycle, before, history, feedback, tuple(ran))
    return CriticTaken(state, taken, tuple(routings), tuple(judged))


def _more_tools(
    state: GraphState, task: CritiqueTask, feedback: FeedbackRecord, left: int
) -> Effect[RoutingRecord | None]:
    """The tools that a feedback asks for, as far as the budget goes; None where it asks for none."""
    if not feedback.requested_tools:
        return None
    why = notice("case_card_requested", who=feedback.by)
    tools = requested(feedback.requested_tools, lens_cards(), state.results, left, why)
    routing = CaseRouting(
        by=feedback.by,
        iteration=task.cycle.number,
        feedback=task.feedback,
        max_tools=left,
        tools=tools,
    )
    key = task.cycle.key("router", task.feedback)
    written = yield from record(key, RoutingRecord, lambda: RoutingRecord(routing=routing))
    return written if written.picked else None


def run_lenses(
    context: CaseContext,
    proceedings: Proceedings,
    state: GraphState,
    cycle: Cycle,
    tools: tuple[str, ...],
) -> Effect[GraphState]:
    """The picked tools, all at once. One that failed counts as run: it brought nothing, and is told."""
    if not tools:
        return state
    inputs = clean_state_to_agent_state(state, context.spec.subject, context.options.neighbours)
    nodes = [
        PlannedNode(
            tool, tool_run(cycle.key(tool), tool, CaseRole.LENS, lambda: inputs, cycle.number)
        )
        for tool in tools
    ]
    results = yield from take_nodes(proceedings, nodes, cycle.number)
    answered = {
        tool: read_reply(result, LensResult) or LensResult(looked=False)
        for tool, result in zip(tools, results, strict=True)
    }
    for tool, result in answered.items():
        for why in result.abstains:
            proceedings.abstain(tool, tool, why, ran=True)
    return replace(state, results={**state.results, **answered})

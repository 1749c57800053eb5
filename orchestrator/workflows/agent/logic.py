"""An agent: the request leads into a mode, each mode's work into the next one, until it rests.

    idle ──(intent)──> mode ──(trigger)──> mode ── ... ──> idle

Each mode's work is a group of tasks, each transition a record, each approval a decision, each review, plan or question
a child run. The whole run is a replay of those: it survives a kill at any point. docs/design/agent.md has the machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from orchestrator.core.discussion.estimate import (
    INSTRUCTIONS_TOKENS,
    LONG_ANSWER_TOKENS,
    ExpectedCall,
    expected_calls,
)
from orchestrator.core.discussion.templates import Templates
from orchestrator.core.replay.commands import Effect, Workflow, phase, record
from orchestrator.core.replay.materials import Materials
from orchestrator.workflows.agent.conclusion import conclude
from orchestrator.workflows.agent.context import AgentContext, AgentProceedings, state_of
from orchestrator.workflows.agent.handlers.table import HANDLERS
from orchestrator.workflows.agent.mode_context import MOST_ERROR, ModeContext
from orchestrator.workflows.agent.modes import AgentMode, mode_words
from orchestrator.workflows.agent.options import AgentOptions, IntentReader
from orchestrator.workflows.agent.prompts import AgentPrompts
from orchestrator.workflows.agent.reading import (
    commits_unasked,
    first_trigger,
    is_of_own_change,
    own_change_use,
    read_request,
)
from orchestrator.workflows.agent.records import IntentRecord, TransitionRecord
from orchestrator.workflows.agent.roles import AgentRole
from orchestrator.workflows.agent.transitions import transition
from orchestrator.workflows.agent.work import ModeResult, Visit
from orchestrator.workflows.descriptor import WorkflowLogic
from shared.models.notices import Notice, notice
from shared.models.run import RunSpec
from shared.models.workspace import CodingTask, OwnChangeUse

SAME_STATE = 2
"""So often an agent may come to the very same state; then it makes no progress."""


def agent(spec: RunSpec, materials: Materials) -> Workflow:
    """The whole run."""
    context, proceedings = context_of(spec, materials), AgentProceedings()
    intent = yield from read_request(context, proceedings)
    if not is_of_own_change(intent):
        context = context.of_the_commit()
    if context.task.uncommitted and context.task.own_change is None:
        proceedings.warn(notice("agent_uncommitted", n=len(context.task.uncommitted)))
    state = beginning(context, intent)
    state = yield from fire(proceedings, state, ModeResult(state, first_trigger(intent)))
    while state.mode is not AgentMode.IDLE:
        if (why := why_stop(context, proceedings)) is not None:
            proceedings.stopped = why
            break
        yield from phase(state.mode.value)
        visit = Visit(context, intent, proceedings, state, len(proceedings.transitions))
        result = yield from HANDLERS[state.mode].execute(visit)
        proceedings.fell_short = result.fell_short
        state = yield from fire(proceedings, result.context, result)
    return conclude(context, proceedings, state, intent)


def beginning(context: AgentContext, intent: IntentRecord) -> ModeContext:
    """The context before the first transition."""
    return ModeContext(
        task=context.task.text,
        goal=intent.goal,
        wants_change=intent.wants_change,
        approval_level=context.approval,
        auto_test=context.options.auto_test,
        auto_commit=commits_unasked(context, intent),
        workspace=context.task.workspace,
        error_text=context.task.text[-MOST_ERROR:] if intent.goal is AgentMode.DEBUG else "",
    )


def fire(
    proceedings: AgentProceedings, state: ModeContext, result: ModeResult
) -> Effect[ModeContext]:
    """Take the transition that a trigger means, and write it down; one without a transition is refused.

    A mode whose own trigger is refused has a fault: it would rest for good, so the agent does.
    """
    number = len(proceedings.transitions) + 1

    def move() -> TransitionRecord:
        taken = transition(state.mode, result.trigger, state.facts)
        if taken is None:
            after = state
        else:
            left = HANDLERS[state.mode].exit(state)
            entered = left.updated(
                mode=taken.to_mode, mode_history=(*state.mode_history, taken.to_mode)
            )
            after = HANDLERS[taken.to_mode].enter(entered)
        return TransitionRecord(
            number=number,
            from_mode=state.mode,
            to_mode=after.mode,
            trigger=result.trigger,
            condition=None if taken is None else taken.condition,
            refused=taken is None,
            why=result.why,
            context=after.model_copy(
                update={"mode_history": (), "action_history": (), "whole_patch": ""}
            ),
        )

    written = yield from record(f"transition/{number}", TransitionRecord, move)
    proceedings.transitions.append(written)
    if written.refused:
        refused = notice(
            "agent_trigger_refused", trigger=result.trigger, mode=mode_words(state.mode)
        )
        proceedings.stopped = refused
        return state.updated(mode=AgentMode.IDLE)
    return written.context.model_copy(
        update={
            "mode_history": (*state.mode_history, written.to_mode),
            "action_history": state.action_history,
            "whole_patch": state.whole_patch,
        }
    )


def why_stop(context: AgentContext, proceedings: AgentProceedings) -> Notice | None:
    """Why the agent goes no further although something is left to do."""
    if proceedings.stopped is not None:
        return proceedings.stopped
    if len(proceedings.transitions) > context.options.max_modes:
        return notice("agent_modes_used_up", most=context.options.max_modes)
    states = [state_of(row) for row in proceedings.transitions]
    if states.count(states[-1]) > SAME_STATE:
        return notice("agent_no_progress", mode=mode_words(proceedings.transitions[-1].to_mode))
    return None


def context_of(spec: RunSpec, materials: Materials) -> AgentContext:
    """The context of a run, from what was captured."""
    templates = Templates(materials.prompts(spec.prompts))
    task = CodingTask.model_validate_json(materials.document(spec.subject))
    return AgentContext(
        spec=spec,
        options=AgentOptions.model_validate(spec.options),
        task=task,
        prompts=AgentPrompts(templates, task),
        templates=templates,
        run=materials.run,
        document=materials.document,
    )


def expected(spec: RunSpec, subject_tokens: int) -> Iterator[ExpectedCall]:
    """The coder may be asked in every mode; whether it is depends on the request."""
    options = AgentOptions.model_validate(spec.options)
    if options.coder is None:
        return
    base = INSTRUCTIONS_TOKENS + subject_tokens
    if options.mode is None and options.intent != IntentReader.RULES:
        yield from expected_calls((options.coder,), AgentRole.INTENT, base, certain=False)
    for _ in range(options.attempts):
        tokens = base + LONG_ANSWER_TOKENS
        yield from expected_calls((options.coder,), AgentRole.CODING, tokens, certain=False)


def takes_own_change(words: str, options: Mapping[str, Any]) -> OwnChangeUse:
    """A review and a commit that are asked for are of what the person has changed."""
    reader = options.get("intent") or IntentReader.UNSURE
    return own_change_use(words, options.get("mode"), reader)


LOGIC: WorkflowLogic[AgentOptions] = WorkflowLogic(
    start=agent, expected=expected, takes_own_change=takes_own_change
)

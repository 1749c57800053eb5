"""The end of a run: what it came to, and whether that is what was asked for."""

from __future__ import annotations

from orchestrator.core.discussion.turn_results import spent
from orchestrator.core.replay.commands import Outcome
from orchestrator.workflows.agent.context import AgentContext, AgentProceedings
from orchestrator.workflows.agent.mode_context import ModeContext
from orchestrator.workflows.agent.modes import AgentMode, mode_words
from orchestrator.workflows.agent.records import IntentRecord
from orchestrator.workflows.agent.result import (
    AgentLimits,
    AgentResult,
    ChildEntry,
    TakenTransition,
)
from shared.models.notices import Notice, notice
from shared.models.outcomes import Ending, Verdict


def conclude(
    context: AgentContext, proceedings: AgentProceedings, state: ModeContext, intent: IntentRecord
) -> Outcome:
    """`DONE` when the agent came to rest with everything done, `INCONCLUSIVE` with what is missing else."""
    # The one that the limit kept it from was entered, and nothing was done there.
    entered = sum(row.to_mode is not AgentMode.IDLE for row in proceedings.transitions)
    finished = not (proceedings.fell_short or proceedings.needs or proceedings.stopped)
    return Outcome(
        verdict=Verdict.DONE if finished else Verdict.INCONCLUSIVE,
        ending=None if finished else _ending(proceedings),
        summary=_summary(proceedings, state, finished=finished),
        result=AgentResult(
            task=context.task.text,
            goal=intent.goal,
            commit=context.task.workspace.commit,
            repository=context.task.workspace.repository,
            path=tuple(
                TakenTransition(
                    from_mode=row.from_mode,
                    to_mode=row.to_mode,
                    trigger=row.trigger,
                    condition=row.condition,
                    refused=row.refused,
                    why=row.why,
                )
                for row in proceedings.transitions
            ),
            actions=state.action_history,
            hits=tuple(proceedings.hits),
            points=tuple(proceedings.points),
            items=tuple(proceedings.items),
            facts=tuple(proceedings.facts),
            texts=tuple(proceedings.texts),
            files=state.pending_files,
            patch=state.whole_patch,
            tests=state.last_test_results,
            coverage=state.coverage_data,
            commands=tuple(proceedings.commands),
            commits=tuple(proceedings.commits),
            children=tuple(
                ChildEntry(
                    run=child.run,
                    workflow=workflow,
                    outcome=child.verdict or child.status.value,
                )
                for workflow, child in proceedings.children
            ),
            answers=tuple(proceedings.answers),
            needs=tuple(proceedings.needs),
            stopped=proceedings.stopped,
            uncommitted=context.task.uncommitted,
            usage=spent(proceedings.turns),
            limits=AgentLimits(
                modes=min(entered, context.options.max_modes),
                max_modes=context.options.max_modes,
                budget=context.spec.budget,
            ),
        ),
        warnings=tuple(proceedings.warnings),
    )


def _ending(proceedings: AgentProceedings) -> Ending:
    if proceedings.over_budget:
        return Ending.OVER_BUDGET
    code = None if proceedings.stopped is None else proceedings.stopped.code
    return {
        "agent_no_progress": Ending.LOOPING,
        "agent_modes_used_up": Ending.EXHAUSTED,
    }.get(code or "", Ending.DEGRADED)


def _summary(proceedings: AgentProceedings, state: ModeContext, *, finished: bool) -> Notice | str:
    """The answer where one was written, else what was committed or said last; of a run that falls short, why."""
    reasons = [row.why for row in proceedings.transitions if row.why is not None]
    last = reasons[-1] if reasons else notice("agent_nothing_done", mode=mode_words(state.goal))
    if not finished:
        return proceedings.stopped or next(iter(proceedings.needs), last)
    if proceedings.commits:
        made = proceedings.commits[-1]
        return notice("agent_committed", commit=made.commit[:12], branch=made.branch)
    return proceedings.texts[-1].text if proceedings.texts else last

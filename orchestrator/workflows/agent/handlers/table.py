"""Every mode with what it does, and the triggers that it may fire. A test compares them with the machine's table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from orchestrator.core.replay.commands import Effect, phase
from orchestrator.workflows.agent.handlers import changing, checking, deciding, finding
from orchestrator.workflows.agent.handlers.examining import examines
from orchestrator.workflows.agent.mode_context import ModeContext
from orchestrator.workflows.agent.modes import AgentMode
from orchestrator.workflows.agent.transitions import DONE
from orchestrator.workflows.agent.work import ModeResult, Visit


def _unchanged(context: ModeContext) -> ModeContext:
    return context


def _tests_afresh(context: ModeContext) -> ModeContext:
    """Results are of the state that they were measured on."""
    return context.updated(last_test_results=None)


def _error_solved(context: ModeContext) -> ModeContext:
    """An error that was looked at is no longer the last one; its text stays for the coder."""
    return context.updated(last_error=None)


@dataclass(frozen=True)
class ModeHandler:
    """`execute` does the work; `enter` and `exit` change the context where the mode begins and ends."""

    execute: Callable[[Visit], Effect[ModeResult]]
    enter: Callable[[ModeContext], ModeContext] = _unchanged
    exit: Callable[[ModeContext], ModeContext] = _unchanged


def rest(visit: Visit) -> Effect[ModeResult]:
    """Nothing is left to do."""
    yield from phase(visit.mode.value)
    return visit.ends(DONE)


M = AgentMode
HANDLERS: dict[AgentMode, ModeHandler] = {
    M.IDLE: ModeHandler(rest),
    M.CONTEXT_NAV: ModeHandler(finding.navigate),
    M.IMPLEMENTATION: ModeHandler(changing.implement),
    M.DEBUG: ModeHandler(finding.debug, exit=_error_solved),
    M.TEST: ModeHandler(checking.test, enter=_tests_afresh),
    M.DOCUMENTATION: ModeHandler(changing.document),
    M.DESIGN: ModeHandler(deciding.design),
    M.QA: ModeHandler(checking.review),
    M.REFACTOR: ModeHandler(changing.refactor),
    M.MULTI_FILE: ModeHandler(changing.change_many),
    M.GIT: ModeHandler(deciding.commit),
    M.PLANNING: ModeHandler(deciding.plan),
    M.IMPACT: ModeHandler(finding.weigh_impact),
    M.MIGRATION: ModeHandler(changing.migrate),
    M.DEPENDENCY: ModeHandler(examines("dependency", "manifest_change_needed")),
    M.SPEC_COMPLIANCE: ModeHandler(examines("spec", "items_unmet")),
    M.VERIFICATION: ModeHandler(checking.verify),
    M.PROFILING: ModeHandler(checking.profile),
    M.OPS: ModeHandler(examines("ops", "manifest_fix_needed")),
    M.ENV_REPRO: ModeHandler(checking.reproduce),
    M.BENCHMARK: ModeHandler(checking.benchmark),
    M.ML_INTEGRATION: ModeHandler(examines("ml", "integration_needed")),
    M.RESEARCH: ModeHandler(deciding.research),
}

"""The trigger by which a request leads into each mode of the agent, and how a mode is called."""

from __future__ import annotations

from shared.models.agent_modes import AgentMode
from shared.models.notices import Notice, notice

__all__ = ["INTENTS", "AgentMode", "mode_words"]


INTENTS: dict[AgentMode, str] = {
    AgentMode.CONTEXT_NAV: "search_intent",
    AgentMode.IMPLEMENTATION: "code_intent",
    AgentMode.DEBUG: "error_intent",
    AgentMode.TEST: "test_intent",
    AgentMode.DOCUMENTATION: "documentation_intent",
    AgentMode.DESIGN: "design_intent",
    AgentMode.QA: "review_intent",
    AgentMode.REFACTOR: "refactor_intent",
    AgentMode.MULTI_FILE: "multi_file_intent",
    AgentMode.GIT: "git_intent",
    AgentMode.PLANNING: "planning_intent",
    AgentMode.IMPACT: "impact_intent",
    AgentMode.MIGRATION: "migration_intent",
    AgentMode.DEPENDENCY: "dependency_intent",
    AgentMode.SPEC_COMPLIANCE: "spec_intent",
    AgentMode.VERIFICATION: "verification_intent",
    AgentMode.PROFILING: "profiling_intent",
    AgentMode.OPS: "ops_intent",
    AgentMode.ENV_REPRO: "environment_intent",
    AgentMode.BENCHMARK: "benchmark_intent",
    AgentMode.ML_INTEGRATION: "ml_intent",
    AgentMode.RESEARCH: "research_intent",
}
"""The trigger that leads from `idle` into each mode."""


def mode_words(mode: AgentMode) -> Notice:
    """A mode in the reader's words."""
    return notice(f"agent_mode_{mode}")

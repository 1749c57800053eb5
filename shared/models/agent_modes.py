"""The modes of the agent, as the design names them; a participant that reads a request answers with one."""

from __future__ import annotations

from enum import StrEnum


class AgentMode(StrEnum):
    """What the agent is doing. It begins and ends in `idle`."""

    IDLE = "idle"
    CONTEXT_NAV = "context_navigation"
    IMPLEMENTATION = "implementation"
    DEBUG = "debug"
    TEST = "test"
    DOCUMENTATION = "documentation"

    DESIGN = "design"
    QA = "qa"
    REFACTOR = "refactor"
    MULTI_FILE = "multi_file_editing"
    GIT = "git_workflow"
    PLANNING = "agent_planning"
    IMPACT = "impact_analysis"

    MIGRATION = "migration"
    DEPENDENCY = "dependency_intelligence"
    SPEC_COMPLIANCE = "spec_compliance"
    VERIFICATION = "verification"
    PROFILING = "performance_profiling"

    OPS = "ops_infra"
    ENV_REPRO = "environment_reproduction"
    BENCHMARK = "benchmark"
    ML_INTEGRATION = "ml_integration"
    RESEARCH = "exploratory_research"

"""The machine of the agent: every transition between modes, and the choice among them. No I/O, no state.

A transition is taken from the mode that the agent is in, by a trigger that a mode's execution, a person's answer or
the request fires. Where several would do, the highest priority wins, and of equal ones the one whose condition holds:
it says more about the moment than one that always applies. Its test shows that nothing else ever has to decide, and
that every mode can be reached and left.
A trigger without a transition is refused, and the mode stays what it was.

The design's own transitions come first in the table; docs/design/agent.md has the picture, drawn from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from orchestrator.workflows.agent.modes import INTENTS, AgentMode

M = AgentMode
DONE = "done"
"""The mode has done what was asked, or all it can: the agent rests."""
LARGE_CHANGE_FILES = 5
"""A change of more files is large."""


@dataclass(frozen=True)
class ContextFacts:
    """What conditions look at (`to_dict` of the design's context)."""

    has_pending_changes: bool = False
    has_errors: bool = False
    test_passed: bool = False
    num_files: int = 0

    @property
    def is_large_change(self) -> bool:
        """Whether the change has many files."""
        return self.num_files > LARGE_CHANGE_FILES


CONDITIONS: Mapping[str, Callable[[ContextFacts], bool]] = {
    "has_pending_changes": lambda facts: facts.has_pending_changes,
    "has_errors": lambda facts: facts.has_errors,
    "test_passed": lambda facts: facts.test_passed,
    "is_large_change": lambda facts: facts.is_large_change,
}
"""Conditions by their names, as the table, records and the picture have them."""


@dataclass(frozen=True)
class Transition:
    """From one mode to another, by a trigger, where the condition of that name holds (none: always)."""

    from_mode: AgentMode
    to_mode: AgentMode
    trigger: str
    priority: int
    condition: str | None = None

    def applies(self, facts: ContextFacts) -> bool:
        """Whether its condition holds."""
        return self.condition is None or CONDITIONS[self.condition](facts)

    @property
    def rank(self) -> tuple[int, bool]:
        """The higher one is taken."""
        return self.priority, self.condition is not None


_DESIGN = (
    Transition(M.IDLE, M.CONTEXT_NAV, "search_intent", 10),
    Transition(M.IDLE, M.IMPLEMENTATION, "code_intent", 10),
    Transition(M.IDLE, M.DEBUG, "error_intent", 10),
    Transition(M.IDLE, M.DESIGN, "design_intent", 10),
    Transition(M.CONTEXT_NAV, M.IMPLEMENTATION, "target_found", 9),
    Transition(M.CONTEXT_NAV, M.DEBUG, "bug_located", 9),
    Transition(M.CONTEXT_NAV, M.DESIGN, "architecture_needed", 8),
    Transition(M.DESIGN, M.IMPLEMENTATION, "design_approved", 9),
    Transition(M.DESIGN, M.MULTI_FILE, "large_change_planned", 9),
    Transition(M.IMPLEMENTATION, M.TEST, "code_complete", 9),
    Transition(M.IMPLEMENTATION, M.MULTI_FILE, "code_complete", 9, "is_large_change"),
    Transition(M.IMPLEMENTATION, M.DEBUG, "error_occurred", 10),
    Transition(M.IMPLEMENTATION, M.DOCUMENTATION, "doc_needed", 7),
    Transition(M.IMPLEMENTATION, M.QA, "review_needed", 8),
    Transition(M.IMPLEMENTATION, M.CONTEXT_NAV, "rejected", 10),
    Transition(M.DEBUG, M.IMPLEMENTATION, "fix_identified", 9),
    Transition(M.DEBUG, M.TEST, "reproduce_needed", 8),
    Transition(M.DEBUG, M.IMPACT, "impact_check_needed", 8),
    Transition(M.TEST, M.IMPLEMENTATION, "test_failed", 10),
    Transition(M.TEST, M.QA, "tests_passed", 9),
    Transition(M.QA, M.REFACTOR, "improvement_needed", 8),
    Transition(M.QA, M.IMPLEMENTATION, "issues_found", 9),
    Transition(M.QA, M.GIT, "approved", 9),
    Transition(M.REFACTOR, M.TEST, "refactor_complete", 9),
    Transition(M.REFACTOR, M.MULTI_FILE, "large_refactor", 8),
    Transition(M.MULTI_FILE, M.IMPACT, "impact_check", 9),
    Transition(M.MULTI_FILE, M.TEST, "changes_ready", 9),
    Transition(M.MULTI_FILE, M.GIT, "commit_ready", 8),
    Transition(M.IMPACT, M.TEST, "affected_tests", 9),
    Transition(M.IMPACT, M.IMPLEMENTATION, "additional_fixes", 8),
    Transition(M.GIT, M.IDLE, "committed", 9),
    Transition(M.PLANNING, M.IMPLEMENTATION, "plan_ready", 9),
    Transition(M.PLANNING, M.MULTI_FILE, "complex_plan", 9),
    Transition(M.PLANNING, M.MIGRATION, "migration_plan", 8),
)

# What the design leaves for later: the other modes' ways in and out.
_SPECIALISED = (
    Transition(M.CONTEXT_NAV, M.PLANNING, "planning_needed", 8),
    Transition(M.TEST, M.DEBUG, "tests_broke", 8),
    Transition(M.TEST, M.QA, "tests_skipped", 8),
    Transition(M.QA, M.GIT, "unjudged", 7),
    Transition(M.DOCUMENTATION, M.QA, "documented", 8),
    Transition(M.MIGRATION, M.TEST, "migrated", 9),
    Transition(M.DEPENDENCY, M.IMPLEMENTATION, "manifest_change_needed", 8),
    Transition(M.SPEC_COMPLIANCE, M.IMPLEMENTATION, "items_unmet", 9),
    Transition(M.VERIFICATION, M.DEBUG, "verification_failed", 10),
    Transition(M.VERIFICATION, M.GIT, "verified", 8, "has_pending_changes"),
    Transition(M.VERIFICATION, M.IDLE, "verified", 8),
    Transition(M.PROFILING, M.REFACTOR, "hot_spot_found", 9),
    Transition(M.PROFILING, M.BENCHMARK, "comparison_needed", 7, "has_pending_changes"),
    Transition(M.BENCHMARK, M.PROFILING, "slower", 9),
    Transition(M.BENCHMARK, M.GIT, "no_slower", 8, "has_pending_changes"),
    Transition(M.BENCHMARK, M.IDLE, "no_slower", 8),
    Transition(M.OPS, M.IMPLEMENTATION, "manifest_fix_needed", 8),
    Transition(M.ENV_REPRO, M.DEBUG, "not_reproducible", 9),
    Transition(M.ML_INTEGRATION, M.IMPLEMENTATION, "integration_needed", 8),
    Transition(M.RESEARCH, M.PLANNING, "findings_ready", 8),
)
_REJECTED = tuple(
    Transition(mode, M.CONTEXT_NAV, "rejected", 10)
    for mode in (
        M.CONTEXT_NAV,
        M.DESIGN,
        M.DOCUMENTATION,
        M.REFACTOR,
        M.MULTI_FILE,
        M.MIGRATION,
        M.PLANNING,
        M.GIT,
    )
)
_REQUESTED = tuple(Transition(M.IDLE, mode, trigger, 10) for mode, trigger in INTENTS.items())
_RESTED = tuple(Transition(mode, M.IDLE, DONE, 1) for mode in M if mode is not M.IDLE)

TRANSITIONS: tuple[Transition, ...] = tuple(
    dict.fromkeys((*_DESIGN, *_SPECIALISED, *_REJECTED, *_REQUESTED, *_RESTED))
)
"""Every transition, once."""


def _indexed() -> dict[tuple[AgentMode, str], tuple[Transition, ...]]:
    index: dict[tuple[AgentMode, str], list[Transition]] = {}
    for transition in TRANSITIONS:
        index.setdefault((transition.from_mode, transition.trigger), []).append(transition)
    return {
        key: tuple(sorted(rows, key=lambda row: row.rank, reverse=True))
        for key, rows in index.items()
    }


_INDEX = _indexed()


def transition(mode: AgentMode, trigger: str, facts: ContextFacts) -> Transition | None:
    """The transition that the trigger means in this mode; None where there is none: it is refused."""
    return next((row for row in _INDEX.get((mode, trigger), ()) if row.applies(facts)), None)


def available(mode: AgentMode, facts: ContextFacts | None = None) -> tuple[Transition, ...]:
    """What leads out of a mode, the first choice first; with facts only what would be taken."""
    rows = sorted(
        (row for row in TRANSITIONS if row.from_mode is mode),
        key=lambda row: row.rank,
        reverse=True,
    )
    if facts is None:
        return tuple(rows)
    return tuple(row for row in rows if transition(mode, row.trigger, facts) is row)


def suggest(mode: AgentMode, facts: ContextFacts) -> Transition | None:
    """The way out that the facts speak for: the highest of those whose condition holds, else of the others.

    Ends are no suggestion, and from `idle` only a request leads on.
    """
    if mode is M.IDLE:
        return None
    return next((row for row in available(mode, facts) if row.to_mode is not M.IDLE), None)


def diagram() -> str:
    """The machine as a Mermaid state diagram; ways that every mode has are left to a sentence beside it."""
    shared = {DONE, *INTENTS.values()}
    lines = ["stateDiagram-v2"]
    for row in TRANSITIONS:
        if row.trigger in shared:
            continue
        condition = f" [{row.condition}]" if row.condition else ""
        lines.append(
            f"    {row.from_mode} --> {row.to_mode}: {row.trigger}{condition} ({row.priority})"
        )
    return "\n".join(lines) + "\n"

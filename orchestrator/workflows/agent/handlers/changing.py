"""Modes that change code: each asks the coder in its own words, and goes its own way afterwards."""

from __future__ import annotations

from collections.abc import Callable

from orchestrator.core.replay.commands import Effect
from orchestrator.workflows.agent.choices import APPROVE
from orchestrator.workflows.agent.handlers.examining import examine
from orchestrator.workflows.agent.handlers.finding import after_refusal
from orchestrator.workflows.agent.handlers.surveying import LARGEST, OCCURRENCES, survey
from orchestrator.workflows.agent.mode_context import MOST_ERROR
from orchestrator.workflows.agent.modes import AgentMode
from orchestrator.workflows.agent.transitions import DONE
from orchestrator.workflows.agent.work import ModeResult, Proposal, Visit, propose
from shared.models.notices import notice

DOCUMENTATION_NEEDED = "documentation"
"""Among what a coder says it needs besides: the change is to be documented."""
MOST_PATCHES = 5
"""How many patches one visit of the mode for large changes may bring."""

After = Callable[[Visit, Proposal], str]
"""The trigger that follows from a patch that was taken."""


def implement(visit: Visit) -> Effect[ModeResult]:
    """Code for the task, with what tests, reviews and people said of the attempts before."""
    visit = yield from survey(visit)
    proposal = yield from propose(visit, "implement")
    return _ended(visit, proposal, _after_code)


def _after_code(visit: Visit, proposal: Proposal) -> str:
    documented = AgentMode.DOCUMENTATION in visit.context.mode_history
    if DOCUMENTATION_NEEDED in proposal.needs and not documented:
        return "doc_needed"
    tested = visit.context.auto_test and visit.agent.options.tests
    if not tested and not visit.context.facts.is_large_change:
        return "review_needed"
    return "code_complete"


def refactor(visit: Visit) -> Effect[ModeResult]:
    """Another shape, the same behaviour. Where the task names nothing, the longest functions are shown besides."""
    visit = yield from survey(visit, LARGEST)
    proposal = yield from propose(visit, "refactor")
    return _ended(
        visit,
        proposal,
        lambda now, made: (
            "refactor_complete"
            if made.complete and not now.context.facts.is_large_change
            else "large_refactor"
        ),
    )


def change_many(visit: Visit) -> Effect[ModeResult]:
    """A change of many files, patch by patch, until the coder says that it is complete."""
    visit = yield from survey(visit, OCCURRENCES)
    checked = AgentMode.IMPACT in visit.context.mode_history
    if visit.context.facts.test_passed and checked:
        return visit.ends("commit_ready")
    for number in range(1, MOST_PATCHES + 1):
        part = yield from propose(visit.part(number), "many_files")
        visit = visit.at(part.context)
        if part.refused or not visit.context.pending_files:
            return _ended(visit, part, lambda _now, _made: "changes_ready")
        if part.complete or not part.taken:
            break
    else:
        visit.proceedings.warn(notice("agent_change_incomplete", n=MOST_PATCHES))
    return visit.ends("changes_ready" if checked else "impact_check")


def document(visit: Visit) -> Effect[ModeResult]:
    """What is not documented, as code sees it; the coder writes it where there is one."""
    visit = yield from examine(visit, "documentation")
    if visit.agent.coder is None and not visit.context.wants_change:
        return visit.ends(DONE)
    proposal = yield from propose(visit, "document")
    return _ended(visit, proposal, lambda _now, _made: "documented")


def migrate(visit: Visit) -> Effect[ModeResult]:
    """What the target no longer knows, as code sees it; the coder moves it where there is one."""
    visit = yield from examine(visit, "migration")
    if visit.agent.coder is None and not visit.context.wants_change:
        return visit.ends(DONE)
    proposal = yield from propose(visit, "migrate")
    return _ended(visit, proposal, lambda _now, _made: "migrated")


def _ended(visit: Visit, proposal: Proposal, after: After) -> ModeResult:
    """The trigger that follows from what came."""
    visit = visit.at(proposal.context)
    if proposal.patch is not None:
        if proposal.answer != APPROVE:
            return after_refusal(visit, proposal.answer)
        why = notice(
            "agent_changed",
            n=len(proposal.patch.paths),
            added=proposal.patch.added,
            removed=proposal.patch.removed,
        )
        return visit.ends(after(visit, proposal), why)
    failed = [message for message in visit.context.memory if message.source == "patch"]
    if not failed:
        return visit.falls_short(DONE, notice("agent_no_change"))
    why = notice("agent_patch_refused", why=failed[-1].text)
    if visit.mode is not AgentMode.IMPLEMENTATION:
        return visit.falls_short(DONE, why)
    # What the patches failed with is an error like any other.
    text = "\n".join(message.text for message in failed)
    now = visit.at(visit.context.updated(error_text=text[:MOST_ERROR]))
    return now.falls_short("error_occurred", why)

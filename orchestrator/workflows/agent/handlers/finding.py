"""Modes that look: where something is, where an error comes from, what a change reaches."""

from __future__ import annotations

from orchestrator.core.replay.commands import Effect
from orchestrator.workflows.agent.choices import APPROVE, HALT, REJECT
from orchestrator.workflows.agent.handlers.surveying import reached, searched, survey
from orchestrator.workflows.agent.mode_context import ModeContext
from orchestrator.workflows.agent.modes import AgentMode
from orchestrator.workflows.agent.roles import AgentRole
from orchestrator.workflows.agent.transitions import DONE
from orchestrator.workflows.agent.work import (
    ModeResult,
    Visit,
    approve_result,
    use_tool,
    why_halted,
    with_words,
    write_text,
)
from shared.models.agent import LocatedError
from shared.models.notices import notice
from shared.tools.agent_inputs import ErrorInput

_NEXT = {
    AgentMode.DEBUG: "bug_located",
    AgentMode.DESIGN: "architecture_needed",
    AgentMode.PLANNING: "planning_needed",
}


def navigate(visit: Visit) -> Effect[ModeResult]:
    """Find what the task is about. A question ends here; everything else goes on with what was found."""
    visit = yield from searched(visit)
    context, hits = visit.context, visit.proceedings.hits
    why = notice("agent_found", n=len(hits))
    if context.goal is not AgentMode.CONTEXT_NAV:
        listed = "\n".join(hit.place.shown for hit in hits)
        answer = yield from approve_result(visit, "search", listed)
        if answer != APPROVE:
            return after_refusal(visit, answer)
        return visit.ends(_NEXT.get(context.goal, "target_found"), why)
    if not hits:
        return visit.falls_short(DONE, notice("agent_nothing_found"))
    yield from write_text(visit, "answer", "answer")
    return visit.ends(DONE, why)


def debug(visit: Visit) -> Effect[ModeResult]:
    """From an error to its places; without one, from the failing command."""
    context = visit.context
    text = context.error_text or context.task
    located = yield from use_tool(
        visit,
        "errors",
        "agent.errors",
        AgentRole.LOCATING,
        LocatedError,
        lambda: ErrorInput(workspace=context.workspace, text=text),
    )
    places = () if located is None else located.places
    visit = visit.at(context.done("locate", visit.key("errors"), succeeded=bool(places)))
    if not places:
        return (yield from _without_place(visit))
    paths = tuple(dict.fromkeys(place.path for place in places))
    visit = visit.at(visit.context.updated(last_error=located).with_places(paths))
    why = notice("agent_located", place=f"{places[0].path}:{places[0].line}")
    if visit.agent.coder is None:
        visit.needs("agent_needs_coder")
        return visit.ends("impact_check_needed", why)
    return visit.ends("fix_identified", why)


def _without_place(visit: Visit) -> Effect[ModeResult]:
    """The error names no place: the tests may show one, else what its words mean is looked for."""
    context, options = visit.context, visit.agent.options
    unseen = context.goal is AgentMode.DEBUG and AgentMode.TEST not in context.mode_history
    if unseen and options.tests and context.auto_test:
        return visit.ends("reproduce_needed", notice("agent_reproduces"))
    visit = yield from survey(visit)
    context = visit.context
    if visit.agent.coder is not None and (context.error_text or context.current_files):
        return visit.ends("fix_identified", notice("agent_no_place"))
    visit.needs("agent_needs_error")
    return visit.ends(DONE, notice("agent_no_place"))


def weigh_impact(visit: Visit) -> Effect[ModeResult]:
    """Callers, tests and files that a change, or what the task names, reaches."""
    pending = bool(visit.context.pending_files)
    visit = yield from (reached(visit, ()) if pending else _reach_of_task(visit))
    context = visit.context
    if context.impact is None:
        return visit.falls_short(DONE, notice("agent_nothing_found"))
    counts = {
        "callers": context.impact.callers,
        "tests": context.impact.tests,
        "files": context.impact.files,
    }
    why = notice("agent_impact", **{name: len(each) for name, each in counts.items()})
    if pending:
        return visit.ends("affected_tests", why)
    if context.goal is AgentMode.DEBUG and visit.agent.coder is not None:
        return visit.ends("additional_fixes", why)
    return visit.ends(DONE, why)


def _reach_of_task(visit: Visit) -> Effect[Visit]:
    """Of what is named; where nothing is, or nothing is called so, of what the words of the task mean."""
    symbols = _named(visit)
    if symbols:
        visit = yield from reached(visit, symbols)
    if not visit.context.impact_nodes:
        if visit.intent.target:
            visit.proceedings.warn(notice("agent_no_such_name", name=visit.intent.target))
        visit = yield from searched(visit, "code_search")
        found = tuple(hit.symbol for hit in visit.proceedings.hits if hit.symbol)[:1]
        visit = visit.at(visit.context.updated(impact=None))
        if found:
            visit = (yield from reached(visit.part(1), found)).part(0)
    impact = visit.context.impact
    if impact is not None and impact.callers:
        visit.proceedings.hits[:] = impact.callers
    return visit


def _named(visit: Visit) -> tuple[str, ...]:
    """The symbols whose reach is asked for."""
    target = visit.intent.target
    return (target,) if target else visit.context.current_symbols[:5]


def after_refusal(visit: Visit, answer: str) -> ModeResult:
    """A rejection leads back to the search with the person's words; `halt`, or nobody's answer, ends the run."""
    if answer == REJECT:
        context: ModeContext = with_words(visit)
        return visit.at(context).ends("rejected", notice("agent_rejected"))
    assert answer == HALT
    visit.proceedings.stopped = why_halted(visit)
    return visit.ends(DONE, visit.proceedings.stopped)

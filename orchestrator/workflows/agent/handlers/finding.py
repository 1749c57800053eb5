"""Modes that look: where something is, where an error comes from, what a change reaches."""

from __future__ import annotations

from orchestrator.core.replay.commands import Effect
from orchestrator.workflows.agent.choices import APPROVE, HALT, REJECT
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
from shared.models.agent import CodeImpact, LocatedError, Navigation
from shared.models.notices import notice
from shared.tools.agent_inputs import ErrorInput, ImpactInput, NavigationInput

_NEXT = {
    AgentMode.DEBUG: "bug_located",
    AgentMode.DESIGN: "architecture_needed",
    AgentMode.PLANNING: "planning_needed",
}


def navigate(visit: Visit) -> Effect[ModeResult]:
    """Find what the task is about. A question ends here; everything else goes on with what was found."""
    visit = yield from _searched(visit)
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


def _searched(visit: Visit) -> Effect[Visit]:
    """The visit with the files and symbols that were found; the hits are in the result."""
    context, wanted = visit.context, visit.intent
    navigation = yield from use_tool(
        visit,
        "search",
        "agent.navigate",
        AgentRole.NAVIGATION,
        Navigation,
        lambda: NavigationInput(
            workspace=context.workspace,
            intent=wanted.navigation,
            query="\n".join((context.task, *context.words)),
            target=wanted.target,
        ),
    )
    hits = () if navigation is None else navigation.hits
    visit.proceedings.hits[:] = hits
    files = tuple(dict.fromkeys(hit.place.path for hit in hits))
    symbols = tuple(dict.fromkeys(hit.symbol for hit in hits if hit.symbol))
    context = context.done("search", visit.key("search"), succeeded=bool(hits))
    return visit.at(context.with_places(files, symbols))


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
        return _without_place(visit)
    paths = tuple(dict.fromkeys(place.path for place in places))
    visit = visit.at(visit.context.updated(last_error=located).with_places(paths))
    why = notice("agent_located", place=f"{places[0].path}:{places[0].line}")
    if visit.agent.coder is None:
        visit.needs("agent_needs_coder")
        return visit.ends("impact_check_needed", why)
    return visit.ends("fix_identified", why)


def _without_place(visit: Visit) -> ModeResult:
    """The error names no place: the tests may show one, and a coder may know without."""
    context, options = visit.context, visit.agent.options
    unseen = context.goal is AgentMode.DEBUG and AgentMode.TEST not in context.mode_history
    if unseen and options.tests and context.auto_test:
        return visit.ends("reproduce_needed", notice("agent_reproduces"))
    if visit.agent.coder is not None and (context.error_text or context.current_files):
        return visit.ends("fix_identified", notice("agent_no_place"))
    visit.needs("agent_needs_error")
    return visit.ends(DONE, notice("agent_no_place"))


def weigh_impact(visit: Visit) -> Effect[ModeResult]:
    """Callers, tests and files that a change, or what the task names, reaches."""
    context = visit.context
    symbols = _named(visit)
    impact = yield from use_tool(
        visit,
        "impact",
        "agent.impact",
        AgentRole.IMPACT,
        CodeImpact,
        lambda: ImpactInput(workspace=context.workspace, symbols=symbols),
    )
    impact = impact or CodeImpact()
    hits = visit.proceedings.hits
    hits.extend(hit for hit in impact.callers if hit not in hits)
    visit = visit.at(
        context.done("impact", visit.key("impact")).updated(
            impact=impact,
            impact_nodes=impact.symbols,
            dependency_chain=tuple(filter(None, (hit.symbol for hit in impact.callers))),
        )
    )
    counts = {"callers": impact.callers, "tests": impact.tests, "files": impact.files}
    why = notice("agent_impact", **{name: len(each) for name, each in counts.items()})
    if context.pending_files:
        return visit.ends("affected_tests", why)
    if context.goal is AgentMode.DEBUG and visit.agent.coder is not None:
        return visit.ends("additional_fixes", why)
    return visit.ends(DONE, why)


def _named(visit: Visit) -> tuple[str, ...]:
    """The symbols whose reach is asked for; none where the work itself is meant."""
    if visit.context.pending_files:
        return ()
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

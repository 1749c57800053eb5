"""Modes that examine: what code sees is told in any case; a coder changes it where a change was asked for."""

from __future__ import annotations

from collections.abc import Callable

from orchestrator.core.replay.commands import Effect
from orchestrator.workflows.agent.mode_context import AgentMessage, ModeContext
from orchestrator.workflows.agent.roles import AgentRole
from orchestrator.workflows.agent.transitions import DONE
from orchestrator.workflows.agent.work import ModeResult, Visit, use_tool
from shared.models.agent import RepositoryExamination
from shared.models.findings import Severity
from shared.models.notices import notice
from shared.tools.agent_inputs import ExaminationInput

MOST_POINTS, MOST_PATHS = 40, 10
"""Of what was seen, how much a coder is told, and how many files it is shown."""


def examine(visit: Visit, what: str) -> Effect[Visit]:
    """Look from one point of view; points, items and facts go into the result, places into the context."""
    seen = yield from use_tool(
        visit,
        what,
        f"examine.{what}",
        AgentRole.EXAMINATION,
        RepositoryExamination,
        lambda: ExaminationInput(workspace=visit.context.workspace, task=visit.context.task),
    )
    context = visit.context.done(what, visit.key(what), succeeded=seen is not None)
    if seen is None:
        return visit.at(context)
    visit.proceedings.see(seen)
    return visit.at(_minding(context.with_places(_paths(seen)), seen))


def _paths(seen: RepositoryExamination) -> tuple[str, ...]:
    """The files of what was seen, the gravest first."""
    grave_first = sorted(seen.points, key=lambda point: point.severity.rank)
    places = [point.place.path for point in grave_first if point.place is not None]
    places += [place.path for item in seen.items for place in item.places]
    return tuple(dict.fromkeys(places))[:MOST_PATHS]


def _minding(context: ModeContext, seen: RepositoryExamination) -> ModeContext:
    """With what was seen, for whoever writes next; an earlier look is forgotten."""
    rows = [
        f"{point.place.shown} {point.rule}" if point.place else point.rule
        for point in seen.points[:MOST_POINTS]
    ]
    rows += [f"{item.state}: {item.item}" for item in seen.items if item.state != "met"]
    if not rows:
        return context
    message = AgentMessage(source="examination", text="\n".join(rows))
    others = tuple(each for each in context.memory if each.source != "examination")
    return context.updated(memory=(*others, message))


def examines(what: str, trigger: str) -> Callable[[Visit], Effect[ModeResult]]:
    """The mode that looks from this point of view; the trigger leads to a change of what was seen."""

    def handler(visit: Visit) -> Effect[ModeResult]:
        visit = yield from examine(visit, what)
        proceedings = visit.proceedings
        wrong = any(point.severity is not Severity.INFO for point in proceedings.points)
        wrong = wrong or any(item.state != "met" for item in proceedings.items)
        why = notice("agent_examined", n=len(proceedings.points), items=len(proceedings.items))
        if not (wrong and visit.context.wants_change):
            return visit.ends(DONE, why)
        if visit.agent.coder is None:
            visit.needs("agent_needs_coder")
            return visit.ends(DONE, why)
        return visit.ends(trigger, why)

    return handler

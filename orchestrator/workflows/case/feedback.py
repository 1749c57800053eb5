"""Whether a critique will do: by code, and by the analyst where there is one. Else what is to run and to be mended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from orchestrator.core.replay.commands import Effect, Turn, record
from orchestrator.workflows.case.confidence import grave_findings, is_supported
from orchestrator.workflows.case.context import CaseContext
from orchestrator.workflows.case.critique import CritiqueHistory, CritiqueTask
from orchestrator.workflows.case.options import HEURISTIC
from orchestrator.workflows.case.proceedings import (
    PlannedNode,
    Proceedings,
    read_reply,
    take_nodes,
)
from orchestrator.workflows.case.records import FeedbackRecord
from orchestrator.workflows.case.roles import LENSES, CaseRole
from orchestrator.workflows.case.routing import lens_cards, ranked_cards
from orchestrator.workflows.case.state import GraphState
from shared.models.critique import CritiqueFeedback
from shared.models.findings import Finding, FindingStatus, Severity
from shared.models.notices import Notice, notice, verbatim
from shared.models.panel import Participant

MOST_ISSUES = 20


def give_feedback(
    context: CaseContext,
    proceedings: Proceedings,
    state: GraphState,
    history: CritiqueHistory,
    task: CritiqueTask,
    left: int,
) -> Effect[FeedbackRecord]:
    """Judge a critique; `left` is how many tools may still run in this iteration."""
    judged: CritiqueFeedback | None = None
    analyst, cycle = context.analyst, task.cycle
    if analyst is not None:
        judged = yield from _asked(context, proceedings, state, history, task, left, analyst)
    given = judged
    by = analyst.name if analyst is not None and given is not None else HEURISTIC

    def fact() -> FeedbackRecord:
        tools = _unrun(state, given.requested_tools) if given else _missed(context, state, left)
        instructions = instructions_of(history) if context.models else ()
        if given is not None:
            instructions = (*instructions, *map(verbatim, filter(None, given.patch_instructions)))
        complete = given.ok if given is not None else True
        return FeedbackRecord(
            iteration=cycle.number,
            feedback=task.feedback,
            by=by,
            ok=complete and not (instructions or tools),
            requested_tools=tools,
            patch_instructions=instructions[:MOST_ISSUES],
        )

    return (yield from record(cycle.key("feedback", task.feedback + 1), FeedbackRecord, fact))


def _asked(
    context: CaseContext,
    proceedings: Proceedings,
    state: GraphState,
    history: CritiqueHistory,
    task: CritiqueTask,
    left: int,
    analyst: Participant,
) -> Effect[CritiqueFeedback | None]:
    part = context.excerpt(analyst, history.standing)
    turn = Turn(
        key=task.cycle.key("feedback", task.feedback + 1, analyst.name),
        participant=analyst,
        role=CaseRole.FEEDBACK,
        round=len(history.rounds),
        reply_model="case.feedback",
        prompt=partial(
            context.prompts.feedback, analyst, state, history.standing, lens_cards(), left, part
        ),
        temperature=0.2,
    )
    nodes = [PlannedNode("feedback", turn, part)]
    (result,) = yield from take_nodes(proceedings, nodes, task.cycle.number)
    reply = read_reply(result, CritiqueFeedback)
    return None if reply is None else context.unmasked(analyst, reply)


def _unrun(state: GraphState, names: Sequence[str]) -> tuple[str, ...]:
    """The tools among these names that there are and that have not run."""
    known = {card.name for card in lens_cards()}
    return tuple(name for name in dict.fromkeys(names) if name in known - state.results.keys())


def _missed(context: CaseContext, state: GraphState, left: int) -> tuple[str, ...]:
    """Tools that the chart calls for and that the router left out although the budget had room."""
    ranked = ranked_cards(state, len(context.case.similar), lens_cards())
    called_for = (each.card.name for each in ranked if each.why is not None)
    return _unrun(state, tuple(called_for))[:left]


# ---- what is wrong with a critique, as code sees it ------------------------------------------------


def instructions_of(history: CritiqueHistory) -> tuple[Notice, ...]:
    """What the critics can mend at once: points that show nothing true, and grave points without their position."""
    return (
        *(_unshown(finding) for finding in history.unshown),
        *_unheard(history, Severity.CRITICAL),
    )


def issues_of(history: CritiqueHistory) -> tuple[Notice, ...]:
    """All that a further iteration must improve: the memory of the design."""
    issues: dict[str, Notice] = {}
    for issue in _issues(history):
        issues.setdefault(issue.model_dump_json(), issue)
    return tuple(issues.values())[:MOST_ISSUES]


def _issues(history: CritiqueHistory) -> Iterator[Notice]:
    for finding in history.unshown:
        yield _unshown(finding)
    for finding in grave_findings(history):
        if not is_supported(finding, history):
            yield notice("case_issue_unsupported", finding=finding.id, severity=finding.severity)
        if finding.status is FindingStatus.CONTESTED:
            yield notice("case_issue_contested", finding=finding.id)
    yield from _unheard(history, Severity.MAJOR)
    for name in history.missing:
        yield notice("case_issue_missing", who=name)


def _unshown(finding: Finding) -> Notice:
    return notice(
        "case_issue_unshown", finding=finding.id, who=finding.raised_by, point=finding.title
    )


def _unheard(history: CritiqueHistory, at_least: Severity) -> Iterator[Notice]:
    """Grave findings of the lenses on which a critic that answers has taken no position."""
    for finding in grave_findings(history):
        if LENSES not in finding.raised_by or finding.severity.rank > at_least.rank:
            continue
        positions = history.positions(finding)
        silent = tuple(name for name in history.last if name not in positions)
        if silent:
            yield notice("case_issue_unheard", finding=finding.id, who=silent)

"""Whether the critic is run again: while its confidence is not enough and there is something that could improve it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from orchestrator.core.discussion.cycles import Cycle
from orchestrator.core.replay.commands import Effect, phase, record
from orchestrator.workflows.case.confidence import ConfidenceFacts, basis_of, confidence
from orchestrator.workflows.case.context import CaseContext
from orchestrator.workflows.case.critique import CritiqueHistory
from orchestrator.workflows.case.feedback import issues_of
from orchestrator.workflows.case.proceedings import Proceedings
from orchestrator.workflows.case.records import FeedbackRecord, ReflectionRecord
from orchestrator.workflows.case.result import CaseConfidence
from orchestrator.workflows.case.routing import lens_cards, ranked_cards, unrun_cards
from orchestrator.workflows.case.state import GraphState
from shared.models.notices import Notice, notice

Course = Literal["again", "enough", "repeats", "exhausted", "nothing_left", "stopped"]


@dataclass(frozen=True)
class CriticPass:
    """One iteration of the critic: what was known before it, what after it, and its last feedback."""

    cycle: Cycle
    before: CritiqueHistory
    after: CritiqueHistory
    feedback: FeedbackRecord
    ran: tuple[str, ...] = ()

    @property
    def repeats(self) -> bool:
        """From the second one on: no finding, severity, place or position is new, and no tool ran."""
        again = self.cycle.number > 1 and not self.ran
        return again and self.after.substance <= self.before.substance


def reflect(
    context: CaseContext,
    proceedings: Proceedings,
    state: GraphState,
    taken: CriticPass,
    last: int,
) -> Effect[ReflectionRecord]:
    """Judge an iteration; `last` is the number of the last one that may be."""
    yield from phase("reflect")

    def fact() -> ReflectionRecord:
        answered, asked = proceedings.answered(taken.cycle.number)
        open_instructions = taken.feedback.patch_instructions
        ranked = ranked_cards(state, len(context.case.similar), lens_cards())
        value = confidence(
            ConfidenceFacts(
                history=taken.after,
                basis=basis_of(taken.after, state),
                readers=tuple(critic.name for critic in context.models),
                answered=answered,
                asked=asked,
                open_instructions=0 if taken.feedback.ok else max(1, len(open_instructions)),
                called=sum(each.why is not None for each in ranked),
                unrun=len(unrun_cards(ranked, state.results)),
            )
        )
        course, why = _course(context, proceedings, state, taken, value, last)
        memory: tuple[Notice, ...] = ()
        if course == "again":
            left = (each for each in open_instructions if each.code == "text")
            memory = (*issues_of(taken.after), *left)
        return ReflectionRecord(
            iteration=taken.cycle.number,
            confidence=value,
            decision=course,
            why=why,
            memory=memory,
        )

    return (yield from record(taken.cycle.key("reflect"), ReflectionRecord, fact))


def _course(
    context: CaseContext,
    proceedings: Proceedings,
    state: GraphState,
    taken: CriticPass,
    value: CaseConfidence,
    last: int,
) -> tuple[Course, Notice]:
    """What follows, the gravest reason first."""
    threshold = context.options.confidence
    figures = {"confidence": value.value, "threshold": threshold}
    if taken.after.broke or proceedings.over_budget:
        return "stopped", notice("budget_used_up")
    if taken.repeats:
        return "repeats", notice("case_repeats", **figures)
    if value.value > threshold:
        return "enough", notice("case_confident", **figures)
    if taken.cycle.number >= last:
        return "exhausted", notice("case_iterations_used_up", most=last, **figures)
    if not context.models and not calls_for_tools(context, state):
        return "nothing_left", notice("case_nothing_left", **figures)
    return "again", notice("case_not_confident", **figures)


def calls_for_tools(context: CaseContext, state: GraphState) -> bool:
    """Whether the chart calls for a tool of the critic that has not run yet."""
    ranked = ranked_cards(state, len(context.case.similar), lens_cards())
    return any(each.why is not None and each.card.name not in state.results for each in ranked)

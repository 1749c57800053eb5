"""The end of a case: the verdict by code, and everything that a report shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from orchestrator.core.discussion.turn_results import spent
from orchestrator.core.findings.verdict import derive, effective_votes
from orchestrator.core.replay.commands import Outcome
from orchestrator.workflows.case.chart_parts import last_line
from orchestrator.workflows.case.context import CaseContext
from orchestrator.workflows.case.critic import CriticTaken
from orchestrator.workflows.case.critique import CritiqueHistory
from orchestrator.workflows.case.mappings import agent_state_to_clean_updates
from orchestrator.workflows.case.proceedings import Proceedings
from orchestrator.workflows.case.records import FeedbackRecord, PointGround, ReflectionRecord
from orchestrator.workflows.case.result import (
    CaseConfidence,
    CaseIteration,
    CaseResult,
    ChartReading,
    CritiqueEntry,
)
from orchestrator.workflows.case.state import GraphState
from orchestrator.workflows.case.verifier import PRIORITIES, Verified, citation_of, standing_points
from shared.models.decision import DecisionAnswer
from shared.models.findings import Finding
from shared.models.notices import Notice, notice, verbatim
from shared.models.outcomes import Ending, Verdict

_ENDINGS = {
    "enough": Ending.CONVERGED,
    "repeats": Ending.LOOPING,
    "exhausted": Ending.EXHAUSTED,
    "nothing_left": Ending.EXHAUSTED,
    "again": Ending.EXHAUSTED,
    "stopped": Ending.OVER_BUDGET,
}


@dataclass(frozen=True)
class Iterated:
    """An iteration with what was decided after it."""

    critic: CriticTaken
    reflection: ReflectionRecord


def unread(context: CaseContext, proceedings: Proceedings) -> Outcome:
    """The chart could not be structured: nothing can be said of it."""
    return Outcome(
        verdict=Verdict.INCONCLUSIVE,
        ending=Ending.DEGRADED,
        summary=notice("case_unread"),
        result=CaseResult(
            patient_case=context.case,
            text=context.text,
            trace=tuple(proceedings.trace),
            abstentions=tuple(proceedings.abstentions),
            usage=spent(proceedings.turns),
        ),
        warnings=(*context.case.remarks, *proceedings.warnings),
    )


def conclude(
    context: CaseContext,
    proceedings: Proceedings,
    state: GraphState,
    history: CritiqueHistory,
    iterations: Sequence[Iterated],
    verified: Verified,
    answer: DecisionAnswer | None,
) -> Outcome:
    """The verdict over what stands after the last iteration."""
    ending = ending_of(context, history, iterations[-1].reflection)
    verdict = derive(history.findings, ending, context.options.fail_on)
    if verdict is Verdict.APPROVED and not history.last:
        verdict = Verdict.CHECKS_PASSED  # nobody but rules looked at it
    result = _result(context, proceedings, state, history, iterations, verified)
    return Outcome(
        verdict=verdict,
        ending=ending,
        summary=_summary(state, history, iterations[-1].reflection.confidence),
        findings=history.findings,
        result=result.model_copy(update={"decision": answer}),
        warnings=(
            *context.case.remarks,
            *proceedings.warnings,
            *verified.warnings,
        ),
    )


def ending_of(
    context: CaseContext, history: CritiqueHistory, reflection: ReflectionRecord
) -> Ending:
    """How it ended: where nobody judged the chart, or critics take part and none read all of it, too few did."""
    if reflection.decision == "stopped":
        return Ending.OVER_BUDGET
    unread = bool(context.readers) and all(each.unread for each in readings(context, history))
    if unread or reflection.confidence.basis == "nobody":
        return Ending.DEGRADED
    return _ENDINGS[reflection.decision]


def readings(context: CaseContext, history: CritiqueHistory) -> tuple[ChartReading, ...]:
    """What each critic that is to read has read of the chart."""
    last = context.text.rstrip("\n").count("\n") + 1
    charts = []
    for critic in context.readers:
        read, parts = history.read.get(critic.name, frozenset()), context.portions(critic)
        unread = (
            [(1, last)]
            if not parts
            else [
                (1, last) if part is None else (part.pieces[0].line, last_line(part.pieces[0]))
                for part in parts
                if (0 if part is None else part.number) not in read
            ]
        )
        charts.append(
            ChartReading(by=critic.name, portions=len(parts), unread=joined_lines(unread))
        )
    return tuple(charts)


def joined_lines(ranges: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Ranges of lines in order, those made one that follow upon one another."""
    joined: list[tuple[int, int]] = []
    for first, last in ranges:
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], last)
        else:
            joined.append((first, last))
    return tuple(joined)


def _summary(state: GraphState, history: CritiqueHistory, reached: CaseConfidence) -> Notice:
    """How much stands, and what the confidence is one of; else why nobody judged the chart."""
    figures = {"n": len(standing_points(history)), "confidence": reached.value}
    match reached.basis:
        case "critics":
            return notice("case_summary", **figures)
        case "lenses":
            return notice("case_summary_computed", **figures)
    if state.chart.mentions or state.chart.measurements:
        return notice("case_not_judged")
    return notice("case_nothing_recognised")


def _result(
    context: CaseContext,
    proceedings: Proceedings,
    state: GraphState,
    history: CritiqueHistory,
    iterations: Sequence[Iterated],
    verified: Verified,
) -> CaseResult:
    done = state.preprocessing
    critiques, updates = history.last.values(), agent_state_to_clean_updates(state.results)
    return CaseResult(
        patient_case=context.case,
        text=context.text,
        structured_chart=state.chart,
        timeline=done.timeline,
        evidence_spans=done.evidence,
        record_gaps=done.gaps,
        diagnosis_analysis=state.diagnosis,
        treatment_analysis=state.treatment,
        evidence=state.evidence,
        intervention_coverage=state.coverage,
        lens_results=updates.lens_results,
        behavior_results=updates.behavior_results,
        router=tuple(routing for each in iterations for routing in each.critic.routings),
        trace=tuple(proceedings.trace),
        readings=readings(context, history),
        critique=tuple(_entry(finding, history) for finding in standing_points(history)),
        solutions=verified.solutions,
        verified_by=verified.option,
        analysis="\n\n".join(critique.analysis for critique in critiques if critique.analysis),
        risk_factors=_once(factor for critique in critiques for factor in critique.risk_factors),
        recommendations=_once(each for critique in critiques for each in critique.recommendations),
        iterations=tuple(map(_iteration, iterations)),
        abstentions=tuple(proceedings.abstentions),
        effective_votes=effective_votes(context.spec.panel.critics),
        usage=spent(proceedings.turns),
    )


def _entry(finding: Finding, history: CritiqueHistory) -> CritiqueEntry:
    ground = history.grounds.get(finding.id) or PointGround(finding=finding.id)
    action = next((action for _, action in ground.actions), "")
    return CritiqueEntry(
        finding=finding.id,
        issue=finding.message or verbatim(finding.title),
        severity=finding.severity,
        category=finding.category,
        action=finding.advice or (verbatim(action) if action else None),
        citation=citation_of(ground),
        priority=PRIORITIES[finding.severity],
        reference=ground.reference,
        spans=ground.spans,
        sources=ground.sources,
        cohort=ground.cohort,
        lens=ground.lens,
        by=finding.raised_by,
    )


def _iteration(each: Iterated) -> CaseIteration:
    reflection, taken = each.reflection, each.critic.taken
    again = reflection.decision == "again"
    return CaseIteration(
        number=reflection.iteration,
        confidence=reflection.confidence,
        points=len(standing_points(taken.after)),
        again=reflection.why if again else None,
        ended=None if again else reflection.why,
        memory=reflection.memory,
        feedback=_instructions(each.critic.feedback),
    )


def _instructions(feedback: Iterable[FeedbackRecord]) -> tuple[Notice, ...]:
    """What was to be mended within an iteration, each once."""
    open_ones = (each for record in feedback for each in record.patch_instructions)
    return tuple({each.model_dump_json(): each for each in open_ones}.values())


def _once(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))

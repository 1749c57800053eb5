"""The graph up to the critic: the chart, the evidence, both analyses side by side, and what is done about what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from orchestrator.core.discussion.cycles import Cycle
from orchestrator.core.replay.commands import Effect, Turn, phase
from orchestrator.workflows.case.chart_parts import ChartPart
from orchestrator.workflows.case.context import CaseContext
from orchestrator.workflows.case.embedding import embed
from orchestrator.workflows.case.proceedings import (
    PlannedNode,
    Proceedings,
    read_reply,
    take_nodes,
    tool_run,
)
from orchestrator.workflows.case.queries import (
    analysis_queries,
    answered_since,
    chart_queries,
    rewritten,
)
from orchestrator.workflows.case.roles import CaseRole
from orchestrator.workflows.case.state import GraphState, Preprocessing
from shared.models.case import (
    CaseEvidence,
    EvidenceQuery,
    EvidenceSpans,
    InterventionCoverage,
    RecordGaps,
    StructuredChart,
    Timeline,
)
from shared.models.critique import DiagnosisAnalysis, RewrittenQueries, TreatmentAnalysis
from shared.models.notices import Notice, notice
from shared.models.panel import Participant
from shared.tools.case_inputs import CaseInput, ChartInput, EvidenceInput, InterventionInput

_ANALYSES = (CaseRole.DIAGNOSIS, CaseRole.TREATMENT)


def structure(
    context: CaseContext, proceedings: Proceedings, cycle: Cycle
) -> Effect[GraphState | None]:
    """The chart as code reads it; None where the tool failed: then nothing can be said of the case."""
    yield from phase("chart_structurer")
    step = tool_run(
        cycle.key("chart_structurer"),
        "chart.structure",
        CaseRole.STRUCTURING,
        lambda: CaseInput(subject=context.spec.subject),
    )
    (result,) = yield from take_nodes(proceedings, [PlannedNode("chart_structurer", step)])
    chart = read_reply(result, StructuredChart)
    return None if chart is None else GraphState(chart)


def analyse(
    context: CaseContext,
    proceedings: Proceedings,
    state: GraphState,
    cycle: Cycle,
    memory: Sequence[Notice] = (),
) -> Effect[GraphState]:
    """Evidence, both analyses in parallel, evidence again, and the coverage of problems by interventions."""
    yield from phase("evidence")
    first = chart_queries(state.chart)
    state = yield from retrieve(context, proceedings, state, cycle.key("evidence"), first)
    yield from phase("diagnosis_treatment")
    state = yield from both_analyses(context, proceedings, state, cycle, memory)
    yield from phase("evidence_2nd")
    second = analysis_queries(state.diagnosis, state.treatment, state.evidence)
    state = yield from retrieve(context, proceedings, state, cycle.key("evidence_2nd"), second)
    state = yield from query_again(context, proceedings, state, cycle)
    yield from phase("intervention_checker")
    return (yield from check_interventions(context, proceedings, state, cycle))


def retrieve(
    context: CaseContext,
    proceedings: Proceedings,
    state: GraphState,
    key: str,
    queries: Sequence[EvidenceQuery],
) -> Effect[GraphState]:
    """What is found for the queries, with what was found before; without any nothing is run."""
    if not queries:
        return state
    known = yield from embed(context, proceedings, key, queries)

    def inputs() -> EvidenceInput:
        asked = EvidenceInput(
            subject=context.spec.subject, queries=tuple(queries), earlier=state.evidence
        )
        return asked.model_copy(update={"known": known}) if known.space else asked

    step = tool_run(key, "evidence.retrieve", CaseRole.RETRIEVAL, inputs)
    (result,) = yield from take_nodes(proceedings, [PlannedNode("evidence", step)])
    evidence = read_reply(result, CaseEvidence)
    return state if evidence is None else replace(state, evidence=evidence)


def query_again(
    context: CaseContext, proceedings: Proceedings, state: GraphState, cycle: Cycle
) -> Effect[GraphState]:
    """Queries that found too little, in the analyst's words; told where there is nobody to find other words."""
    weak, analyst = state.evidence.weak, context.analyst
    if not weak:
        return state
    if analyst is None:
        proceedings.abstain(
            "evidence", "analyst", notice("case_queries_not_rewritten", n=len(weak))
        )
        return state
    part = context.excerpt(analyst)
    key = cycle.key("queries", analyst.name)
    asked = (context, key, analyst, CaseRole.REWRITING, "case.queries", state)
    node = PlannedNode("evidence", analyst_turn(*asked, part=part), part)
    (result,) = yield from take_nodes(proceedings, [node])
    reply = read_reply(result, RewrittenQueries)
    again = {} if reply is None else rewritten(state.evidence, reply)
    key, queries = cycle.key("evidence_3rd"), tuple(again.values())
    state = yield from retrieve(context, proceedings, state, key, queries)
    return replace(state, evidence=answered_since(state.evidence, again))


def both_analyses(
    context: CaseContext,
    proceedings: Proceedings,
    state: GraphState,
    cycle: Cycle,
    memory: Sequence[Notice],
) -> Effect[GraphState]:
    """Diagnosis and treatment at once, each by its tool and, where there is an analyst, by that."""
    chart = ChartInput(subject=context.spec.subject, chart=state.chart)
    nodes = [
        PlannedNode(role, tool_run(cycle.key(role), f"{role}.extract", role, lambda: chart))
        for role in _ANALYSES
    ]
    for role in _ANALYSES:
        if context.analyst is None:
            proceedings.abstain(role, "analyst", notice("case_no_analyst", node=role))
            continue
        nodes += analyst_nodes(context, context.analyst, role, state, cycle, memory)
    results = yield from take_nodes(proceedings, nodes)
    replies = [(node.node, result) for node, result in zip(nodes, results, strict=True)]
    diagnoses, treatments = (
        [result for node, result in replies if node == role] for role in _ANALYSES
    )
    return replace(
        state,
        diagnosis=joined_diagnosis(
            *filter(None, (read_reply(each, DiagnosisAnalysis) for each in diagnoses))
        ),
        treatment=joined_treatment(
            *filter(None, (read_reply(each, TreatmentAnalysis) for each in treatments))
        ),
    )


def analyst_nodes(
    context: CaseContext,
    analyst: Participant,
    role: CaseRole,
    state: GraphState,
    cycle: Cycle,
    memory: Sequence[Notice],
) -> Iterator[PlannedNode]:
    """An analysis of the whole chart, portion by portion where it is too long to be shown at once."""
    for part in context.portions(analyst):
        key = cycle.key(role, analyst.name, *((part.number,) if part else ()))
        turn = analyst_turn(context, key, analyst, role, f"case.{role}", state, memory, part)
        yield PlannedNode(role, turn, part)


def joined_diagnosis(*parts: DiagnosisAnalysis) -> DiagnosisAnalysis:
    """What the tool extracted, then what the analyst adds to it."""
    return DiagnosisAnalysis(
        diagnoses=tuple(point for part in parts for point in part.diagnoses),
        differentials=tuple(point for part in parts for point in part.differentials),
        analysis="\n\n".join(part.analysis for part in parts if part.analysis),
        queries=tuple(dict.fromkeys(query for part in parts for query in part.queries)),
    )


def joined_treatment(*parts: TreatmentAnalysis) -> TreatmentAnalysis:
    """What the tool extracted, then what the analyst adds to it."""
    return TreatmentAnalysis(
        treatments=tuple(point for part in parts for point in part.treatments),
        analysis="\n\n".join(part.analysis for part in parts if part.analysis),
        queries=tuple(dict.fromkeys(query for part in parts for query in part.queries)),
    )


def check_interventions(
    context: CaseContext, proceedings: Proceedings, state: GraphState, cycle: Cycle
) -> Effect[GraphState]:
    """Problems beside what is done about them."""
    step = tool_run(
        cycle.key("intervention_checker"),
        "interventions.check",
        CaseRole.INTERVENTIONS,
        lambda: InterventionInput(
            subject=context.spec.subject,
            chart=state.chart,
            diagnosis=state.diagnosis,
            treatment=state.treatment,
        ),
    )
    (result,) = yield from take_nodes(proceedings, [PlannedNode("intervention_checker", step)])
    coverage = read_reply(result, InterventionCoverage)
    return state if coverage is None else replace(state, coverage=coverage)


def preprocess(
    context: CaseContext, proceedings: Proceedings, state: GraphState, cycle: Cycle
) -> Effect[GraphState]:
    """The critic's preprocessing: timeline, spans with ids and gaps, always, at once."""
    chart = ChartInput(subject=context.spec.subject, chart=state.chart)
    tools = ("preprocess.timeline", "preprocess.evidence", "preprocess.record_gaps")
    nodes = [
        PlannedNode(tool, tool_run(cycle.key(tool), tool, CaseRole.PREPROCESSING, lambda: chart))
        for tool in tools
    ]
    timeline, spans, gaps = yield from take_nodes(proceedings, nodes)
    done = Preprocessing(
        timeline=read_reply(timeline, Timeline) or Timeline(),
        evidence=read_reply(spans, EvidenceSpans) or EvidenceSpans(),
        gaps=read_reply(gaps, RecordGaps) or RecordGaps(),
    )
    return replace(state, preprocessing=done)


def analyst_turn(
    context: CaseContext,
    key: str,
    analyst: Participant,
    role: CaseRole,
    reply_model: str,
    state: GraphState,
    memory: Sequence[Notice] = (),
    part: ChartPart | None = None,
) -> Turn:
    """The analyst speaks in one of its roles."""
    return Turn(
        key=key,
        participant=analyst,
        role=role,
        round=0,
        reply_model=reply_model,
        prompt=lambda: context.prompts.analysis(analyst, role, state, memory, part),
        temperature=0.2,
    )

"""A case, from its chart to its critique: docs/design/case.md has the picture.

    chart_structurer ─> evidence ─> diagnosis │ treatment ─> evidence_2nd ─> intervention_checker ─> critic <─> reflect

A run shows the nodes' names as its phase. A person may have the critique revised: then the critic is run again, with
the points that were picked as what it must improve.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from orchestrator.core.discussion.cycles import Cycle
from orchestrator.core.discussion.estimate import (
    INSTRUCTIONS_TOKENS,
    LONG_ANSWER_TOKENS,
    SHORT_ANSWER_TOKENS,
    ExpectedCall,
    expected_calls,
)
from orchestrator.core.discussion.templates import Templates
from orchestrator.core.replay.commands import Effect, Workflow, phase
from orchestrator.core.replay.materials import Materials
from orchestrator.workflows.case.chart_parts import (
    READINGS,
    expected_parts,
    holds_whole,
    part_tokens,
)
from orchestrator.workflows.case.conclusion import Iterated, conclude, unread
from orchestrator.workflows.case.context import CaseContext
from orchestrator.workflows.case.critic import run_critic
from orchestrator.workflows.case.critique import CritiqueHistory, CritiqueTask, without_round
from orchestrator.workflows.case.decision import ask, picked_issues, wants_revision
from orchestrator.workflows.case.disclosure import disclosure_of
from orchestrator.workflows.case.options import LLM, CaseOptions, Restart, SolutionsOption
from orchestrator.workflows.case.proceedings import Proceedings
from orchestrator.workflows.case.prompts import CasePrompts
from orchestrator.workflows.case.reflection import calls_for_tools, reflect
from orchestrator.workflows.case.roles import CaseRole
from orchestrator.workflows.case.routing import report_unrun
from orchestrator.workflows.case.stages import analyse, preprocess, structure
from orchestrator.workflows.case.state import GraphState
from orchestrator.workflows.case.verifier import verify
from orchestrator.workflows.descriptor import WorkflowLogic
from shared.models.case import Case, PatientFacts
from shared.models.notices import Notice, notice
from shared.models.panel import Participant
from shared.models.run import RunSpec

MAX_REVISIONS = 3
"""How often a person may have the critique revised."""


def case(spec: RunSpec, materials: Materials) -> Workflow:
    """The whole run."""
    context, proceedings = context_of(spec, materials), Proceedings()
    first = Cycle("iteration")
    if context.too_small:
        names = tuple(participant.name for participant in context.too_small)
        warning = notice("case_chart_too_long", who=names, tokens=context.chart_tokens)
        proceedings.warnings.append(warning)
    state = yield from read_case(context, proceedings, first)
    if state is None:
        return unread(context, proceedings)
    proceedings.warnings += stated_otherwise(context.case, state.chart.patient)
    if not context.models:
        proceedings.abstain("critic", "critic", notice("case_no_critic"))
    history, iterations = CritiqueHistory(), list[Iterated]()
    task, last, revisions = CritiqueTask(first), context.options.max_iterations, 0
    while True:
        step = yield from one_iteration(context, proceedings, state, history, task, last)
        state, history = step.critic.state, step.critic.taken.after
        iterations.append(step)
        number = task.cycle.number + 1
        if step.reflection.decision == "again":
            task = CritiqueTask(Cycle("iteration", number), memory=step.reflection.memory)
            state = yield from restarted(context, proceedings, state, task)
            continue
        verified = yield from verify(context, proceedings, state, history, task.cycle)
        answer = yield from ask(context, history, verified, task.cycle)
        if answer is None or not wants_revision(answer):
            break
        begun = to_revise(context, proceedings, state, revisions)
        if begun is None:
            break
        revisions, last = revisions + 1, max(last, number)
        memory = picked_issues(answer, history)
        task = CritiqueTask(Cycle("iteration", number), memory=memory, note=answer.message)
        state = yield from restarted(context, proceedings, begun, task)
    report_unrun(context, proceedings, state)
    return conclude(context, proceedings, state, history, iterations, verified, answer)


def stated_otherwise(stated: Case, chart: PatientFacts) -> Iterator[Notice]:
    """Where fields of the input beside the text say something else of the patient than the text."""
    births = (stated.birth_date or "", chart.birth_date or "")
    known = min(map(len, births))
    if births[0][:known] != births[1][:known]:
        yield notice("case_birth_date_differs", stated=births[0], chart=births[1])
    if stated.sex is not None and chart.sex is not None and stated.sex is not chart.sex:
        yield notice("case_sex_differs", stated=stated.sex, chart=chart.sex)


def read_case(
    context: CaseContext, proceedings: Proceedings, cycle: Cycle
) -> Effect[GraphState | None]:
    """The graph up to the critic, with its preprocessing; None where the chart cannot be structured."""
    state = yield from structure(context, proceedings, cycle)
    if state is None:
        return None
    state = yield from analyse(context, proceedings, state, cycle)
    yield from phase("critic")
    return (yield from preprocess(context, proceedings, state, cycle))


def one_iteration(
    context: CaseContext,
    proceedings: Proceedings,
    state: GraphState,
    history: CritiqueHistory,
    task: CritiqueTask,
    last: int,
) -> Effect[Iterated]:
    """The critic once, and what follows. A critique that only repeats the one before is refused."""
    critic = yield from run_critic(context, proceedings, state, history, task)
    taken = critic.taken
    reflection = yield from reflect(context, proceedings, critic.state, taken, last)
    if reflection.decision == "repeats":
        refused = replace(taken, after=without_round(taken.before, taken.after))
        critic = replace(critic, taken=refused)
    return Iterated(critic, reflection)


def restarted(
    context: CaseContext, proceedings: Proceedings, state: GraphState, task: CritiqueTask
) -> Effect[GraphState]:
    """The state that a further iteration begins with: as it is, with new evidence, or read afresh."""
    match Restart(context.options.restart):
        case Restart.CRITIC:
            return state
        case Restart.EVIDENCE:
            return (yield from analyse(context, proceedings, state, task.cycle, task.memory))
        case Restart.FULL:
            afresh = yield from read_case(context, proceedings, task.cycle)
            return state if afresh is None else afresh


def to_revise(
    context: CaseContext, proceedings: Proceedings, state: GraphState, revisions: int
) -> GraphState | None:
    """What a revision begins with; None, and why, where nobody can revise and no tool is left that may run."""
    begun = state if context.models else state.without_failed()
    if not context.models and not calls_for_tools(context, begun):
        if not revisions:
            proceedings.warnings.append(notice("case_nothing_to_redo"))
        return None
    if revisions >= MAX_REVISIONS:
        proceedings.warnings.append(notice("case_revisions_used_up", most=MAX_REVISIONS))
        return None
    if not context.models:
        proceedings.warnings.append(notice("case_revised_by_tools"))
    return begun


def context_of(spec: RunSpec, materials: Materials) -> CaseContext:
    """The context of a run, from what was captured."""
    subject = Case.model_validate_json(materials.document(spec.subject))
    disclosure = disclosure_of(subject, materials.text)
    templates = Templates(materials.prompts(spec.prompts))
    voices = 1 + sum(not critic.rule_based for critic in spec.panel.critics)
    return CaseContext(
        spec=spec,
        options=CaseOptions.model_validate(spec.options),
        prompts=CasePrompts(templates, subject, disclosure, voices),
        case=subject,
        disclosure=disclosure,
        document=materials.text,
    )


def expected(spec: RunSpec, subject_tokens: int) -> Iterator[ExpectedCall]:
    """The shortest course is one iteration whose critique will do at once."""
    options = CaseOptions.model_validate(spec.options)
    chart = ExpectedReading(subject_tokens)
    for role in (CaseRole.DIAGNOSIS, CaseRole.TREATMENT):
        yield from chart.read(options.analyst, role, certain=True)
    yield from chart.about(options.analyst, CaseRole.REWRITING, longest=SHORT_ANSWER_TOKENS)
    readers = [critic for critic in spec.panel.critics if not critic.rule_based]
    for number in range(options.max_iterations):
        if options.router == LLM:
            yield from chart.about(options.analyst, CaseRole.ROUTING, certain=number == 0)
        for attempt in range(options.feedback_rounds + 1):
            first = number == attempt == 0
            known = (number + attempt) * len(readers) * LONG_ANSWER_TOKENS
            for critic in readers:
                reads = chart.read if first else chart.about
                yield from reads(critic, CaseRole.CRITIQUE, known, certain=first)
            yield from chart.about(options.analyst, CaseRole.FEEDBACK, known, certain=first)
    if options.solutions != SolutionsOption.CRITICS:
        known = len(readers) * LONG_ANSWER_TOKENS
        yield from chart.about(options.verifier, CaseRole.VERIFICATION, known)


@dataclass(frozen=True)
class ExpectedReading:
    """The calls for a chart of that length: who reads all of it, and who is asked about what is known."""

    chart_tokens: int

    def read(
        self, reader: Participant | None, role: CaseRole, known: int = 0, *, certain: bool = False
    ) -> Iterator[ExpectedCall]:
        """As many as the reader needs portions; none where it can be shown too little at once."""
        for _ in range(expected_parts(reader, self.chart_tokens) if reader is not None else 0):
            yield from self.about(reader, role, known, certain=certain)

    def about(
        self,
        speaker: Participant | None,
        role: CaseRole,
        known: int = 0,
        *,
        certain: bool = False,
        longest: int = LONG_ANSWER_TOKENS,
    ) -> Iterator[ExpectedCall]:
        """One, that shows the chart or a part of it, and `known` tokens of what was said."""
        if speaker is None or not expected_parts(speaker, self.chart_tokens):
            return
        whole = holds_whole(speaker, self.chart_tokens)
        shown = self.chart_tokens if whole else part_tokens(speaker)
        tokens = INSTRUCTIONS_TOKENS + READINGS * shown + known
        yield from expected_calls((speaker,), role, tokens, certain=certain, longest=longest)


LOGIC: WorkflowLogic[CaseOptions] = WorkflowLogic(start=case, expected=expected)

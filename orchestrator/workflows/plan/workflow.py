"""Debate a plan: challenge and defence by turns, or two lenses and their cross-review, then revise or accept.

    Planning ──> Debating ──(converged, stalled, exhausted, ...)──> Synthesizing ──> WaitingForDebateDecision
       ^                                                                                │ revise    │ accept
       └──────────────────── with the synthesis, at most max_revisions times ───────────┘           v
                                                                                                Executing

The state names are the design's (seed 000); a run shows them as its phase. Executing means that the plan is handed on:
as it was accepted, or as it stood when no further revision was possible, which the outcome tells apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from orchestrator.core.discussion.estimate import (
    INSTRUCTIONS_TOKENS,
    LONG_ANSWER_TOKENS,
    ExpectedCall,
    expected_calls,
)
from orchestrator.core.discussion.loop import discuss
from orchestrator.core.discussion.strategies import (
    Strategies,
    critics_roles,
    role_names,
    strategy_named,
)
from orchestrator.core.discussion.templates import Templates
from orchestrator.core.discussion.turn_results import TurnResult
from orchestrator.core.findings.verdict import GateRule
from orchestrator.core.replay.commands import Effect, Workflow, phase
from orchestrator.core.replay.materials import Materials
from orchestrator.workflows.descriptor import (
    CRITIC,
    PartType,
    SubjectKind,
    WorkflowType,
    author,
    chair,
    critics,
)
from orchestrator.workflows.plan.conclusion import conclude, without_plan
from orchestrator.workflows.plan.context import DebatedVersion, PlanContext, PlanVersion
from orchestrator.workflows.plan.decision import DECISION, REVISE, ask, may_revise
from orchestrator.workflows.plan.discussion import PlanDiscussion
from orchestrator.workflows.plan.live import LIVE
from orchestrator.workflows.plan.options import PlanOptions
from orchestrator.workflows.plan.planning import first_plan, revised_plan
from orchestrator.workflows.plan.prompts import PlanPrompts
from orchestrator.workflows.plan.result import PlanResult
from orchestrator.workflows.plan.roles import PlanRole
from orchestrator.workflows.plan.strategies import STRATEGIES
from orchestrator.workflows.plan.synthesis import synthesise
from orchestrator.workflows.plan.view import VIEW
from shared.models.notices import Notice, notice
from shared.models.run import RunSpec

VERSION = 1


def plan(spec: RunSpec, materials: Materials, strategies: Strategies = STRATEGIES) -> Workflow:
    """The whole run: the plan, its debates, its revisions. Raises ConfigurationError for an unknown strategy."""
    context = context_of(spec, materials, strategies)
    yield from phase("Planning")
    planned = yield from first_plan(context)
    if planned.version is None:
        return without_plan(planned)
    heard: list[TurnResult] = [*planned.heard]
    warnings = [*planned.warnings, *bystanders(context)]
    debates: list[DebatedVersion] = []
    version = planned.version
    while True:
        debate = yield from one_debate(context, version)
        debates.append(debate)
        if debate.answer is None or debate.answer.choice != REVISE:
            break
        yield from phase("Planning")
        planned = yield from revised_plan(context, debate)
        heard += planned.heard
        warnings += planned.warnings
        if planned.version is None:
            warnings.append(notice("plan_stays"))
            break
        version = planned.version
    yield from phase("Executing")
    return conclude(context, debates, heard, warnings)


def one_debate(context: PlanContext, version: PlanVersion) -> Effect[DebatedVersion]:
    """Discuss a version, synthesise, ask."""
    yield from phase("Debating")
    history = yield from discuss(PlanDiscussion(context, version))
    yield from phase("Synthesizing")
    made = yield from synthesise(context, version, history)
    debate = DebatedVersion(
        plan=version,
        history=history,
        synthesis=made.text,
        synthesised_by=made.by,
        heard=made.heard,
        warnings=made.warnings,
        labels=made.labels,
    )
    if not may_revise(context, debate):
        why = (
            notice("budget_used_up")
            if history.over_budget
            else notice("plan_revisions_used_up", limit=context.options.max_revisions)
        )
        warning = notice("plan_undecided", version=version.number, why=why)
        return replace(debate, warnings=(*debate.warnings, warning))
    yield from phase("WaitingForDebateDecision")
    answer = yield from ask(context, debate)
    return replace(debate, answer=answer)


def context_of(
    spec: RunSpec, materials: Materials, strategies: Strategies = STRATEGIES
) -> PlanContext:
    """The context of a run, from what was captured."""
    options = PlanOptions.model_validate(spec.options)
    templates = Templates(materials.prompts(spec.prompts))
    return PlanContext(
        spec=spec,
        options=options,
        strategy=strategy_named(strategies, options.strategy, "plan"),
        strategies=strategies,
        prompts=PlanPrompts(templates, materials.question(spec.subject), options.given),
        document=materials.text,
    )


def bystanders(context: PlanContext) -> list[Notice]:
    """Participants that follow rules and have nothing to say about a plan."""
    return [
        notice("plan_bystander", who=one.name)
        for one in context.spec.panel.critics
        if one.rule_based
    ]


def expected(spec: RunSpec, subject_tokens: int) -> Iterator[ExpectedCall]:
    """The shortest course is one version to which nobody objects."""
    options, panel = PlanOptions.model_validate(spec.options), spec.panel
    strategy = strategy_named(STRATEGIES, options.strategy, "plan")
    critics = [critic for critic in panel.critics if not critic.rule_based]
    base = INSTRUCTIONS_TOKENS + subject_tokens
    for version in range(1, options.max_revisions + 2):
        first = version == 1
        if not (first and options.given):
            yield from expected_calls((panel.author,), PlanRole.PLAN, base, certain=first)
        said = base + LONG_ANSWER_TOKENS
        for number in range(1, max(options.rounds, strategy.fewest_rounds) + 1):
            certain = first and number <= strategy.fewest_rounds
            speakers = strategy.cast(number).speakers(critics, panel.author)
            for speaker in speakers:
                yield from expected_calls(
                    (speaker.participant,), speaker.role.name, said, certain=certain
                )
            said += len(speakers) * LONG_ANSWER_TOKENS
        yield from expected_calls((panel.chair,), PlanRole.SYNTHESIS, said, certain=first)


WORKFLOW: WorkflowType[PlanOptions] = WorkflowType(
    name="plan",
    version=VERSION,
    options=PlanOptions,
    result=PlanResult,
    view=VIEW,
    section="plan",
    live=LIVE,
    start=plan,
    expected=expected,
    subject=SubjectKind.QUESTION,
    parts=(
        PartType(CRITIC, "challenger", critics_roles(STRATEGIES), critics, many=True),
        PartType("author", "planner", (PlanRole.PLAN, PlanRole.DEFENSE), author, leads=True),
        PartType("chair", "chair", (PlanRole.SYNTHESIS,), chair),
    ),
    decisions=(DECISION,),
    finds=True,
    gate=lambda options: GateRule(fail_on=options.fail_on),
    round_roles=role_names(STRATEGIES),
    rounds=lambda options: options.rounds,
)

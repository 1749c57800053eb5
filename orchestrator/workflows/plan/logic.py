"""Debate a plan: challenge and defence by turns, or two lenses and their cross-review, then revise or accept.

    Planning ──> Debating ──(converged, stalled, exhausted, ...)──> Synthesizing ──> WaitingForDebateDecision
       ^                                                                                │ revise    │ accept
       └──────────────────── with the synthesis, at most max_revisions times ───────────┘           v
                                                                                                Executing

The state names are the design's (seed 000); a run shows them as its phase. Executing means that the plan is handed on:
as it was accepted, or as it stood when no further revision was possible, which the outcome tells apart. A revision that
changes nothing leads from Planning back to WaitingForDebateDecision.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from orchestrator.core.discussion.estimate import (
    INSTRUCTIONS_TOKENS,
    LONG_ANSWER_TOKENS,
    ExpectedCall,
    expected_calls,
)
from orchestrator.core.discussion.loop import discuss
from orchestrator.core.discussion.strategies import (
    Strategies,
    strategy_named,
)
from orchestrator.core.discussion.templates import Templates
from orchestrator.core.discussion.turn_results import TurnResult
from orchestrator.core.replay.commands import Effect, Workflow, phase
from orchestrator.core.replay.materials import Materials
from orchestrator.workflows.descriptor import WorkflowLogic
from orchestrator.workflows.plan.choices import DECISION
from orchestrator.workflows.plan.conclusion import conclude, without_plan
from orchestrator.workflows.plan.context import DebatedVersion, PlanContext, PlanVersion
from orchestrator.workflows.plan.decision import ask
from orchestrator.workflows.plan.discussion import PlanDiscussion, synthesise
from orchestrator.workflows.plan.options import PlanOptions
from orchestrator.workflows.plan.planning import first_plan, revised_plan
from orchestrator.workflows.plan.prompts import PlanPrompts
from orchestrator.workflows.plan.roles import PlanRole
from orchestrator.workflows.plan.strategies import STRATEGIES
from shared.models.notices import Notice, notice
from shared.models.run import RunSpec


def plan(spec: RunSpec, materials: Materials, strategies: Strategies = STRATEGIES) -> Workflow:
    """The whole run: the plan, its debates, its revisions. Raises ConfigurationError for an unknown strategy."""
    context = context_of(spec, materials, strategies)
    yield from phase("Planning")
    planned = yield from first_plan(context)
    if planned.version is None:
        return without_plan(planned)
    version: PlanVersion | None = planned.version
    turns = [*planned.turns]
    warnings = [*planned.warnings, *bystanders(context)]
    debates: list[DebatedVersion] = []
    while version is not None:
        debate = yield from one_debate(context, version)
        debates.append(debate)
        if not debate.wants_revision:
            break
        revision = yield from revise(context, debate)
        debates[-1], version = revision.debate, revision.version
        turns += revision.turns
        warnings += revision.warnings
    yield from phase("Executing")
    return conclude(context, debates, turns, warnings)


@dataclass(frozen=True)
class Revision:
    """What came of asking for another version: one, or None and the debate with the last answer about the old one."""

    debate: DebatedVersion
    version: PlanVersion | None
    turns: tuple[TurnResult, ...]
    warnings: tuple[Notice, ...]


def revise(context: PlanContext, debate: DebatedVersion) -> Effect[Revision]:
    """Have the version revised; where nothing new comes, ask again: it can still be accepted as it is."""
    turns: tuple[TurnResult, ...] = ()
    warnings: tuple[Notice, ...] = ()
    for attempt in range(1, context.options.max_revisions + 1):
        yield from phase("Planning")
        planned = yield from revised_plan(context, debate, attempt)
        turns, warnings = (*turns, *planned.turns), (*warnings, *planned.warnings)
        if planned.version is not None:
            return Revision(debate, planned.version, turns, warnings)
        warnings = (*warnings, notice("plan_stays"))
        if planned.over_budget or not asks_again(context):
            break
        yield from phase("WaitingForDebateDecision")
        debate = replace(debate, answer=(yield from ask(context, debate, attempt + 1)))
        if not debate.wants_revision:
            break
    else:
        limit = context.options.max_revisions
        warnings = (*warnings, notice("plan_revisions_used_up", limit=limit))
    return Revision(debate, None, turns, warnings)


def asks_again(context: PlanContext) -> bool:
    """Whether a person decides; runs of version 1 end as they began."""
    return context.spec.workflow_version > 1 and DECISION.answer(context.spec.decision) is None


def one_debate(context: PlanContext, version: PlanVersion) -> Effect[DebatedVersion]:
    """Discuss a version, synthesise, ask."""
    yield from phase("Debating")
    history = yield from discuss(PlanDiscussion(context, version))
    yield from phase("Synthesizing")
    synthesis = yield from synthesise(context, version, history)
    debate = DebatedVersion(version, history, synthesis)
    if (why := why_no_revision(context, debate)) is not None:
        undecided = notice("plan_undecided", version=version.number, why=why)
        return replace(debate, undecided=(undecided,))
    yield from phase("WaitingForDebateDecision")
    answer = yield from ask(context, debate)
    return replace(debate, answer=answer)


def why_no_revision(context: PlanContext, debate: DebatedVersion) -> Notice | None:
    """Why there cannot be another version; None while the budget and the bound leave room for one."""
    limit = context.options.max_revisions
    if debate.history.over_budget:
        return notice("budget_used_up")
    return notice("plan_revisions_used_up", limit=limit) if debate.plan.number > limit else None


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
        notice("plan_bystander", who=critic.name)
        for critic in context.spec.panel.critics
        if critic.rule_based
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
        tokens = base + LONG_ANSWER_TOKENS
        for number in range(1, max(options.rounds, strategy.fewest_rounds) + 1):
            certain = first and number <= strategy.fewest_rounds
            speakers = strategy.cast(number).speakers(critics, panel.author)
            for speaker in speakers:
                yield from expected_calls(
                    (speaker.participant,), speaker.role.name, tokens, certain=certain
                )
            tokens += len(speakers) * LONG_ANSWER_TOKENS
        yield from expected_calls((panel.chair,), PlanRole.SYNTHESIS, tokens, certain=first)


LOGIC: WorkflowLogic[PlanOptions] = WorkflowLogic(start=plan, expected=expected)

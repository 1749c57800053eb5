"""Ask a panel: everybody answers at once and on their own; on request they rank one another, and a chair synthesises.

    Asking ──(ranking wanted, three or more answered)──> Ranking ──> Synthesizing ──> Answered
       └───────────────────────────────────────────────────────────────┴──(not wanted)──┘

Nobody sees another answer before giving their own, nobody ranks their own, and those who rank or synthesise see
letters instead of names. An answer that is missing is named, never guessed.
"""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.core.discussion.estimate import (
    INSTRUCTIONS_TOKENS,
    LONG_ANSWER_TOKENS,
    ExpectedCall,
    expected_calls,
)
from orchestrator.core.discussion.templates import Templates
from orchestrator.core.replay.commands import Workflow, phase
from orchestrator.core.replay.materials import Materials
from orchestrator.workflows.ask.answers import collect_answers, synthesise
from orchestrator.workflows.ask.conclusion import conclude
from orchestrator.workflows.ask.context import AskContext
from orchestrator.workflows.ask.options import AskOptions
from orchestrator.workflows.ask.prompts import AskPrompts
from orchestrator.workflows.ask.ranking import FEWEST_ANSWERS, RankingResult, rank
from orchestrator.workflows.ask.roles import AskRole
from orchestrator.workflows.descriptor import WorkflowLogic
from shared.models.run import RunSpec


def ask(spec: RunSpec, materials: Materials) -> Workflow:
    """The whole run: answers, and what was asked for beyond them."""
    context = context_of(spec, materials)
    yield from phase("Asking")
    answers = yield from collect_answers(context)
    ranking = RankingResult()
    if context.options.ranking and not answers.over_budget:
        yield from phase("Ranking")
        ranking = yield from rank(context, answers)
    synthesis = None
    if context.options.synthesis and not answers.over_budget:
        yield from phase("Synthesizing")
        synthesis = yield from synthesise(context, answers, ranking)
    yield from phase("Answered")
    return conclude(context, answers, ranking, synthesis)


def context_of(spec: RunSpec, materials: Materials) -> AskContext:
    """The context of a run, from what was captured."""
    templates = Templates(materials.prompts(spec.prompts))
    return AskContext(
        spec=spec,
        options=AskOptions.model_validate(spec.options),
        prompts=AskPrompts(templates, materials.question(spec.subject)),
    )


def expected(spec: RunSpec, subject_tokens: int) -> Iterator[ExpectedCall]:
    """Everybody answers; then the rankings and the synthesis, where they are wanted."""
    options, everybody = AskOptions.model_validate(spec.options), spec.panel.critics
    asked = INSTRUCTIONS_TOKENS + subject_tokens
    answers = len(everybody) * LONG_ANSWER_TOKENS
    yield from expected_calls(everybody, AskRole.ANSWER, asked, certain=True)
    if options.ranking and len(everybody) >= FEWEST_ANSWERS:
        others = asked + answers - LONG_ANSWER_TOKENS
        yield from expected_calls(everybody, AskRole.RANKING, others, certain=True)
    if options.synthesis and len(everybody) > 1:
        yield from expected_calls(
            (spec.panel.chair,), AskRole.SYNTHESIS, asked + answers, certain=True
        )


LOGIC: WorkflowLogic[AskOptions] = WorkflowLogic(start=ask, expected=expected)

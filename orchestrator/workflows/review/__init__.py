"""Review a change: critique and rebuttal by turns, synthesis, a decision, a fix, and the fix reviewed again.

    Reviewing ──(converged, stalled, looping, exhausted, ...)──> Synthesizing ──> WaitingForReviewDecision
        ^                                                                            │ apply_fix      │ skip
        └──────────── reviewed again, at most max_reviews times ──────── Fixing <────┘                v
                                                                                                 Executing

Odd rounds are critiques by all critics in parallel (the first one blind), even rounds rebuttals by the author's side.
The state names are the design's; a run shows them as its phase.
"""

from __future__ import annotations

from dataclasses import replace

from orchestrator.core.discussion.loop import discuss
from orchestrator.core.discussion.strategies import Strategies, strategy_named
from orchestrator.core.discussion.templates import Templates
from orchestrator.core.replay.commands import Effect, Workflow, phase
from orchestrator.core.replay.materials import Materials
from orchestrator.workflows.review.conclusion import conclude
from orchestrator.workflows.review.context import Result, ReviewContext
from orchestrator.workflows.review.decision import apply_fix, ask
from orchestrator.workflows.review.discussion import ReviewDiscussion
from orchestrator.workflows.review.fixes import prepare_fixes
from orchestrator.workflows.review.options import ReviewOptions
from orchestrator.workflows.review.prompts import ReviewPrompts
from orchestrator.workflows.review.result import APPLY_FIX
from orchestrator.workflows.review.strategies import STRATEGIES
from orchestrator.workflows.review.synthesis import synthesise
from shared.models.run import RunSpec

VERSION = 2
"""2: only what the panel accepted is offered for fixing, and objections of half the critics keep an approval away."""


def review(spec: RunSpec, materials: Materials, strategies: Strategies = STRATEGIES) -> Workflow:
    """The whole run: a review, and reviews of the applied fixes up to the bound."""
    options = ReviewOptions.model_validate(spec.options)
    context = ReviewContext(
        spec=spec,
        options=options,
        strategy=strategy_named(strategies, options.strategy, "review"),
        strategies=strategies,
        prompts=ReviewPrompts(Templates(materials.prompts(spec.prompts))),
        subject=materials.subject(spec.subject),
        subject_hash=spec.subject,
        run=materials.run,
        document=materials.document,
    )
    results: list[tuple[ReviewContext, Result]] = []
    while True:
        result = yield from one_review(context)
        results.append((context, result))
        fixed = result.applied.subject if result.applied else None
        if fixed is None or context.cycle >= options.max_reviews:
            yield from phase("Executing")
            return conclude(options, results)
        context = replace(
            context, subject=materials.subject(fixed), subject_hash=fixed, cycle=context.cycle + 1
        )


def one_review(context: ReviewContext) -> Effect[Result]:
    """Discuss, synthesise, propose fixes, ask, apply."""
    yield from phase("Reviewing")
    history = yield from discuss(ReviewDiscussion(context))
    yield from phase("Synthesizing")
    made = yield from synthesise(context, history)
    fixes, problems = yield from prepare_fixes(context, history)
    result = Result(
        history, made.text, made.by, made.labels, fixes, warnings=(*made.warnings, *problems)
    )
    if not fixes.patch:
        return result
    yield from phase("WaitingForReviewDecision")
    answer = yield from ask(context, result)
    if answer.choice != APPLY_FIX:
        return replace(result, answer=answer)
    yield from phase("Fixing")
    return (yield from apply_fix(context, replace(result, answer=answer)))

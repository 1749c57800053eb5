"""Review a change: critique and rebuttal by turns, synthesis, a decision, a fix, and the fix reviewed again.

    Reviewing ──(converged, stalled, looping, exhausted, ...)──> Synthesizing ──> WaitingForReviewDecision
        ^                                                                            │ apply_fix      │ skip
        └──────────── reviewed again, at most max_reviews times ──────── Fixing <────┘                v
                                                                                                 Executing

Odd rounds are critiques by all critics in parallel (the first one blind), even rounds rebuttals by the author's side.
The state names are the design's; a run shows them as its phase.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

from orchestrator.core.discussion.cycles import Cycle
from orchestrator.core.discussion.depth import Depth, first_reviewer
from orchestrator.core.discussion.estimate import (
    INSTRUCTIONS_TOKENS,
    LONG_ANSWER_TOKENS,
    ExpectedCall,
    Price,
    expected_calls,
)
from orchestrator.core.discussion.loop import discuss
from orchestrator.core.discussion.portions import WHOLE_TOKENS, room
from orchestrator.core.discussion.strategies import Speaker, Strategies, strategy_named
from orchestrator.core.discussion.synthesis import Synthesised
from orchestrator.core.discussion.templates import Templates
from orchestrator.core.replay.commands import Effect, Workflow, phase
from orchestrator.core.replay.materials import Materials
from orchestrator.workflows.descriptor import WorkflowLogic
from orchestrator.workflows.review.callers import with_callers
from orchestrator.workflows.review.choices import APPLY_FIX
from orchestrator.workflows.review.conclusion import conclude
from orchestrator.workflows.review.context import ReviewContext, ReviewCycle
from orchestrator.workflows.review.decision import apply_fix, ask
from orchestrator.workflows.review.depth import readership
from orchestrator.workflows.review.discussion import ReviewDiscussion, counted, synthesise
from orchestrator.workflows.review.evidence import gather_evidence
from orchestrator.workflows.review.fixes import prepare_fixes
from orchestrator.workflows.review.options import ReviewOptions
from orchestrator.workflows.review.prompts import CALLERS_TOKENS, ReviewPrompts
from orchestrator.workflows.review.roles import ReviewRole
from orchestrator.workflows.review.strategies import STRATEGIES
from shared.git.diff_pieces import PIECE_TOKENS
from shared.models.panel import Panel
from shared.models.run import RunSpec

FINDING_TOKENS = 120
FINDINGS_A_CRITIC = 4


def review(spec: RunSpec, materials: Materials, strategies: Strategies = STRATEGIES) -> Workflow:
    """The whole run: a review, and reviews of the applied fixes up to the bound."""
    context = context_of(spec, materials, strategies)
    reviews: list[ReviewCycle] = []
    while True:
        review = yield from one_review(context)
        reviews.append(review)
        fixed = review.applied.subject if review.applied else None
        if fixed is None or len(reviews) == context.options.max_reviews:
            break
        subject, cycle = materials.subject(fixed), Cycle("review", len(reviews) + 1)
        context = replace(context, subject=subject, subject_hash=fixed, cycle=cycle)
    yield from phase("Executing")
    return conclude(reviews)


def one_review(context: ReviewContext) -> Effect[ReviewCycle]:
    """Discuss, synthesise, propose fixes, ask, apply."""
    yield from phase("Reviewing")
    context, unknown = yield from with_callers(context)
    reached = yield from readership(context)
    context = reached.context
    history = yield from discuss(ReviewDiscussion(context), reached.answered)
    yield from phase("Synthesizing")
    enough = reached.is_shallow and not history.findings
    synthesis = (
        Synthesised(counted(context, history, "one reviewer was enough"))
        if enough
        else (yield from synthesise(context, history))
    )
    fixes, problems = yield from prepare_fixes(context, history)
    grounds, notices = yield from gather_evidence(context, history, fixes)
    review = ReviewCycle(
        context,
        history,
        synthesis,
        fixes,
        (*unknown, *problems, *notices),
        grounds,
        depth=reached.record,
    )
    if not fixes.patch:
        return review
    yield from phase("WaitingForReviewDecision")
    answer = yield from ask(review)
    review = replace(review, answer=answer)
    if answer.choice != APPLY_FIX:
        return review
    yield from phase("Fixing")
    return (yield from apply_fix(review))


def context_of(spec: RunSpec, materials: Materials, strategies: Strategies) -> ReviewContext:
    """The context of the first review, from what was captured."""
    options = ReviewOptions.model_validate(spec.options)
    return ReviewContext(
        spec=spec,
        options=options,
        strategy=strategy_named(strategies, options.strategy, "review"),
        strategies=strategies,
        prompts=ReviewPrompts(
            Templates(materials.prompts(spec.prompts)), tested=options.tests is not None
        ),
        subject=materials.subject(spec.subject),
        subject_hash=spec.subject,
        run=materials.run,
        document=materials.document,
        cycle=Cycle("review"),
    )


def expected(spec: RunSpec, subject_tokens: int) -> Iterator[ExpectedCall]:
    """The shortest course is one review in which nobody raises anything."""
    options, panel = ReviewOptions.model_validate(spec.options), spec.panel
    strategy = strategy_named(STRATEGIES, options.strategy, "review")
    # Of a large change later turns are shown where findings stand, and a reader's room is filled several times.
    places = len(panel.critics) * FINDINGS_A_CRITIC * PIECE_TOKENS
    later = subject_tokens if subject_tokens <= WHOLE_TOKENS else min(subject_tokens, places)
    base = INSTRUCTIONS_TOKENS + later
    findings = len(panel.critics) * FINDINGS_A_CRITIC * FINDING_TOKENS
    for cycle in range(options.max_reviews):
        first, tokens_said = cycle == 0, 0
        for number in range(1, options.rounds + 1):
            speakers = strategy.cast(number).speakers(panel.critics, panel.author)
            tokens_said += len(speakers) * LONG_ANSWER_TOKENS
            if number == 1:
                yield from _opening(options, speakers, subject_tokens, certain=first)
                continue
            for speaker in speakers:
                yield from expected_calls(
                    (speaker.participant,), speaker.role.name, base + findings, certain=False
                )
        prompt = INSTRUCTIONS_TOKENS + findings + tokens_said  # the chair is not shown the change
        certain = first and not options.reads_alone
        yield from expected_calls((panel.chair,), ReviewRole.SYNTHESIS, prompt, certain=certain)
        yield from expected_calls((panel.author,), ReviewRole.FIX, base + findings, certain=False)


def settled(options: ReviewOptions, panel: Panel, price: Price) -> ReviewOptions:
    """The options with the reviewer who is asked first, by the prices at the submission."""
    if options.depth != Depth.ADAPTIVE or options.first_reviewer is not None:
        return options
    return options.model_copy(update={"first_reviewer": first_reviewer(panel, price)})


def full_depth(spec: RunSpec) -> RunSpec | None:
    """The run with the whole panel, where this one may do with less."""
    options = ReviewOptions.model_validate(spec.options)
    if not options.reads_alone:
        return None
    full = options.model_copy(update={"depth": Depth.FULL, "first_reviewer": None})
    return spec.model_copy(update={"options": full.model_dump(mode="json")})


def _opening(
    options: ReviewOptions, speakers: Iterable[Speaker], subject_tokens: int, *, certain: bool
) -> Iterator[ExpectedCall]:
    """The blind round: where one reviewer reads first, nobody else has to."""
    for speaker in speakers:
        needed = not options.reads_alone or speaker.participant.name == options.first_reviewer
        callers = CALLERS_TOKENS if options.callers else 0
        yield from _first_reading((speaker,), subject_tokens, callers, certain=certain and needed)


def _first_reading(
    speakers: Iterable[Speaker], subject_tokens: int, callers: int, *, certain: bool
) -> Iterator[ExpectedCall]:
    for speaker in speakers:
        at_once = max(min(subject_tokens, room(speaker.participant)), 1)
        for _ in range(math.ceil(subject_tokens / at_once)):
            yield from expected_calls(
                (speaker.participant,),
                speaker.role.name,
                INSTRUCTIONS_TOKENS + callers + at_once,
                certain=certain,
            )


LOGIC: WorkflowLogic[ReviewOptions] = WorkflowLogic(
    start=review, expected=expected, settled=settled, instead=full_depth
)

"""A forum: openings, floor requests, an orchestrator that gives the floor, speeches, a conclusion, a ballot.

    Committing ──> RequestingFloor ──(somebody asks)──> Selecting ──(SELECT)──> Speaking ──┐
                       ^    │                               │ END                          │
                       │    │ all pass twice                v                              │
                       └────┼───────────────────────────────┼──────────────────────────────┘ until max_rounds, timeout,
                            └──> Concluding <───────────────┘                                or in circles
                                     └──> Voting ──> Closed

The orchestrator judges and code watches: nobody starves, nobody speaks twice in a row while others ask, and what it
calls a consensus is one when blind ballots say so. What each held before it is shown next to the conclusion.
"""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.core.discussion.estimate import (
    INSTRUCTIONS_TOKENS,
    LONG_ANSWER_TOKENS,
    SHORT_ANSWER_TOKENS,
    ExpectedCall,
    expected_calls,
)
from orchestrator.core.discussion.labels import shuffled_labels
from orchestrator.core.discussion.templates import Templates
from orchestrator.core.replay.commands import Workflow, phase
from orchestrator.core.replay.materials import Materials
from orchestrator.workflows.descriptor import WorkflowLogic
from orchestrator.workflows.forum.closing import close
from orchestrator.workflows.forum.conclusion import conclude
from orchestrator.workflows.forum.context import ForumContext
from orchestrator.workflows.forum.discussion import discuss
from orchestrator.workflows.forum.options import ForumOptions
from orchestrator.workflows.forum.prompts import ForumPrompts
from orchestrator.workflows.forum.roles import ForumRole
from shared.models.run import RunSpec

BID_TOKENS = 100


def forum(spec: RunSpec, materials: Materials) -> Workflow:
    """The whole run: commit, discuss, conclude, vote."""
    context = context_of(spec, materials)
    talk = yield from discuss(context)
    closing = yield from close(context, talk)
    yield from phase("Closed")
    return conclude(context, talk, closing)


def context_of(spec: RunSpec, materials: Materials) -> ForumContext:
    """The context of a run, from what was captured."""
    options = ForumOptions.model_validate(spec.options)
    names = [critic.name for critic in spec.panel.critics]
    prompts = ForumPrompts(
        Templates(materials.prompts(spec.prompts)),
        materials.question(spec.subject),
        spec.panel,
        # One map for the whole run: what is said refers back to who said it.
        shuffled_labels(spec.seed, "forum", names) if options.anonymous else {},
    )
    return ForumContext(spec=spec, options=options, prompts=prompts, document=materials.text)


def expected(spec: RunSpec, subject_tokens: int) -> Iterator[ExpectedCall]:
    """The shortest course is one speech, after which the orchestrator concludes."""
    options, everybody = ForumOptions.model_validate(spec.options), spec.panel.critics
    chair, short = (spec.panel.chair,), SHORT_ANSWER_TOKENS
    tokens = INSTRUCTIONS_TOKENS + subject_tokens
    if options.blind_opening:
        yield from expected_calls(everybody, ForumRole.BALLOT, tokens, certain=True, longest=short)
    for number in range(1, options.max_rounds + 1):
        asked, first = number <= 2, number == 1
        yield from expected_calls(
            everybody, ForumRole.BID, tokens, certain=asked, longest=BID_TOKENS
        )
        yield from expected_calls(chair, ForumRole.SELECTION, tokens, certain=asked, longest=short)
        # Who speaks is not known; the first one's price stands for everybody's.
        yield from expected_calls(everybody[:1], ForumRole.SPEECH, tokens, certain=first)
        tokens += LONG_ANSWER_TOKENS
    asked = options.max_rounds == 1
    yield from expected_calls(chair, ForumRole.SYNTHESIS, tokens, certain=asked)
    if options.ballot:
        yield from expected_calls(everybody, ForumRole.BALLOT, tokens, certain=True, longest=short)


LOGIC: WorkflowLogic[ForumOptions] = WorkflowLogic(start=forum, expected=expected)

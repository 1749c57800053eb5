"""A forum: openings, floor requests, an orchestrator that gives the floor, speeches, a conclusion, a ballot.

    Committing ──> RequestingFloor ──(somebody asks)──> Selecting ──(SELECT)──> Speaking ──┐
                       ^    │                               │ END                          │
                       │    │ all pass twice                v                              │
                       └────┼───────────────────────────────┼──────────────────────────────┘ until max_rounds, timeout,
                            └──> Concluding <───────────────┘                                or in circles
                                     └──> Voting ──> Closed

The orchestrator judges and code watches: nobody starves, nobody speaks twice in a row while others ask, and what it
calls a consensus is one when blind ballots say so. What each held before the discussion stands beside what came of it.
"""

from __future__ import annotations

from orchestrator.core.discussion.labels import shuffled_labels
from orchestrator.core.discussion.templates import Templates
from orchestrator.core.replay.commands import Workflow, phase
from orchestrator.core.replay.materials import Materials
from orchestrator.workflows.forum.closing import close
from orchestrator.workflows.forum.context import ForumContext
from orchestrator.workflows.forum.discussion import discuss
from orchestrator.workflows.forum.options import ForumOptions
from orchestrator.workflows.forum.outcome import conclude
from orchestrator.workflows.forum.prompts import ForumPrompts
from shared.models.run import RunSpec

VERSION = 2


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
    names = [one.name for one in spec.panel.critics]
    prompts = ForumPrompts(
        Templates(materials.prompts(spec.prompts)),
        materials.question(spec.subject),
        spec.panel,
        # One map for the whole run: what is said refers back to who said it.
        shuffled_labels(spec.seed, "forum", names) if options.anonymous else {},
    )
    return ForumContext(spec=spec, options=options, prompts=prompts, document=materials.text)

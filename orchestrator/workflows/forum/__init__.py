"""A forum: floor requests, an orchestrator that gives the floor, speeches that all hear, a conclusion, a ballot.

    RequestingFloor ──(somebody asks)──> Selecting ──(SELECT)──> Speaking ──┐
        ^    │                              │ END                           │
        │    │ all pass twice               v                               │
        └────┼──────────────────────────────┼───────────────────────────────┘ until max_rounds, timeout, or in circles
             └──> Concluding <──────────────┘
                       └──> Voting ──> Closed

The orchestrator judges and code watches: nobody starves, nobody speaks twice in a row while others ask, and what it
calls a consensus is one when blind ballots say so.
"""

from __future__ import annotations

from orchestrator.core.commands import Workflow, phase
from orchestrator.core.materials import Materials
from orchestrator.core.templates import Templates
from orchestrator.workflows.forum.case import Case
from orchestrator.workflows.forum.closing import close
from orchestrator.workflows.forum.discussion import discuss
from orchestrator.workflows.forum.outcome import conclude
from orchestrator.workflows.forum.prompts import ForumPrompts
from shared.models.run import ForumOptions, RunSpec

VERSION = 1


def forum(spec: RunSpec, materials: Materials) -> Workflow:
    """The whole run: discuss, conclude, vote."""
    case = Case(
        spec=spec,
        options=spec.forum or ForumOptions(),
        prompts=ForumPrompts(
            Templates(materials.prompts(spec.prompts)), materials.question(spec.subject), spec.panel
        ),
    )
    talk = yield from discuss(case)
    closing = yield from close(case, talk)
    yield from phase("Closed")
    return conclude(case, talk, closing)

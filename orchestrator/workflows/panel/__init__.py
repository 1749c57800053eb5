"""A debate of perspectives with a moderator and a judge (seed 003, multi-agent debate).

    Initializing ──> Debating ──> Moderating ──(consensus, stalled, exhausted, ...)──> Voting ──> Judging ──> Complete
                        ^             │ (contested, rounds left)
                        └─────────────┘

The states are the seed's nodes, with the secret ballots between them. Whether a debate goes on is decided by code: the
moderator's score is a second opinion and `should_continue` is only noted. The judge comes from outside the debate
(`RunSpec` refuses a debater) and gives the verdict; whether the debaters agree is what their votes say.
"""

from __future__ import annotations

from functools import partial

from orchestrator.core.discussion.templates import Templates
from orchestrator.core.replay.commands import RoundRecord, Workflow, phase, record
from orchestrator.core.replay.materials import Materials
from orchestrator.workflows.panel.conclusion import conclude
from orchestrator.workflows.panel.context import PanelContext
from orchestrator.workflows.panel.ending import ending_of, write_down
from orchestrator.workflows.panel.judging import judge
from orchestrator.workflows.panel.options import PanelOptions
from orchestrator.workflows.panel.prompts import PanelPrompts
from orchestrator.workflows.panel.rounds import debate
from orchestrator.workflows.panel.strategies import STRATEGIES, strategy_named
from orchestrator.workflows.panel.voting import vote
from shared.models.run import RunSpec

__all__ = ["STRATEGIES", "VERSION", "panel"]

VERSION = 1


def panel(spec: RunSpec, materials: Materials) -> Workflow:
    """The whole run: debate, ballots, verdict. Raises ConfigurationError for an unknown strategy."""
    context = context_of(spec, materials)
    yield from phase("Initializing")
    held = yield from debate(context)
    voting = yield from vote(context, held)
    ended = ending_of(held, voting)
    yield from record("ending", RoundRecord, partial(write_down, context, held, voting, ended))
    judged = yield from judge(context, held, voting, ended)
    yield from phase("Complete")
    return conclude(context, held, voting, ended, judged)


def context_of(spec: RunSpec, materials: Materials) -> PanelContext:
    """The context of a run, from what was captured."""
    options = PanelOptions.model_validate(spec.options)
    question = materials.question(spec.subject)
    return PanelContext(
        spec=spec,
        options=options,
        strategy=strategy_named(options.strategy),
        prompts=PanelPrompts(Templates(materials.prompts(spec.prompts)), question),
        document=materials.text,
    )

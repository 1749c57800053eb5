"""Ask a panel: everybody answers at once and on their own; on request they rank one another, and a chair synthesises.

    Asking ──(ranking wanted, three or more answered)──> Ranking ──> Synthesizing ──> Answered
       └───────────────────────────────────────────────────────────────┴──(not wanted)──┘

Nobody sees another answer before giving their own, nobody ranks their own, and who ranks or synthesises sees letters
instead of names. An answer that is missing is named, never guessed.
"""

from __future__ import annotations

from orchestrator.core.discussion.templates import Templates
from orchestrator.core.replay.commands import Workflow, phase
from orchestrator.core.replay.materials import Materials
from orchestrator.workflows.ask.answers import collect_answers
from orchestrator.workflows.ask.conclusion import conclude
from orchestrator.workflows.ask.context import AskContext
from orchestrator.workflows.ask.options import AskOptions
from orchestrator.workflows.ask.prompts import AskPrompts
from orchestrator.workflows.ask.ranking import rank
from orchestrator.workflows.ask.synthesis import synthesise
from shared.models.run import RunSpec

VERSION = 1


def ask(spec: RunSpec, materials: Materials) -> Workflow:
    """The whole run: answers, and what was asked for beyond them."""
    context = AskContext(
        spec=spec,
        options=AskOptions.model_validate(spec.options),
        prompts=AskPrompts(
            Templates(materials.prompts(spec.prompts)), materials.question(spec.subject)
        ),
    )
    yield from phase("Asking")
    answers = yield from collect_answers(context)
    ranking = None
    if context.options.ranking and not answers.over_budget:
        yield from phase("Ranking")
        ranking = yield from rank(context, answers)
    synthesis = None
    if context.options.synthesis and not answers.over_budget:
        yield from phase("Synthesizing")
        synthesis = yield from synthesise(context, answers, ranking)
    yield from phase("Answered")
    return conclude(context, answers, ranking, synthesis)

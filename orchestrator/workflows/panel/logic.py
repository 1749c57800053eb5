"""A debate of perspectives with a moderator and a judge (seed 003, multi-agent debate).

    Initializing ──> Debating ──> Moderating ──(consensus, stalled, exhausted, ...)──> Voting ──> Judging ──> Complete
                        ^             │ (contested, rounds left)
                        └─────────────┘

The states are the seed's nodes, with the secret ballots between them. Whether a debate goes on is decided by code: the
moderator's score is a second opinion and `should_continue` is only noted. The judge comes from outside the debate
(a debater is refused) and gives the verdict; whether the debaters agree is what their votes say.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from orchestrator.core.discussion.estimate import (
    INSTRUCTIONS_TOKENS,
    LONG_ANSWER_TOKENS,
    SHORT_ANSWER_TOKENS,
    ExpectedCall,
    expected_calls,
)
from orchestrator.core.discussion.templates import Templates
from orchestrator.core.replay.commands import RoundRecord, Workflow, phase, record
from orchestrator.core.replay.materials import Materials
from orchestrator.workflows.descriptor import WorkflowLogic
from orchestrator.workflows.panel.conclusion import conclude
from orchestrator.workflows.panel.context import PanelContext, PanelTerms
from orchestrator.workflows.panel.judging import judge
from orchestrator.workflows.panel.options import PanelOptions
from orchestrator.workflows.panel.prompts import PanelPrompts
from orchestrator.workflows.panel.roles import PanelRole
from orchestrator.workflows.panel.rounds import discuss
from orchestrator.workflows.panel.voting import ending_of, last_record, vote
from shared.models.run import RunSpec


def panel(spec: RunSpec, materials: Materials) -> Workflow:
    """The whole run: debate, ballots, verdict. Raises ConfigurationError for an unknown strategy."""
    context = context_of(spec, materials)
    yield from phase("Initializing")
    debate = yield from discuss(context)
    voting = yield from vote(context, debate)
    ended = ending_of(debate, voting)
    yield from record("ending", RoundRecord, partial(last_record, context, debate, voting, ended))
    judged = yield from judge(context, debate, voting, ended)
    yield from phase("Complete")
    return conclude(context, debate, voting, ended, judged)


def context_of(spec: RunSpec, materials: Materials) -> PanelContext:
    """The context of a run, from what was captured."""
    templates = Templates(materials.prompts(spec.prompts))
    return PanelContext(
        spec=spec,
        options=PanelOptions.model_validate(spec.options),
        prompts=PanelPrompts(templates, materials.question(spec.subject)),
        document=materials.text,
    )


def expected(spec: RunSpec, subject_tokens: int) -> Iterator[ExpectedCall]:
    """The shortest course is a debate whose first round agrees, and a second one where nobody has confirmed that."""
    terms = PanelTerms(spec, PanelOptions.model_validate(spec.options))
    tokens = INSTRUCTIONS_TOKENS + subject_tokens
    votes = partial(
        expected_calls,
        terms.debaters,
        PanelRole.BALLOT,
        certain=True,
        longest=SHORT_ANSWER_TOKENS,
    )
    moderators = () if terms.moderator is None else (terms.moderator,)
    if terms.has_opening:
        yield from votes(tokens)
    for number in range(1, terms.rounds + 1):
        unconfirmed = number == 2 and not (moderators or terms.has_opening)
        certain = number == 1 or unconfirmed
        yield from expected_calls(terms.debaters, PanelRole.ARGUMENT, tokens, certain=certain)
        tokens += len(terms.debaters) * LONG_ANSWER_TOKENS
        yield from expected_calls(moderators, PanelRole.MODERATION, tokens, certain=certain)
    if terms.has_ballot:
        yield from votes(tokens)
    yield from expected_calls((terms.judge,), PanelRole.JUDGEMENT, tokens, certain=True)


LOGIC: WorkflowLogic[PanelOptions] = WorkflowLogic(start=panel, expected=expected)

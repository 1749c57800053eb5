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
from orchestrator.core.findings.verdict import GateRule
from orchestrator.core.parts import CHAIR, CHAIR_KEYS, CRITIC, Filling, Overlap, PartType
from orchestrator.core.replay.commands import RoundRecord, Workflow, phase, record
from orchestrator.core.replay.materials import Materials
from orchestrator.core.setting import Flag
from orchestrator.workflows.descriptor import SubjectKind, WorkflowType
from orchestrator.workflows.panel.conclusion import conclude
from orchestrator.workflows.panel.context import PanelContext, PanelTerms
from orchestrator.workflows.panel.judging import judge
from orchestrator.workflows.panel.live import LIVE
from orchestrator.workflows.panel.options import PanelOptions
from orchestrator.workflows.panel.prompts import PanelPrompts
from orchestrator.workflows.panel.result import PanelResult
from orchestrator.workflows.panel.roles import PanelRole
from orchestrator.workflows.panel.rounds import discuss
from orchestrator.workflows.panel.strategies import STRATEGIES, Hears
from orchestrator.workflows.panel.view import VIEW
from orchestrator.workflows.panel.voting import ending_of, last_record, vote
from shared.models.panel import Panel
from shared.models.run import RunSpec

VERSION = 1


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


def _debater_as_judge(panel: Panel, options: PanelOptions) -> str | None:
    """A debater can neither judge nor moderate the debate."""
    debaters = {critic.name for critic in panel.critics}
    for role, holder in (("judge", panel.chair), ("moderator", options.moderator)):
        if holder is not None and holder.name in debaters:
            return f"{holder.name} takes part in the debate and cannot be its {role}"
    return None


HELP = """Let debaters argue about a question; a judge gives the verdict.

Presets: code_review, qa_accuracy, decision. The verdict is given whether or not the debaters agree; the
ending says which. Exit code 3 means that there is no verdict; with --require-consensus 1 means that they
do not agree on it."""

WORKFLOW: WorkflowType[PanelOptions] = WorkflowType(
    name="panel",
    version=VERSION,
    options=PanelOptions,
    result=PanelResult,
    view=VIEW,
    section="debate",
    live=LIVE,
    start=panel,
    expected=expected,
    subject=SubjectKind.QUESTION,
    parts=(
        PartType(
            CRITIC,
            "debater",
            (PanelRole.BALLOT, PanelRole.ARGUMENT),
            many=True,
            fewest=2,
            shortage="A debate takes two, and only {name} is here: a preset with perspectives, like "
            "`--preset decision`, lets one model take several sides.",
        ),
        PartType(
            CHAIR,
            "judge",
            (PanelRole.JUDGEMENT,),
            leads=True,
            keys=("panel.judge", *CHAIR_KEYS),
            flag=Flag("--judge", "Who gives the verdict; not a debater.", "NAME"),
            task="judge",
            filling=Filling.OUTSIDER,
            overlap=Overlap.NEVER,
        ),
        PartType(
            "moderator",
            "moderator",
            (PanelRole.MODERATION,),
            in_options=True,
            keys=("panel.moderator",),
            flag=Flag("--moderator", "Who gives a second opinion each round.", "NAME|none"),
            task="moderate",
            filling=Filling.CHAIRS_MODEL,
            overlap=Overlap.NEVER,
            needed=lambda options: STRATEGIES[options.strategy].moderated,
            needless="a quick panel is one round, and nobody moderates it",
            optional=lambda options: STRATEGIES[options.strategy].hears is Hears.FEEDBACK,
        ),
    ),
    gate=lambda options: GateRule(requires_consensus=options.require_consensus),
    round_roles=(PanelRole.ARGUMENT,),
    rounds=lambda options: options.max_rounds,
    objection=_debater_as_judge,
    help=HELP,
    examples=(
        'quorate panel "Postgres or a queue of our own?" --preset decision',
        'quorate panel --strategy delphi --rounds 4 -p claude,gemini,codex --judge gpt "..."',
        "quorate panel --strategy quick --file question.md --json",
    ),
)

"""The discussion of a change: what its speakers are shown and read, what their claims weigh, its synthesis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from orchestrator.core.discussion.labels import label_of
from orchestrator.core.discussion.loop import (
    DiscussionTerms,
    History,
    PlannedStep,
    RoundRead,
    Weighed,
)
from orchestrator.core.discussion.portions import portions
from orchestrator.core.discussion.strategies import Speaker
from orchestrator.core.discussion.synthesis import Synthesised, synthesised
from orchestrator.core.findings.evidence import absorb_checked, check_stances
from orchestrator.core.findings.merging import Raised, check_places
from orchestrator.core.findings.quotations import SubjectTexts
from orchestrator.core.replay.commands import Effect, ToolRun, Turn
from orchestrator.core.rounds import ledger_of
from orchestrator.workflows.review.context import ReviewContext, analysed
from orchestrator.workflows.review.prompts import WHOLE, ChangeView
from orchestrator.workflows.review.roles import ReviewRole
from shared.models.counted_synthesis import SynthesisBrief, counted_synthesis
from shared.models.replies import Critique, Synthesis
from shared.tools.inputs import AnalyserInput


@dataclass(frozen=True)
class ReviewDiscussion:
    """The discussion of one review."""

    context: ReviewContext

    @property
    def terms(self) -> DiscussionTerms:
        """The critics and the author's side, by turns."""
        context = self.context
        return DiscussionTerms(
            strategy=context.strategy,
            critics=context.spec.panel.critics,
            author=context.spec.panel.author,
            rounds=context.options.rounds,
            rule=context.rule,
            cycle=context.cycle,
        )

    def steps(self, speaker: Speaker, number: int, history: History) -> tuple[PlannedStep, ...]:
        """A turn, or one for each portion of the change that the speaker reads.

        Analysers look with their tool first, then argue by rule. An analyser whose tool has failed looks again: what
        never looked has nothing to argue about.
        """
        context, participant = self.context, speaker.participant
        if participant.tool is not None and looks(context, speaker, number, history):
            return (PlannedStep(speaker, look(context, speaker, number, participant.tool)),)
        turn = partial(self._turn, speaker, number, history)
        if number > 1:
            return (turn(excerpt_for(context, speaker, history)),)
        read = portions(context.subject, participant)
        if not read:
            return (turn(WHOLE),)
        return tuple(
            turn(ChangeView.portion(portion, at, len(read)), at)
            for at, portion in enumerate(read, start=1)
        )

    def _turn(
        self, speaker: Speaker, number: int, history: History, shown: ChangeView, *portion: int
    ) -> PlannedStep:
        context, participant, role = self.context, speaker.participant, speaker.role
        turn = Turn(
            key=context.cycle.key(role.name, number, participant.name, *portion),
            participant=participant,
            role=role.name,
            round=number,
            reply_model=role.reply,
            prompt=lambda: context.prompts.discussion(
                speaker,
                number,
                context.subject,
                history.points_for(role),
                history.ledger,
                len(context.spec.panel.critics),
                shown,
            ),
            brief=lambda: context.prompts.discussion_brief(
                speaker, context.subject, history.findings, history.ledger
            ),
        )
        return PlannedStep(speaker, turn, shown.pieces)

    def weigh(self, history: History, read: RoundRead) -> Weighed:
        """What cannot be shown in the change is recorded with the reason and has no weight."""
        context = self.context
        texts = SubjectTexts(context.subject, context.document)
        computing = rule_based(context)
        analysers = computing if context.subject.counts_unread else ()
        raised, objected = claims(read)
        merged = absorb_checked(raised, history.findings, texts, objected, analysers)
        known = {finding.id for finding in merged.findings}
        stated = check_stances(
            (line for line in ledger_of([read.taken]) if line.finding in known),
            merged.findings,
            texts,
            computing,
        )
        findings = check_places(merged.findings, context.subject)
        return Weighed(tuple(findings), merged.new, (*merged.stances, *stated))


def look(context: ReviewContext, speaker: Speaker, number: int, tool: str) -> ToolRun:
    """An analyser's tool run."""
    participant, role = speaker.participant, speaker.role
    return ToolRun(
        key=context.cycle.key(role.name, number, participant.name),
        tool=tool,
        participant=participant.name,
        role=role.name,
        round=number,
        reply_model=role.reply,
        inputs=lambda: AnalyserInput.model_validate(
            {"subject": context.subject_hash, "reply_model": role.reply}
        ),
        timeout_s=participant.timeout_s,
    )


def looks(context: ReviewContext, speaker: Speaker, number: int, history: History) -> bool:
    """True when an analyser runs its tool in this round: in the first one, and until it has succeeded once.

    Runs that were captured before coverage counted have one tool run, as they were recorded.
    """
    if number == 1:
        return True
    return context.subject.counts_unread and speaker.participant.name not in analysed(history)


def excerpt_for(context: ReviewContext, speaker: Speaker, history: History) -> ChangeView:
    """What a turn about known findings is shown of the change."""
    if not context.subject.pieces:
        return WHOLE
    points = history.points_for(speaker.role)
    return ChangeView.excerpt(context.subject, speaker.participant, points.contested)


def claims(read: RoundRead) -> tuple[list[Raised], list[Raised]]:
    """The findings that were raised, and what critics without findings object in other sections at first.

    Later on what is objected elsewhere is about findings that are known, and positions say it.
    """
    raised: list[Raised] = []
    objected: list[Raised] = []
    for contribution in read.contributions:
        if not isinstance(contribution.stated, Critique):
            continue
        findings = contribution.stated.findings
        raised += (
            Raised(contribution.participant, contribution.round, finding) for finding in findings
        )
        if contribution.round == 1 and not findings:
            others = contribution.stated.raised()
            objected += (
                Raised(contribution.participant, contribution.round, finding) for finding in others
            )
    return raised, objected


def rule_based(context: ReviewContext) -> frozenset[str]:
    """Names of the participants that compute: their grounds are rules, which code checks."""
    panel = context.spec.panel
    return frozenset(member.name for member in (*panel.critics, panel.author) if member.rule_based)


# ---- the merged text ----------------------------------------------------------------------------


def synthesise(context: ReviewContext, history: History) -> Effect[Synthesised[Synthesis]]:
    """The chair's merged text; without a chair's answer the findings are counted by code (the design's fallback)."""
    if not history.contributions:
        return Synthesised(Synthesis(summary="Nobody answered."))
    if history.over_budget:
        return Synthesised(counted(context, history, "the budget is used up"))
    chair, labels = context.spec.panel.chair, context.letters
    turn = Turn(
        key=context.cycle.key("synthesis", chair.name),
        participant=chair,
        role=ReviewRole.SYNTHESIS,
        round=len(history.rounds),
        reply_model="synthesis",
        prompt=lambda: context.prompts.synthesis(
            chair,
            context.subject,
            history.findings,
            texts(history, labels),
            len(context.spec.panel.critics),
        ),
        brief=lambda: context.prompts.synthesis_brief(history.findings, history.assessment),
        temperature=0.3,
    )
    instead = partial(counted, context, history, "the chair failed")
    return (yield from synthesised(turn, Synthesis, labels, instead, "counted"))


def texts(history: History, labels: Mapping[str, str]) -> tuple[str, ...]:
    """Every contribution under its heading; critics are the letters that `labels` gives them."""
    return tuple(
        contribution.headed(label_of(labels, contribution.participant, contribution.participant))
        for contribution in history.contributions
    )


def counted(context: ReviewContext, history: History, why: str) -> Synthesis:
    """What the participant `rules` would have written, with the reason why it is not the chair's text."""
    brief = context.prompts.synthesis_brief(history.findings, history.assessment)
    return counted_synthesis(SynthesisBrief.model_validate(brief), why)

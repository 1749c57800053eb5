"""The discussion of a change: what its speakers are shown and read, what their claims weigh, its synthesis."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from orchestrator.core.discussion.clarifying import Contradicted, clarification
from orchestrator.core.discussion.labels import label_of
from orchestrator.core.discussion.loop import (
    DiscussionTerms,
    History,
    PlannedStep,
    RoundRead,
    Weighed,
)
from orchestrator.core.discussion.portions import portions
from orchestrator.core.discussion.strategies import DiscussionRole, Speaker
from orchestrator.core.discussion.synthesis import Synthesised, synthesised
from orchestrator.core.discussion.templates import SharedPrompt
from orchestrator.core.findings.bounds import taken_in
from orchestrator.core.findings.cells import in_cells
from orchestrator.core.findings.evidence import absorb_checked, check_stances
from orchestrator.core.findings.merging import Raised, check_places
from orchestrator.core.findings.quotations import SubjectTexts
from orchestrator.core.replay.commands import Effect, Prompt, ToolRun, Turn
from orchestrator.core.rounds import ledger_of
from orchestrator.workflows.review.context import ReviewContext, analysed
from orchestrator.workflows.review.prompts import PORTION, WHOLE, ChangeView
from orchestrator.workflows.review.roles import ReviewRole
from shared.models.counted_synthesis import SynthesisBrief, counted_synthesis
from shared.models.panel import Participant
from shared.models.review_replies import Critique, Synthesis
from shared.tools.analyser_cards import REPORT
from shared.tools.inputs import AnalyserInput, CommandInput, ReportInput
from shared.tools.rules import AnalyserRules


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

    def steps(
        self, speakers: Sequence[Speaker], number: int, history: History
    ) -> Iterator[PlannedStep]:
        """A turn of each, or one for each portion of the change that the speaker reads.

        Analysers run their tool first, then argue by rule. An analyser whose tool has failed runs it again: what
        never ran has nothing to argue about.
        """
        shown = [(speaker, self._shown(speaker, number, history)) for speaker in speakers]
        alike = Counter(speaker.role for speaker, views in shown if WHOLE in views)
        asked = partial(self._prompt, number, history)
        common = {
            role: SharedPrompt(partial(asked, role, WHOLE), turns) for role, turns in alike.items()
        }
        for speaker, views in shown:
            if not views:
                yield PlannedStep(speaker, tool_run(self.context, speaker, number))
            for at, view in enumerate(views, start=1):
                role = speaker.role
                prompt = common[role] if view is WHOLE else partial(asked, role, view)
                portion = (at,) if view.template == PORTION else ()
                turn = self._turn(speaker, number, history, prompt, portion)
                yield PlannedStep(speaker, turn, view.pieces)

    def _shown(self, speaker: Speaker, number: int, history: History) -> Sequence[ChangeView]:
        """What of the change each of a speaker's turns is shown; it has none while its tool runs."""
        participant = speaker.participant
        if participant.tool is not None and runs_tool(self.context, speaker, number, history):
            return ()
        if number > 1:
            return (excerpt_for(self.context, speaker, history),)
        read = portions(self.context.subject, participant)
        return [
            ChangeView.portion(pieces, at, len(read)) for at, pieces in enumerate(read, start=1)
        ] or (WHOLE,)

    def _prompt(
        self, number: int, history: History, role: DiscussionRole, shown: ChangeView
    ) -> Prompt:
        context = self.context
        return context.prompts.discussion(
            role,
            number,
            context.subject,
            history.points_for(role),
            history.ledger,
            len(context.spec.panel.critics),
            shown,
        )

    def _turn(
        self,
        speaker: Speaker,
        number: int,
        history: History,
        prompt: Callable[[], Prompt],
        portion: tuple[int, ...],
    ) -> Turn:
        context, participant, role = self.context, speaker.participant, speaker.role
        return Turn(
            key=context.cycle.key(role.name, number, participant.name, *portion),
            participant=participant,
            role=role.name,
            round=number,
            reply_model=role.reply,
            prompt=lambda: context.prompts.templates.addressed(prompt(), participant),
            brief=lambda: context.prompts.discussion_brief(
                speaker, context.subject, history.findings, history.ledger
            ),
        )

    def clarification(self, asked: Contradicted, number: int) -> Turn:
        """Asks a speaker to state positions again."""
        context = self.context
        templates, critics = context.prompts.templates, len(context.spec.panel.critics)
        return clarification(asked, number, context.cycle, templates, critics)

    def weigh(self, history: History, read: RoundRead) -> Weighed:
        """What cannot be shown in the change is recorded with the reason and has no weight."""
        context = self.context
        texts = SubjectTexts(context.subject, context.document)
        computing = rule_based(context)
        analysers = computing if context.subject.counts_unread else ()
        raised, objected = claims(read)
        raised = taken_in(raised, context.spec.panel.critics)
        merged = absorb_checked(raised, history.findings, texts, objected, analysers)
        known = {finding.id for finding in merged.findings}
        stated = check_stances(
            (line for line in ledger_of([read.taken]) if line.finding in known),
            merged.findings,
            texts,
            computing,
        )
        findings = in_cells(check_places(merged.findings, context.subject), texts)
        return Weighed(tuple(findings), merged.new, (*merged.stances, *stated))


def tool_run(context: ReviewContext, speaker: Speaker, number: int) -> ToolRun:
    """An analyser's tool run."""
    participant, role = speaker.participant, speaker.role
    assert participant.tool is not None
    return ToolRun(
        key=context.cycle.key(role.name, number, participant.name),
        tool=participant.tool,
        participant=participant.name,
        role=role.name,
        round=number,
        reply_model=role.reply,
        inputs=lambda: _inputs(context, participant, role),
        timeout_s=participant.timeout_s,
    )


def _inputs(
    context: ReviewContext, participant: Participant, role: DiscussionRole
) -> AnalyserInput:
    given = {
        "subject": context.subject_hash,
        "reply_model": role.reply,
        **_stated_rules(context),
    }
    if not participant.options:
        return AnalyserInput.model_validate(given)
    if participant.tool == REPORT:
        own = {"name": participant.name, **participant.options}
        return ReportInput.model_validate({**given, **own})
    own = {"name": participant.name, "program": participant.options}
    return CommandInput.model_validate({**given, **own})


def _stated_rules(context: ReviewContext) -> dict[str, object]:
    """The rules that somebody chose; nothing where nobody did, as in runs from before there was a choice."""
    rules = context.options.rules
    return {} if rules == AnalyserRules() else {"rules": rules.model_dump(exclude_defaults=True)}


def runs_tool(context: ReviewContext, speaker: Speaker, number: int, history: History) -> bool:
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

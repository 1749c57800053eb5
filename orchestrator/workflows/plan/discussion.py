"""A debate about one version of the plan: what its speakers see, what may be quoted in it, and its merged text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from orchestrator.core.discussion.clarifying import Contradicted, clarification
from orchestrator.core.discussion.contested import Agenda, reasons_of_others
from orchestrator.core.discussion.impact import Sources
from orchestrator.core.discussion.labels import label_of
from orchestrator.core.discussion.loop import (
    DiscussionTerms,
    History,
    PlannedStep,
    RoundRead,
    Weighed,
)
from orchestrator.core.discussion.strategies import Speaker
from orchestrator.core.discussion.synthesis import Synthesised, synthesised
from orchestrator.core.findings.evidence import (
    absorb_proven,
    check_denials,
    check_words,
    unchecked,
)
from orchestrator.core.findings.merging import Raised
from orchestrator.core.findings.quotations import GivenTexts
from orchestrator.core.replay.commands import Effect, Turn
from orchestrator.core.rounds import (
    Contribution,
    RoundTaken,
    ever_absent,
    ledger_of,
)
from orchestrator.core.wording import under_name
from orchestrator.workflows.plan.context import PlanContext, PlanVersion
from orchestrator.workflows.plan.prompts import PlanView, ShownContribution
from orchestrator.workflows.plan.roles import PlanRole
from shared.models.planning import PlanCritique, PlanSynthesis


@dataclass(frozen=True)
class PlanDiscussion:
    """The debate of one version."""

    context: PlanContext
    plan: PlanVersion

    @property
    def terms(self) -> DiscussionTerms:
        """The critics and the planner, by the strategy's rounds."""
        context = self.context
        return DiscussionTerms(
            strategy=context.strategy,
            critics=context.critics,
            author=context.planner,
            rounds=context.rounds,
            rule=context.rule,
            cycle=self.plan.cycle,
        )

    def steps(
        self, speakers: Sequence[Speaker], number: int, history: History
    ) -> Iterator[PlannedStep]:
        """A turn of each."""
        for speaker in speakers:
            yield PlannedStep(speaker, self._turn(speaker, number, history))

    def _turn(self, speaker: Speaker, number: int, history: History) -> Turn:
        participant, role = speaker.participant, speaker.role
        return Turn(
            key=self.plan.cycle.key(role.name, number, participant.name),
            participant=participant,
            role=role.name,
            round=number,
            reply_model=role.reply,
            prompt=lambda: self.context.prompts.turn(
                speaker, view(self.context, self.plan, speaker, number, history)
            ),
        )

    def clarification(self, asked: Contradicted, number: int) -> Turn:
        """Asks a speaker to state positions again."""
        templates, critics = self.context.prompts.templates, len(self.context.critics)
        return clarification(asked, number, self.plan.cycle, templates, critics)

    def weigh(self, history: History, read: RoundRead) -> Weighed:
        """An objection that rests on an invented quotation is recorded with the reason and has no weight."""
        quotable = sources(
            self.context,
            self.plan,
            (*history.contributions, *read.contributions),
            (*history.rounds, read.taken),
        )
        raised = [
            Raised(contribution.participant, contribution.round, finding, contribution.role)
            for contribution in read.contributions
            if isinstance(contribution.stated, PlanCritique)
            for finding in contribution.stated.raised()
        ]
        merged = absorb_proven(check_words(raised, quotable.found), history.findings)
        known = {finding.id for finding in merged.findings}
        stated = check_denials(
            (line for line in ledger_of([read.taken]) if line.finding in known),
            merged.findings,
            quotable.found,
        )
        stances = (*merged.stances, *stated)
        lost = unchecked(merged.findings, (*history.ledger, *stances))
        return Weighed(merged.findings, merged.new, stances, lost)


def sources(
    context: PlanContext,
    plan: PlanVersion,
    contributions: Sequence[Contribution],
    rounds: Sequence[RoundTaken],
) -> Sources:
    """What may be quoted: the plan, the task, the files given along, what others said; and whose turns are missing."""
    given = GivenTexts.of(context.prompts.question, context.document, plan.text)
    spoken = ((contribution.participant, contribution.full_text) for contribution in contributions)
    return Sources.of(given.hold, spoken, ever_absent(rounds))


# ---- what a speaker sees ------------------------------------------------------------------------


def view(
    context: PlanContext, plan: PlanVersion, speaker: Speaker, number: int, history: History
) -> PlanView:
    """Contested objections, what others last said of them, and what was seen through other lenses."""
    role = speaker.role
    labels = context.labels(plan.number, f"round/{number}")
    points = history.points_for(role)
    others = reasons_of_others(points.contested, history.ledger, speaker.participant.name)
    return PlanView(
        number=number,
        plan=plan.text,
        critics=len(context.critics),
        agenda=points,
        reasons=[(called(labels, line.participant), line) for line in others],
        contributions=through_other_lenses(context, history, speaker, labels),
        proposal="" if role.answers else proposal(history),
    )


def proposal(history: History) -> str:
    """The planner's latest proposal; empty when it made none."""
    stated = (
        getattr(contribution.stated, "revised_plan", "")
        for contribution in reversed(history.contributions)
    )
    return next(filter(None, stated), "")


def through_other_lenses(
    context: PlanContext, history: History, speaker: Speaker, labels: Mapping[str, str]
) -> tuple[ShownContribution, ...]:
    """The analyses through the lenses that are not the reviewer's; anyone who held all of them sees all."""
    if not speaker.role.reads_other_lenses:
        return ()
    lenses = {lens.name for lens in context.strategy.lenses}
    name = speaker.participant.name
    own = {
        contribution.role
        for contribution in history.contributions
        if contribution.participant == name
    }
    return shown(
        [
            contribution
            for contribution in history.contributions
            if contribution.role in (lenses - own or lenses)
        ],
        labels,
    )


def shown(
    contributions: Sequence[Contribution], labels: Mapping[str, str]
) -> tuple[ShownContribution, ...]:
    """Contributions under their letters."""
    return tuple(
        ShownContribution(
            called(labels, contribution.participant),
            contribution.role,
            contribution.round,
            contribution.full_text,
        )
        for contribution in contributions
    )


def called(labels: Mapping[str, str], name: str) -> str:
    """A participant's letter; the one without is the planner."""
    return label_of(labels, name, "planner")


# ---- the merged text ----------------------------------------------------------------------------


def synthesise(
    context: PlanContext, plan: PlanVersion, history: History
) -> Effect[Synthesised[PlanSynthesis]]:
    """The chair's text; when the chair fails, the rounds' contents joined (the design's fallback)."""
    if not history.contributions or history.over_budget:
        return Synthesised(PlanSynthesis(summary=joined(history)))
    chair = context.spec.panel.chair
    labels = context.labels(plan.number, "chair")
    view = PlanView(len(history.rounds), plan.text, len(context.critics), Agenda(history.findings))
    turn = Turn(
        key=plan.cycle.key("synthesis", chair.name),
        participant=chair,
        role=PlanRole.SYNTHESIS,
        round=len(history.rounds),
        reply_model="synthesis.plan",
        prompt=lambda: context.prompts.synthesis(chair, view, shown(history.contributions, labels)),
        brief=lambda: {
            "findings": [finding.model_dump(mode="json") for finding in history.findings],
            "ending": history.assessment.ending if history.assessment else None,
        },
        temperature=0.3,
    )
    return (
        yield from synthesised(
            turn, PlanSynthesis, labels, lambda: PlanSynthesis(summary=joined(history)), "rounds"
        )
    )


def joined(history: History) -> str:
    """The rounds' contents, one contribution after another."""
    blocks = (
        under_name(
            f"{contribution.participant}, {contribution.role}, round {contribution.round}",
            contribution.full_text,
        )
        for contribution in history.contributions
    )
    return "\n\n".join(blocks) or "Nobody answered."

"""A debate about one version of the plan: what its speakers see, and what may be quoted in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from orchestrator.core.discussion.contested import agenda, unanswered
from orchestrator.core.discussion.impact import Sources
from orchestrator.core.discussion.loop import (
    DiscussionTerms,
    History,
    PlannedStep,
    RoundRead,
    Weighed,
)
from orchestrator.core.discussion.strategies import Speaker
from orchestrator.core.findings.evidence import (
    absorb_proven,
    check_denials,
    check_words,
    unchecked,
)
from orchestrator.core.findings.merging import Raised
from orchestrator.core.findings.quotations import GivenTexts
from orchestrator.core.findings.stances import RAISING
from orchestrator.core.replay.commands import Turn
from orchestrator.core.rounds import (
    Contribution,
    RoundTaken,
    ever_absent,
    ledger_of,
    texts_by_participant,
)
from orchestrator.workflows.plan.context import PlanContext, PlanVersion
from orchestrator.workflows.plan.prompts import PlanView, ShownContribution, labelled
from shared.models.findings import Finding, Stance
from shared.models.planning import PlanCritique


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
            key=self.plan.key,
            prefix=self.plan.prefix,
        )

    def steps(self, speaker: Speaker, number: int, history: History) -> tuple[PlannedStep, ...]:
        """One turn."""
        participant, role = speaker.participant, speaker.role
        turn = Turn(
            key=self.plan.key(role.name, number, participant.name),
            participant=participant,
            role=role.name,
            round=number,
            reply_model=role.reply,
            prompt=lambda: self.context.prompts.turn(
                speaker, view(self.context, self.plan, speaker, number, history)
            ),
        )
        return (PlannedStep(speaker, turn),)

    def weigh(self, history: History, read: RoundRead) -> Weighed:
        """An objection that rests on an invented quotation is recorded with the reason and has no weight."""
        quotable = sources(
            self.context,
            self.plan,
            (*history.contributions, *read.contributions),
            (*history.rounds, read.taken),
        )
        raised = [
            Raised(said.participant, said.round, finding, said.role)
            for said in read.contributions
            if isinstance(said.stated, PlanCritique)
            for finding in said.stated.raised()
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
    return Sources(given.hold, texts_by_participant(contributions), ever_absent(rounds))


# ---- what a speaker sees ------------------------------------------------------------------------


def view(
    context: PlanContext, plan: PlanVersion, speaker: Speaker, number: int, history: History
) -> PlanView:
    """Contested objections, what others last said of them, and what was seen through other lenses."""
    role = speaker.role
    labels = context.labels(plan.number, f"round/{number}")
    due = unanswered(history.findings, history.ledger) if role.answers else ()
    points = agenda(history.findings, history.assessment, due)
    return PlanView(
        number=number,
        plan=plan.text,
        critics=len(context.critics),
        agenda=points,
        reasons=reasons(points.contested, history.ledger, speaker, labels),
        contributions=through_other_lenses(context, history, speaker, labels),
        proposal="" if role.answers else proposal(history),
    )


def proposal(history: History) -> str:
    """The planner's latest proposal; empty when it made none."""
    stated = (getattr(said.stated, "revised_plan", "") for said in reversed(history.contributions))
    return next(filter(None, stated), "")


def reasons(
    contested: Sequence[Finding],
    ledger: Sequence[Stance],
    speaker: Speaker,
    labels: Mapping[str, str],
) -> tuple[tuple[str, Stance], ...]:
    """What everybody else last said about each contested objection, under their letters."""
    known = [finding.id for finding in contested]
    last = {
        (line.finding, line.participant): line
        for line in ledger
        if line.finding in known and line.participant != speaker.participant.name
    }
    given = [line for line in last.values() if line.reason not in ("", RAISING)]
    ordered = sorted(given, key=lambda line: known.index(line.finding))
    return tuple((labelled(labels, line.participant), line) for line in ordered)


def through_other_lenses(
    context: PlanContext, history: History, speaker: Speaker, labels: Mapping[str, str]
) -> tuple[ShownContribution, ...]:
    """The analyses through the lenses that are not the reviewer's; anyone who held all of them sees all."""
    if not speaker.role.reads_other_lenses:
        return ()
    lenses = {lens.name for lens in context.strategy.lenses}
    name = speaker.participant.name
    own = {said.role for said in history.contributions if said.participant == name}
    return shown(
        [said for said in history.contributions if said.role in (lenses - own or lenses)], labels
    )


def shown(
    contributions: Sequence[Contribution], labels: Mapping[str, str]
) -> tuple[ShownContribution, ...]:
    """Contributions under their letters."""
    return tuple(
        ShownContribution(labelled(labels, said.participant), said.role, said.round, said.full_text)
        for said in contributions
    )

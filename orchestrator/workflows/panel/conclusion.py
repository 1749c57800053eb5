"""The end of a run: the verdict with its dissent, how it came about (seed 003: DebateResult), and whether it helped."""

from __future__ import annotations

from orchestrator.core.consensus.ballots import VotedEnding
from orchestrator.core.consensus.choices import PositionVote
from orchestrator.core.discussion.impact import (
    Sources,
    cost_of,
    evidence_of,
    impact,
    mind_changes,
    price_per,
)
from orchestrator.core.discussion.turn_results import spent
from orchestrator.core.findings.evidence import is_unproven
from orchestrator.core.findings.verdict import effective_votes
from orchestrator.core.replay.commands import Outcome
from orchestrator.core.results import AskedQuestion, VoteChange
from orchestrator.workflows.panel.context import PanelContext, PanelDebate
from orchestrator.workflows.panel.judging import Judged, agreement_on
from orchestrator.workflows.panel.positions import sources
from orchestrator.workflows.panel.result import (
    NO_POSITION,
    ConsensusPoint,
    PanelAgreement,
    PanelDissent,
    PanelLabels,
    PanelResult,
    PanelVote,
    PositionsImpact,
)
from orchestrator.workflows.panel.strategies import SpeakingOrder
from orchestrator.workflows.panel.voting import Voting, first_tally
from shared.models.findings import FindingStatus
from shared.models.notices import Notice, notice
from shared.models.outcomes import Verdict


def conclude(
    context: PanelContext, debate: PanelDebate, voting: Voting, ended: VotedEnding, judged: Judged
) -> Outcome:
    """`ANSWERED` when there is a verdict, by the judge or by agreement; whether they agree is the ending's word."""
    verdict = judged.verdict
    return Outcome(
        verdict=Verdict.INCONCLUSIVE if verdict is None else Verdict.ANSWERED,
        ending=ended.ending,
        summary=verdict.verdict if verdict else standings(debate, voting),
        result=_result(context, debate, voting, ended, judged),
        warnings=(
            *_about_the_panel(context),
            *debate.warnings,
            *voting.warnings,
            *judged.warnings,
        ),
    )


def standings(debate: PanelDebate, voting: Voting) -> str:
    """The positions with their support: the summary of a debate without a verdict."""
    lines = [
        f"{position.id} ({voting.tally.counts[position.id].support:.2f}): {' '.join(position.title.split())}"
        for position in debate.candidates
    ]
    return "\n".join(lines) or "Nobody took a position."


def _about_the_panel(context: PanelContext) -> tuple[Notice, ...]:
    judge, critics = context.judge, context.spec.panel.critics
    alike = [debater.name for debater in context.debaters if effective_votes((debater, judge)) == 1]
    bystanders = [critic.name for critic in critics if critic.rule_based]
    return (
        *(notice("panel_bystander", who=name) for name in bystanders),
        *((notice("panel_alike_judge", who=judge.name, others=alike),) if alike else ()),
    )


def _result(
    context: PanelContext, debate: PanelDebate, voting: Voting, ended: VotedEnding, judged: Judged
) -> PanelResult:
    verdict = judged.verdict
    usage = spent((*debate.first_turns, *debate.turns, *voting.turns, *judged.turns))
    return PanelResult(
        question=AskedQuestion.of(context.prompts.question),
        strategy=context.options.strategy,
        verdict=verdict.verdict if verdict else None,
        confidence=verdict.confidence if verdict else None,
        reasoning=verdict.reasoning if verdict else "",
        consensus_points=consensus_points(debate, judged),
        dissenting_opinions=dissent(debate, voting, judged),
        total_tokens=usage.tokens,
        total_cost=usage.cost_usd,
        decided_by=judged.by,
        choice=judged.choice,
        reason=ended.reason,
        points=debate.points,
        rounds=debate.rounds,
        votes=_votes(context, voting),
        votes_secret=voting.secret,
        agreement=_agreement(voting, judged),
        effective_votes=effective_votes(context.debaters),
        receipt=debate_impact(context, debate, voting, judged),
        labels=PanelLabels(
            rounds={number: dict(labels) for number, labels in debate.labels.items()},
            ballots={name: dict(labels) for name, labels in voting.labels.items()},
            judge=dict(judged.labels),
        ),
        usage=usage,
    )


def consensus_points(debate: PanelDebate, judged: Judged) -> tuple[ConsensusPoint, ...]:
    """What the ledger shows to be agreed, then what only the judge says is agreed: each with its source."""
    agreed = [
        ConsensusPoint(text=point.title, by="ledger", id=point.id)
        for point in debate.points
        if point.status is FindingStatus.ACCEPTED and not is_unproven(point)
    ]
    texts = {point.text for point in agreed}
    judge = judged.verdict.consensus_points if judged.verdict else ()
    more = (ConsensusPoint(text=text, by="judge") for text in judge if text not in texts)
    return (*agreed, *more)


def dissent(debate: PanelDebate, voting: Voting, judged: Judged) -> tuple[PanelDissent, ...]:
    """Everybody who voted otherwise than the verdict (or than the leading position), then the judge's account."""
    final = judged.choice or voting.tally.leading
    titles = {point.id: point.title for point in debate.points}
    opinions = (
        PanelDissent(
            by="vote",
            participant=name,
            position=vote.choice,
            text=titles.get(vote.choice or "", NO_POSITION),
            reason=vote.reason or _argument(debate, name),
            confidence=vote.confidence,
        )
        for name, vote in voting.votes.items()
        if vote is not None and final not in vote.supports
    )
    judge = judged.verdict.dissenting_opinions if judged.verdict else ()
    return (*opinions, *(PanelDissent(by="judge", participant=None, text=text) for text in judge))


def _argument(debate: PanelDebate, name: str) -> str:
    last = debate.latest.get(name)
    return last.argument if last else ""


def _votes(context: PanelContext, voting: Voting) -> tuple[PanelVote, ...]:
    return tuple(
        _vote(debater.name, voting.votes.get(debater.name)) for debater in context.debaters
    )


def _vote(name: str, vote: PositionVote | None) -> PanelVote:
    if vote is None:
        return PanelVote(participant=name, voted=False, position=None, confidence=None)
    return PanelVote(
        participant=name,
        voted=True,
        position=vote.choice,
        same=vote.same,
        confidence=vote.confidence,
        reason=vote.reason,
    )


def _agreement(voting: Voting, judged: Judged) -> PanelAgreement:
    return PanelAgreement(
        leading=voting.tally.leading,
        converged=voting.tally.converged,
        on_verdict=agreement_on(voting, judged.choice),
        positions=dict(voting.tally.counts),
    )


# ---- did it help? -------------------------------------------------------------------------------


def debate_impact(
    context: PanelContext, debate: PanelDebate, voting: Voting, judged: Judged
) -> PositionsImpact:
    """Did the debate help? A vote has changed when what was held first is not among what is held last."""
    quotable = sources(context, debate.statements, debate.points, debate.taken)
    first = first_tally(context, debate).leading
    moved = _changed_votes(debate, voting, quotable)
    debated = (*debate.turns, *voting.turns)
    changes = mind_changes(debate.ledger, quotable)
    changed = {change.finding for change in changes}
    return PositionsImpact(
        first_votes_blind=context.has_opening or context.strategy.order is SpeakingOrder.AT_ONCE,
        first_votes=dict(debate.first),
        first_leading=first,
        final_leading=voting.tally.leading,
        verdict=judged.choice,
        helped=impact(first, _position_of(voting, judged), changes=bool(moved)).value,
        changed_votes=moved,
        changes=tuple(change.shown() for change in changes),
        changed_findings=len(changed),
        first_round=spent(debate.first_turns),
        debate=spent(debated),
        cost_per_changed_vote=price_per(len(moved), cost_of(debated)),
        cost_per_changed_finding=price_per(len(changed), cost_of(debated)),
    )


def _position_of(voting: Voting, judged: Judged) -> str | None:
    """The position that the verdict amounts to; None without a verdict, whatever leads."""
    if judged.verdict is None:
        return None
    return judged.choice or voting.tally.leading


def _changed_votes(
    debate: PanelDebate, voting: Voting, quotable: Sources
) -> tuple[VoteChange, ...]:
    return tuple(
        _vote_change(debate, voting, name, first.position, vote, quotable)
        for name, first in debate.first.items()
        if (vote := voting.votes.get(name)) is not None and first.position not in vote.supports
    )


def _vote_change(
    debate: PanelDebate,
    voting: Voting,
    name: str,
    first: str,
    vote: PositionVote,
    quotable: Sources,
) -> VoteChange:
    """What a change rests on: the words in the debate where it came there, else those of the ballot."""
    statement, ballot = debate.latest.get(name), voting.ballots.get(name)
    reason, quote = vote.reason, ballot.quote if ballot else None
    if statement is not None and statement.holds != first:
        reason = statement.changed_because or reason
        quote = statement.quote or quote
    return VoteChange(
        participant=name,
        before=first,
        after=vote.choice,
        round=_round_of_change(debate, name, first),
        evidence=evidence_of(name, reason, quote, quotable).value,
        reason=reason,
        quote=quote,
    )


def _round_of_change(debate: PanelDebate, name: str, first: str) -> int | None:
    """The first round in which a debater held something else; None when it changed on the ballot only."""
    own = (statement for statement in debate.statements if statement.participant == name)
    return next((statement.round for statement in own if statement.holds != first), None)

"""The end of a run: the verdict with its dissent, and how it came about (seed 003: DebateResult)."""

from __future__ import annotations

from dataclasses import asdict

from orchestrator.core.consensus.choices import PositionVote
from orchestrator.core.discussion.turn_results import TurnResult, spent
from orchestrator.core.findings.evidence import is_unproven
from orchestrator.core.findings.verdict import effective_votes
from orchestrator.core.replay.commands import Outcome
from orchestrator.core.results import AskedQuestion
from orchestrator.workflows.panel.context import PanelContext, PanelDebate, RoundHeld
from orchestrator.workflows.panel.ending import PanelEnding
from orchestrator.workflows.panel.impact import debate_impact
from orchestrator.workflows.panel.judging import Judged, agrees_with
from orchestrator.workflows.panel.result import (
    NO_POSITION,
    ConsensusPoint,
    PanelAgreement,
    PanelDissent,
    PanelLabels,
    PanelResult,
    PanelRound,
    PanelStatement,
    PanelVote,
    PositionSupport,
)
from orchestrator.workflows.panel.voting import Voting
from shared.models.findings import FindingStatus
from shared.models.notices import Notice, notice
from shared.models.outcomes import Verdict


def conclude(
    context: PanelContext, held: PanelDebate, voting: Voting, ended: PanelEnding, judged: Judged
) -> Outcome:
    """`ANSWERED` when there is a verdict, by the judge or by agreement; whether they agree is the ending's word."""
    said = judged.verdict
    return Outcome(
        verdict=Verdict.INCONCLUSIVE if said is None else Verdict.ANSWERED,
        ending=ended.ending,
        summary=said.verdict if said else standings(held, voting),
        result=_result(context, held, voting, ended, judged),
        warnings=(
            *_about_the_panel(context),
            *held.warnings,
            *voting.warnings,
            *judged.warnings,
        ),
    )


def standings(held: PanelDebate, voting: Voting) -> str:
    """The positions with their support: the summary of a debate without a verdict."""
    lines = [
        f"{one.id} ({voting.tally.counts[one.id].support:.2f}): {' '.join(one.title.split())}"
        for one in held.candidates
    ]
    return "\n".join(lines) or "Nobody took a position."


def _about_the_panel(context: PanelContext) -> tuple[Notice, ...]:
    judge = context.judge
    alike = [one.name for one in context.debaters if effective_votes((one, judge)) == 1]
    bystanders = [one.name for one in context.spec.panel.critics if one.rule_based]
    return (
        *(notice("panel_bystander", who=name) for name in bystanders),
        *((notice("panel_alike_judge", who=judge.name, others=alike),) if alike else ()),
    )


def _result(
    context: PanelContext, held: PanelDebate, voting: Voting, ended: PanelEnding, judged: Judged
) -> PanelResult:
    said = judged.verdict
    bill: tuple[TurnResult, ...] = (*held.first_heard, *held.heard, *voting.heard, *judged.heard)
    usage = spent(bill)
    return PanelResult(
        question=AskedQuestion.of(context.prompts.question),
        strategy=context.options.strategy,
        verdict=said.verdict if said else None,
        confidence=said.confidence if said else None,
        reasoning=said.reasoning if said else "",
        consensus_points=consensus_points(held, judged),
        dissenting_opinions=dissent(held, voting, judged),
        total_tokens=usage.tokens,
        total_cost=usage.cost_usd,
        decided_by=judged.by,
        choice=judged.choice,
        reason=ended.reason,
        points=held.points,
        rounds=tuple(_round(round_held) for round_held in held.held),
        votes=_votes(context, voting),
        votes_secret=voting.secret,
        agreement=_agreement(voting, judged),
        effective_votes=effective_votes(context.debaters),
        receipt=debate_impact(context, held, voting, judged),
        labels=PanelLabels(
            rounds={number: dict(labels) for number, labels in held.labels.items()},
            ballots={name: dict(labels) for name, labels in (voting.labels or {}).items()},
            judge=dict(judged.labels or {}),
        ),
        usage=usage,
    )


def consensus_points(held: PanelDebate, judged: Judged) -> tuple[ConsensusPoint, ...]:
    """What the ledger shows to be agreed, then what only the judge says is: the source stands with each."""
    agreed = [
        ConsensusPoint(text=point.title, by="ledger", id=point.id)
        for point in held.points
        if point.status is FindingStatus.ACCEPTED and not is_unproven(point)
    ]
    texts = {point.text for point in agreed}
    judge = judged.verdict.consensus_points if judged.verdict else ()
    more = (ConsensusPoint(text=text, by="judge") for text in judge if text not in texts)
    return (*agreed, *more)


def dissent(held: PanelDebate, voting: Voting, judged: Judged) -> tuple[PanelDissent, ...]:
    """Everybody who voted otherwise than the verdict (or than the leading position), then the judge's account."""
    final = judged.choice or voting.tally.leading
    titles = {point.id: point.title for point in held.points}
    opinions = (
        PanelDissent(
            by="vote",
            participant=name,
            position=vote.choice,
            text=titles.get(vote.choice or "", NO_POSITION),
            reason=vote.reason or _argument(held, name),
            confidence=vote.confidence,
        )
        for name, vote in voting.votes.items()
        if vote is not None and final not in vote.supports
    )
    judge = judged.verdict.dissenting_opinions if judged.verdict else ()
    return (*opinions, *(PanelDissent(by="judge", participant=None, text=text) for text in judge))


def _argument(held: PanelDebate, name: str) -> str:
    last = held.latest.get(name)
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
        on_verdict=agrees_with(voting, judged),
        positions={
            identity: PositionSupport(**asdict(count))
            for identity, count in voting.tally.counts.items()
        },
    )


def _round(held: RoundHeld) -> PanelRound:
    return PanelRound(
        number=held.number,
        statements=tuple(PanelStatement(**asdict(said)) for said in held.statements),
        missing=held.missing,
        moderation=held.moderation,
        assessment=held.assessment,
    )

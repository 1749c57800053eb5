"""The end of a run: the verdict with its dissent, and how it came about (seed 003: DebateResult)."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from orchestrator.core.discussion.spending import Heard, spent
from orchestrator.core.findings.evidence import is_unproven
from orchestrator.core.findings.verdict import effective_votes
from orchestrator.core.replay.commands import Outcome
from orchestrator.workflows.panel.case import Case, Debate, RoundHeld, Statement
from orchestrator.workflows.panel.ending import Ended
from orchestrator.workflows.panel.helped import receipt
from orchestrator.workflows.panel.judging import Judged, agrees_with
from orchestrator.workflows.panel.voting import Voting
from shared.models.findings import FindingStatus
from shared.models.outcomes import Verdict


def conclude(case: Case, held: Debate, voting: Voting, ended: Ended, judged: Judged) -> Outcome:
    """`ANSWERED` when there is a verdict, by the judge or by agreement; whether they agree is the ending's word."""
    said = judged.verdict
    return Outcome(
        verdict=Verdict.INCONCLUSIVE if said is None else Verdict.ANSWERED,
        ending=ended.ending,
        summary=said.verdict if said else standings(held, voting),
        detail=_detail(case, held, voting, ended, judged),
        warnings=(
            *_about_the_panel(case),
            *held.warnings,
            *voting.warnings,
            *judged.warnings,
        ),
    )


def standings(held: Debate, voting: Voting) -> str:
    """The positions with their support: the summary of a debate without a verdict."""
    lines = [
        f"{one.id} ({voting.tally.counts[one.id].support:.2f}): {' '.join(one.title.split())}"
        for one in held.candidates
    ]
    return "\n".join(lines) or "Nobody took a position."


def _about_the_panel(case: Case) -> tuple[str, ...]:
    judge = case.judge
    alike = [one.name for one in case.debaters if effective_votes((one, judge)) == 1]
    bystanders = [one.name for one in case.spec.panel.critics if one.rule_based]
    return (
        *(f"{name} follows rules and takes no part in a debate" for name in bystanders),
        *((f"the judge {judge.name} is of one family with {', '.join(alike)}",) if alike else ()),
    )


def _detail(
    case: Case, held: Debate, voting: Voting, ended: Ended, judged: Judged
) -> dict[str, Any]:
    said = judged.verdict
    question = case.prompts.question
    bill: tuple[Heard, ...] = (*held.first_heard, *held.heard, *voting.heard, *judged.heard)
    usage = spent(bill)
    return {
        "question": {
            "title": question.title,
            "text": question.text,
            "contexts": [context.path for context in question.contexts],
        },
        "strategy": case.options.strategy,
        "verdict": said.verdict if said else None,
        "confidence": said.confidence if said else None,
        "reasoning": said.reasoning if said else "",
        "consensus_points": consensus_points(held, judged),
        "dissenting_opinions": dissent(held, voting, judged),
        "total_tokens": usage["tokens"],
        "total_cost": usage["cost_usd"],
        "decided_by": judged.by,
        "choice": judged.choice,
        "reason": ended.reason,
        "points": [one.model_dump(mode="json") for one in held.points],
        "rounds": [_round(one) for one in held.held],
        "votes": _votes(case, voting),
        "votes_secret": voting.secret,
        "agreement": _agreement(voting, judged),
        "effective_votes": effective_votes(case.debaters),
        "receipt": receipt(case, held, voting, judged),
        "labels": {
            "rounds": {number: dict(one) for number, one in held.labels.items()},
            "ballots": {name: dict(one) for name, one in (voting.labels or {}).items()},
            "judge": dict(judged.labels or {}),
        },
        "usage": usage,
    }


def consensus_points(held: Debate, judged: Judged) -> list[dict[str, Any]]:
    """What the ledger shows to be agreed, then what only the judge says is: the source stands with each."""
    agreed = [
        {"text": one.title, "by": "ledger", "id": one.id}
        for one in held.points
        if one.status is FindingStatus.ACCEPTED and not is_unproven(one)
    ]
    texts = {one["text"] for one in agreed}
    judge = judged.verdict.consensus_points if judged.verdict else ()
    return [*agreed, *({"text": t, "by": "judge", "id": None} for t in judge if t not in texts)]


def dissent(held: Debate, voting: Voting, judged: Judged) -> list[dict[str, Any]]:
    """Everybody who voted otherwise than the verdict (or than the leading position), then the judge's account."""
    final = judged.choice or voting.tally.leading
    titles = {one.id: one.title for one in held.points}
    opinions: list[dict[str, Any]] = [
        {
            "by": "vote",
            "participant": name,
            "position": vote.choice,
            "text": titles.get(vote.choice or "", "none of the positions"),
            "reason": vote.reason or _argument(held, name),
            "confidence": vote.confidence,
        }
        for name, vote in voting.votes.items()
        if vote is not None and final not in vote.supports
    ]
    judge = judged.verdict.dissenting_opinions if judged.verdict else ()
    return [*opinions, *({"by": "judge", "participant": None, "text": text} for text in judge)]


def _argument(held: Debate, name: str) -> str:
    last = held.latest.get(name)
    return last.argument if last else ""


def _votes(case: Case, voting: Voting) -> list[dict[str, Any]]:
    votes = []
    for debater in case.debaters:
        vote = voting.votes.get(debater.name)
        votes.append(
            {
                "participant": debater.name,
                "voted": vote is not None,
                "position": vote.choice if vote else None,
                "same": list(vote.same) if vote else [],
                "confidence": vote.confidence if vote else None,
                "reason": vote.reason if vote else "",
            }
        )
    return votes


def _agreement(voting: Voting, judged: Judged) -> dict[str, Any]:
    return {
        "leading": voting.tally.leading,
        "converged": voting.tally.converged,
        "on_verdict": agrees_with(voting, judged),
        "positions": {
            identity: {
                **asdict(count),
                "missing": list(count.missing),
                "dissenting": list(count.dissenting),
            }
            for identity, count in voting.tally.counts.items()
        },
    }


def _round(one: RoundHeld) -> dict[str, Any]:
    moderation = one.moderation
    return {
        "number": one.number,
        "statements": [_statement(said) for said in one.statements],
        "missing": list(one.missing),
        "moderation": None if moderation is None else moderation.model_dump(mode="json"),
        "assessment": one.assessment.model_dump(mode="json"),
    }


def _statement(said: Statement) -> dict[str, Any]:
    return {**asdict(said), "heard": list(said.heard)}

"""The end of a run: the conclusion, who stood where, and how it came about."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from orchestrator.core.discussion.spending import spent
from orchestrator.core.discussion.wording import under_name
from orchestrator.core.findings.verdict import effective_votes
from orchestrator.core.replay.commands import Outcome
from orchestrator.workflows.forum.case import Case, Exchange, Stop, Talk
from orchestrator.workflows.forum.closing import Closing
from orchestrator.workflows.forum.helped import receipt
from shared.models.outcomes import Ending, Verdict


def conclude(case: Case, talk: Talk, closing: Closing) -> Outcome:
    """`ANSWERED` when the ballots agree, or when a conclusion was wanted without ballots; else `INCONCLUSIVE`."""
    unheard = still_asking(talk)
    answered = closing.conclusion is not None and closing.ending in (Ending.CONVERGED, None)
    return Outcome(
        verdict=Verdict.ANSWERED if answered else Verdict.INCONCLUSIVE,
        ending=closing.ending,
        summary=closing.conclusion or transcript(talk),
        detail=_detail(case, talk, closing, unheard),
        warnings=(
            *talk.warnings,
            *closing.warnings,
            *(
                f"{one['participant']} still wanted to speak when the orchestrator ended the discussion"
                for one in unheard
            ),
        ),
    )


def still_asking(talk: Talk) -> list[dict[str, Any]]:
    """Who asked for the floor when the discussion was ended over them: their dissent is kept."""
    if talk.stop is not Stop.CONCLUDED:
        return []
    return [
        {"participant": one.participant, "reason": one.reason}
        for one in talk.exchanges[-1].asked
        if one.asks
    ]


def transcript(talk: Talk) -> str:
    """What was said, one speech after another: the summary of a discussion without a conclusion."""
    blocks = (under_name(one.participant, one.text or "") for one in talk.speeches)
    return "\n\n".join(blocks) or "Nobody spoke."


def _detail(
    case: Case, talk: Talk, closing: Closing, unheard: list[dict[str, Any]]
) -> dict[str, Any]:
    question = case.prompts.question
    floors = [one.choice.speaker for one in talk.exchanges if one.choice is not None]
    return {
        "question": {
            "title": question.title,
            "text": question.text,
            "contexts": [context.path for context in question.contexts],
        },
        "orchestrator": case.orchestrator.name,
        "participants": [
            {
                "name": one.name,
                "floors": floors.count(one.name),
                "speeches": sum(said.participant == one.name for said in talk.speeches),
            }
            for one in case.participants
        ],
        "conclusion": closing.conclusion,
        "concluded_by": closing.concluded_by,
        "conclusion_reason": talk.conclusion_reason,
        "open_points": list(closing.open_points),
        "stopped_by": None if talk.stop is None else talk.stop.value,
        "reason": closing.reason,
        "rounds": [_round(one) for one in talk.exchanges],
        "unheard": unheard,
        "ballots": [
            {
                "participant": name,
                "position": None if ballot is None else ballot.position,
                "confidence": None if ballot is None else ballot.confidence,
                "reason": "" if ballot is None else ballot.reason,
            }
            for name, ballot in closing.ballots.items()
        ],
        "dissenting_opinions": _dissent(closing),
        "agreement": _agreement(closing),
        "effective_votes": effective_votes(case.participants),
        "receipt": receipt(case, talk, closing),
        "labels": dict(case.prompts.labels),
        "usage": spent((*talk.blind, *talk.heard, *closing.heard)),
    }


def _dissent(closing: Closing) -> list[dict[str, Any]]:
    """Everybody who did not vote for the conclusion as it is, with the reason."""
    return [
        {
            "by": "vote",
            "participant": name,
            "position": ballot.position,
            "text": ballot.reason,
            "confidence": ballot.confidence,
        }
        for name, ballot in closing.ballots.items()
        if ballot is not None and ballot.position in ("partial", "disagree")
    ]


def _agreement(closing: Closing) -> dict[str, Any] | None:
    count = closing.count
    if count is None:
        return None
    return {
        **asdict(count),
        "missing": list(count.missing),
        "dissenting": list(count.dissenting),
        "converged": count.converged,
    }


def _round(exchange: Exchange) -> dict[str, Any]:
    choice, said = exchange.choice, exchange.said
    return {
        "number": exchange.number,
        "reminded": exchange.reminded,
        "bids": [
            {
                "participant": one.participant,
                "action": "REQUEST" if one.asks else "PASS",
                "reason": one.reason,
                "missing": one.missing,
            }
            for one in exchange.asked
        ],
        "selected": None if choice is None else choice.speaker,
        "selected_by": None if choice is None else choice.by,
        "why": None if choice is None else choice.why.value,
        "wished": None if choice is None else choice.wished,
        "orchestrator_said": "" if choice is None else choice.reason,
        "speech": None if said is None else said.text,
    }
